"""The bench of attacks: passes are counted and cut off, radii are searched for, attacks fill their passes."""

from __future__ import annotations

import pytest
import torch
from attack_setups import images, trained
from test_attack_leaves import GREY, WEIGHTS, Linear
from torch import Tensor, nn

from stillproof.attack.base.norms import Norm
from stillproof.attack.bench.contestant import SEARCHES, Contestant
from stillproof.attack.bench.libraries.all import theirs
from stillproof.attack.bench.metered import Metered
from stillproof.attack.bench.ours import fitted, ours
from stillproof.attack.bench.run import contestant, contestants, nearness
from stillproof.core.context import Context
from stillproof.core.errors import BadInput, UnknownName, Unsupported
from stillproof.core.seeds import Seeds

CONTEXT = Context(Seeds(0))


def metered(budget: int = 100, norm: Norm = "L2") -> Metered:
    return Metered(Linear(WEIGHTS, 0.0), GREY, torch.tensor([0]), norm, budget)


def test_every_pass_is_counted_and_the_nearest_change_remembered() -> None:
    model = metered()
    for moved in (0.3, 0.2, 0.4):
        points = GREY.clone().requires_grad_()
        logits = model(points + torch.tensor([moved, 0.0, 0.0, 0.0]).view(1, 1, 2, 2))
        logits.sum().backward()
    assert (model.forwards.item(), model.backwards.item()) == (3, 3)
    assert model.nearest.item() == pytest.approx(0.2)
    with torch.no_grad():
        model(GREY.expand(4, 1, 2, 2))
    assert (model.forwards.item(), model.backwards.item()) == (7, 3)


def test_nothing_is_learned_once_the_passes_are_used_up() -> None:
    model = metered(budget=2)
    far = (GREY + torch.tensor([0.4, -0.4, 0.0, 0.0]).view(1, 1, 2, 2)).requires_grad_()
    with torch.no_grad():
        said = model(torch.cat([GREY, GREY, far]))
    assert model.forwards.item() == 2 and model.nearest.isinf().all() and said[2].argmax() == 0
    (gradient,) = torch.autograd.grad(model(far)[0, 1], far)
    assert not gradient.any() and model.backwards.item() == 0 and model.used_up


def test_what_is_no_number_fools_nobody() -> None:
    model = metered()
    with torch.no_grad():
        model(torch.full_like(GREY, float("nan")))
    assert model.nearest.isinf().all()


def test_a_radius_is_searched_for() -> None:
    """An attack that goes the whole radius in the best direction ends just behind the border, 0.1 away."""
    tried = []

    def within(model: Metered, x: Tensor, y: Tensor, passes: int, eps: float) -> None:
        assert passes == 100 // SEARCHES and len(x) == len(y) == 1
        tried.append(eps)
        model(x + eps * torch.tensor([0.6, -0.8, 0.0, 0.0]).view(1, 1, 2, 2))

    model = metered()
    Contestant("exact", "stillproof", within=within).run(model)
    assert tried[:2] == [0.25, 0.125] and 0.1 < model.nearest.item() < 0.102
    assert model.forwards.item() == len(tried) <= 2 * SEARCHES


@pytest.mark.parametrize(("name", "passes"), [("fmn", 200), ("pgd", 37), ("cw", 101), ("deepfool", 100), ("spsa", 600)])
def test_attacks_fill_the_passes_that_they_have(name: str, passes: int) -> None:
    attack = fitted(name, {}, passes)
    longer = fitted(name, {}, passes + 300)
    assert attack.passes <= passes < longer.passes


@pytest.mark.parametrize(("norm", "some"), [("Linf", {"fmn", "pgd", "spsa"}), ("L2", {"ddn", "cw"}), ("L1", {"fmn"})])
def test_all_our_attacks_of_a_norm_take_part(norm: Norm, some: set[str]) -> None:
    names = {one.name for one in ours(norm, CONTEXT)}
    assert some <= names and not names & {"none", "pgd-l2", "onepixel"}
    assert ("deepfool" in names) == (norm != "L1")


@pytest.mark.parametrize("norm", ["Linf", "L2"])
def test_ours_come_near_within_their_passes_and_the_same_twice(norm: Norm) -> None:
    pixels, labels = images(12)
    found = {
        name: nearness(name, trained(), pixels, labels, norm=norm, budget=60, ctx=CONTEXT) for name in ("fmn", "pgd")
    }
    again = nearness("pgd", trained(), pixels, labels, norm=norm, budget=60, ctx=CONTEXT)
    assert torch.equal(again.distances, found["pgd"].distances)
    for one in found.values():
        assert (one.forwards + one.backwards).max() <= 60 and one.seconds > 0
        assert one.distances.isfinite().float().mean() > 0.8
    assert found["fmn"].distances.mean() < 1.1 * found["pgd"].distances.mean()


def test_identical_images_have_the_same_answer() -> None:
    pixels, labels = images(40)  # more than 25: torch rounds distances between so many
    once = nearness("fgsm", trained(), pixels, labels, norm="Linf", budget=60, ctx=CONTEXT)
    twice = [torch.cat([part, part[:3]]) for part in (pixels, labels)]
    found = nearness("fgsm", trained(), *twice, norm="Linf", budget=60, ctx=CONTEXT)
    assert torch.equal(found.distances[:3], found.distances[40:]) and torch.equal(
        found.forwards[:3], found.forwards[40:]
    )
    assert torch.equal(found.distances[3:40], once.distances[3:]) and len(set(once.distances.tolist())) > 5
    assert torch.equal(once.clean_right, trained()(pixels).argmax(1) == labels)


def test_unknown_attacks_and_failing_libraries_say_so() -> None:
    pixels, labels = images(2)
    for name, norm, error, said in (
        ("ddn", "L1", BadInput, "attack 'ddn' has no form in L1"),
        ("pgd-l2", "Linf", BadInput, "attack 'pgd-l2' has no form in Linf"),
        ("autoattack", "L2", BadInput, "autoattack does not take part in the comparison: it is several of the others"),
        ("nonsense", "L2", UnknownName, "unknown attack 'nonsense'"),
    ):
        with pytest.raises(error, match=said):
            nearness(name, trained(), pixels, labels, norm=norm, budget=10, ctx=CONTEXT)  # type: ignore[arg-type]
    assert contestant("apgd-ce", "L2", CONTEXT).name == "apgd" and contestant("pgd-l2", "L2", CONTEXT).name == "pgd"

    def broken(model: Metered, x: Tensor, y: Tensor, passes: int) -> None:
        raise RuntimeError("no such thing")

    from stillproof.attack.bench.run import _run

    with pytest.raises(Unsupported, match="other/broken failed by itself: RuntimeError: no such thing"):
        _run(Contestant("broken", "other", free=broken), metered())


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["Linf", "L2", "L1"])
def test_every_library_runs(norm: Norm) -> None:
    known = [one.reference for one in theirs(norm)]
    if not known:
        pytest.skip("no other library is installed: make test-oracles")
    assert set(known) <= set(contestants(norm, CONTEXT))
    pixels, labels = images(10)
    for name in known:
        found = nearness(name, trained(), pixels, labels, norm=norm, budget=60, ctx=CONTEXT)
        assert (found.forwards + found.backwards).max() <= 60, name
        assert (found.forwards[found.clean_right] > 0).all(), name


class Rounded(nn.Module):
    def forward(self, pixels: Tensor) -> Tensor:
        return (9 * pixels).round() / 9


@pytest.mark.parametrize(
    ("before", "after", "noted"),
    [
        (nn.Identity(), nn.Identity(), []),
        (nn.Identity(), nn.Softmax(1), ["probabilities"]),
        (Rounded(), nn.Identity(), ["flat"]),
    ],
)
def test_what_is_suspicious_about_a_model_is_noted(before: nn.Module, after: nn.Module, noted: list[str]) -> None:
    ctx, (pixels, labels) = Context(Seeds(0)), images(40)
    nearness("fmn", nn.Sequential(before, trained(), after), pixels, labels, norm="L2", budget=20, ctx=ctx)
    assert list(ctx.notes.get("warnings", {})) == noted
