"""What the base of all attacks owns: early exit, streams, targets, restarts, cost, and the model's state."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from attack_setups import HALF, attacked, images, trained
from torch import Tensor, nn

from stillproof.attack.base.attack import attack_of
from stillproof.attack.base.losses import usual_cross_entropy
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.rules import AS_LIBRARIES_DO, Rules
from stillproof.attack.base.run import attack_batch, run_attack
from stillproof.attack.base.targets import Policy
from stillproof.attack.base.victim import under_attack
from stillproof.attack.fgsm import FGSM
from stillproof.attack.pgd import PGD
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds

MARGIN = 1e-5
CASES: list[tuple[str, Policy | None]] = [
    (f"pgd:eps={HALF}", None),
    (f"pgd:eps={HALF}", "random"),
    ("pgd-l2:eps=0.9", None),
    ("pgd-l1:eps=8", None),
    (f"difgsm:eps={HALF}", None),
    ("upgd:eps=0.2:loss=dlr", "least-likely"),
    (f"tpgd:eps={HALF}", None),
    ("cw:steps=10:lr=0.05", "next"),
    ("deepfool", None),
]


def margins(outcome: Outcome) -> Tensor:
    assert outcome.images is not None
    with torch.no_grad():
        best: Tensor = trained()(outcome.images).topk(2, dim=1).values
    return best[:, 0] - best[:, 1]


@pytest.mark.parametrize(("name", "target"), CASES)
def test_neither_batches_nor_early_exit_change_a_result(name: str, target: Policy | None) -> None:
    whole = attacked(name, 40, target=target)
    for other in (
        attacked(name, 40, target=target, batch=7),
        attacked(name, 40, target=target, rules=Rules(early_exit=False, keep_images=True)),
    ):
        differ = whole.fooled != other.fooled
        assert not differ.any() or (margins(whole)[differ] < MARGIN).all()
        assert whole.images is not None and other.images is not None
        close = (whole.images - other.images).abs().flatten(1).amax(1) < 1e-3
        # A gradient near zero, as at the start of tpgd, has the sign of its rounding, which the processor decides.
        assert close.float().mean() > 0.8, "most images are the same to the last digits"
    assert whole.fooled.sum() > 0


def test_early_exit_saves_passes_and_ends_at_the_first_success() -> None:
    early, late = attacked(f"pgd:eps={HALF}"), attacked(f"pgd:eps={HALF}", rules=Rules(early_exit=False))
    assert early.passes_per_image < 0.8 * late.passes_per_image
    assert torch.equal(early.first_success, late.first_success)
    passes = early.forwards + early.backwards
    assert torch.equal(passes[early.fooled], early.first_success[early.fooled])
    assert (early.first_success[~early.fooled] == -1).all()
    assert (passes[~early.fooled] == 22).all() and (late.forwards + late.backwards == 22).all()
    assert (passes[~early.clean_right] == 1).all(), "an image that is wrong already is not attacked"


def test_outcomes_say_what_the_model_says() -> None:
    made, (pixels, labels) = attacked(f"pgd:eps={HALF}"), images(100)
    assert made.images is not None
    with torch.no_grad():
        assert torch.equal(made.predictions, trained()(made.images).argmax(1))
        assert torch.equal(made.clean_predictions, trained()(pixels).argmax(1))
    change = (made.images - pixels).flatten(1)
    assert torch.allclose(made.linf, change.abs().amax(1)) and torch.allclose(made.l2, change.norm(dim=1))
    assert torch.allclose(made.l1, change.abs().sum(1), atol=1e-4)
    assert torch.equal(made.success, (made.clean_predictions == labels) & (made.predictions != labels))
    assert made.robust_accuracy == pytest.approx(1 - made.fooled.float().mean().item())
    assert 0.2 < made.robust_accuracy < 0.8 < made.clean_accuracy
    assert made.seconds > 0 and made.clean_seconds > 0 and not made.no_gradient.any()


@pytest.mark.parametrize("policy", ["next", "random", "least-likely"])
def test_targets_are_other_classes(policy: Policy) -> None:
    made = attacked("pgd:eps=0.3:steps=40", target=policy)
    assert made.targets is not None and (made.targets != made.labels).all()
    assert torch.equal(made.fooled, made.predictions == made.targets)
    assert made.fooled.float().mean() > 0.9
    assert len(set(made.targets.tolist())) > 7
    if policy == "least-likely":
        with torch.no_grad():
            assert torch.equal(made.targets, trained()(images()[0]).argmin(1))


def test_targets_may_be_given_and_are_checked() -> None:
    wanted = (images(20)[1] + 3) % 10
    assert torch.equal(attacked("pgd:eps=0.3", 20, target=wanted).targets, wanted)  # type: ignore[arg-type]


def test_the_number_of_classes_is_the_models() -> None:
    model = nn.Sequential(nn.Flatten(), nn.Linear(3, 4))
    labels = torch.tensor([3, 0])
    made = run_attack(FGSM(), model, torch.rand(2, 3, 1, 1), labels, ctx=Context(Seeds(0)), target="next")
    assert made.targets is not None and made.targets.tolist() == [0, 1]


def test_restarts_are_for_images_that_are_not_fooled_yet() -> None:
    once = attacked(f"pgd:eps={HALF}:steps=3")
    thrice = attacked(f"pgd:eps={HALF}:steps=3:restarts=3")
    assert (thrice.fooled >= once.fooled).all() and thrice.fooled.sum() >= once.fooled.sum()
    same = once.fooled
    assert once.images is not None and thrice.images is not None
    assert torch.equal(once.images[same], thrice.images[same])
    assert torch.equal(once.forwards[same], thrice.forwards[same])
    assert (thrice.forwards[~thrice.fooled] == 1 + 3 * 4).all()


def test_another_seed_draws_other_starts() -> None:
    first, second = attacked("ffgsm:eps=0.01", 20), attacked("ffgsm:eps=0.01", 20, seed=1)
    assert first.images is not None and second.images is not None
    robust = ~first.fooled & ~second.fooled
    assert not torch.equal(first.images[robust], second.images[robust])


def test_bytes_are_pixels_too_and_batches_report() -> None:
    pixels, labels = images(10)
    bytes_ = (pixels * 255).round().to(torch.uint8)
    shares: list[float] = []
    seen: list[int] = []
    ctx = Context(Seeds(0), report=shares.append)
    run_attack(FGSM(), trained(), bytes_, labels, ctx=ctx, batch=4, seen=lambda part: seen.append(len(part)))
    assert seen == [4, 4, 2] and shares == [0.4, 0.8, 1.0]
    assert ctx.notes["compiled"] is False and ctx.notes["images_at_once"] > 0


def test_the_last_point_counts_where_that_is_the_rule() -> None:
    """What a library without bookkeeping would give: an image may be fooled on the way, and right at the end."""

    def valley(pixels: Tensor) -> Tensor:  # errs within 0.05 of 0.6 alone, where steps of 0.12 go to and fro
        wrong = 0.05**2 - (pixels.flatten(1) - 0.6).square().sum(1)
        return torch.stack([torch.zeros_like(wrong), wrong], 1)

    def made(rules: Rules) -> Outcome:
        pixels, labels = torch.full((40, 1, 1, 1), 0.5), torch.zeros(40, dtype=torch.int64)
        return run_attack(
            attack_of("pgd:eps=0.4:step=0.12"), valley, pixels, labels, ctx=Context(Seeds(0)), rules=rules
        )

    first, last = made(Rules()), made(Rules(early_exit=False, answer="last", keep_images=True))
    assert torch.equal(first.first_success, last.first_success)
    assert (last.first_success[~last.fooled] != -1).any(), "fooled once, not at the end"
    assert last.robust_accuracy > first.robust_accuracy


def test_limits_may_be_those_of_a_library_that_checks_nothing() -> None:
    pixels, labels = images(10)
    shifted = 2 * pixels - 0.5
    rules = dataclasses.replace(AS_LIBRARIES_DO, keep_images=True)
    none = attack_of("none")
    made = run_attack(none, trained(), shifted, labels, ctx=Context(Seeds(0)), rules=rules)
    assert made.images is not None and torch.equal(made.images, shifted.clamp(0, 1))
    assert made.linf.max() > 0.3


def test_a_batch_can_be_attacked_by_itself() -> None:
    """As a stage does that keeps what is done: with a model that is made ready once."""
    pixels, labels = images(30)
    attack = PGD(eps=HALF)
    parts = []
    with under_attack(trained()) as victim:
        for start in (0, 20):
            part = slice(start, start + 20)
            indices = torch.arange(30)[part]
            parts.append(
                attack_batch(attack, victim, pixels[part], labels[part], ctx=Context(Seeds(0)), indices=indices)
            )
    whole = attacked(attack, 30, rules=Rules())
    joined = Outcome.joined(parts)
    for field in dataclasses.fields(Outcome):
        one, other = getattr(joined, field.name), getattr(whole, field.name)
        if isinstance(one, Tensor) and not one.is_floating_point():
            assert torch.equal(one, other), field.name


def test_every_attack_with_the_usual_loss_can_have_its_usual_rounding() -> None:
    """A model so sure of itself that the usual cross-entropy has lost its gradient, and ours has not."""

    def sure(points: Tensor) -> Tensor:
        brightness = points.flatten(1).sum(1, keepdim=True)
        return torch.cat([brightness, torch.zeros_like(brightness)], 1)

    pixels, labels = torch.full((1, 3, 16, 16), 0.1), torch.tensor([0])
    for name in ("fgsm", "pgd", "nifgsm", "difgsm", "eotpgd", "upgd"):
        ours = run_attack(attack_of(name), sure, pixels, labels, ctx=Context(Seeds(0)))
        usual = run_attack(
            attack_of(name), sure, pixels, labels, ctx=Context(Seeds(0)), rules=Rules(cross_entropy=usual_cross_entropy)
        )
        assert usual.no_gradient.all() and not ours.no_gradient.any()
