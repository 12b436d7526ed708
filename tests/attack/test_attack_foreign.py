"""The bridge to other libraries, tried on one that looks like torchattacks: names, counts, seeds, silence, failures."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from attack_setups import images, trained
from lookalike import lookalike
from torch import Tensor

from stillproof.attack.base.attack import Attack, attack_of
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import batch_of, run_attack
from stillproof.attack.base.targets import Policy
from stillproof.attack.base.transfer import TO_THE_END
from stillproof.attack.base.victim import Model
from stillproof.attack.foreign import base
from stillproof.core.context import Context
from stillproof.core.errors import Unsupported
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.testing.attack_models import Counted
from stillproof.testing.checks import global_generators_untouched
from stillproof.testing.toy import toy_images

KEEP = Rules(keep_images=True)


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with lookalike(monkeypatch):
        yield


def run(
    name: str,
    chosen: list[int],
    *,
    model: Model | None = None,
    target: Policy | None = None,
    rules: Rules = KEEP,
    batch: int | None = None,
    notes: Json | None = None,
    seed: int = 0,
) -> Outcome:
    pixels, labels = images(60)
    ctx = Context(Seeds(seed), notes={} if notes is None else notes)
    built = attack_of(name)
    pixels, labels = pixels[chosen], labels[chosen]
    return run_attack(built, model or trained(), pixels, labels, ctx=ctx, target=target, rules=rules, batch=batch)


def right(count: int, *, parity: int | None = None) -> list[int]:
    """Return images that the network has right, of odd or even classes alone if that is asked for."""
    (pixels, labels), model = images(60), trained()
    with torch.no_grad():
        fine = model(pixels).argmax(1) == labels
    fits = fine if parity is None else fine & (labels % 2 == parity)
    found: list[int] = fits.nonzero().flatten().tolist()
    return found[:count]


def test_a_step_is_the_step_that_it_is() -> None:
    chosen = right(6)
    found = run("torchattacks/Step:eps=0.05", chosen)
    pixels, labels = images(60)
    points = pixels[chosen].requires_grad_()
    (gradient,) = torch.autograd.grad(torch.nn.functional.cross_entropy(trained()(points), labels[chosen]), points)
    expected = (pixels[chosen] + 0.05 * gradient.sign()).clamp(0, 1)
    assert found.images is not None and torch.allclose(found.images, expected.detach(), atol=1e-6)
    assert found.success.any() and found.linf.max() <= 0.05 + 1e-6


def test_an_image_comes_out_the_same_whoever_is_attacked_with_it() -> None:
    pixels, labels = images(8)

    def attacked(batch: int, count: int = 8) -> Tensor:
        ctx = Context(Seeds(0))
        built = attack_of("torchattacks/Noise")
        made = run_attack(built, trained(), pixels[:count], labels[:count], ctx=ctx, rules=KEEP, batch=batch).images
        assert made is not None
        return made

    whole = attacked(8)
    assert torch.equal(whole, attacked(3)) and torch.equal(whole[:5], attacked(5, 5))
    assert (whole[0] - pixels[0]).flatten()[:3].tolist() != (whole[1] - pixels[1]).flatten()[:3].tolist()


def test_the_seed_decides_what_is_drawn_and_a_seed_of_the_class_is_the_images_own() -> None:
    first, again, other = (run("torchattacks/Noise", [0, 1], seed=seed).images for seed in (0, 0, 1))
    assert first is not None and again is not None and other is not None
    assert torch.equal(first, again) and not torch.equal(first, other)
    fixed = run("torchattacks/Noise:seed=0", [0, 1]).images
    assert fixed is not None and not torch.equal(first, fixed)


def test_nothing_is_heard_drawn_or_left_of_it(
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    recwarn: pytest.WarningsRecorder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    trained()  # trained before anything is looked at
    with global_generators_untouched():
        python = random.getstate()
        run("torchattacks/Noise", [0, 1])
        assert random.getstate() == python
    heard = capfd.readouterr()
    assert heard.out == heard.err == "" and not caplog.records and not recwarn.list
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rules", [Rules(draws=0), TO_THE_END])
def test_every_pass_is_counted_for_its_image(rules: Rules) -> None:
    pixels, labels = toy_images().read(slice(0, 6)), toy_images().labels[:6]
    model = Counted(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(pixels[0].numel(), 3))).eval()
    with torch.no_grad():
        labels = model(pixels).argmax(1)
    labels[-1] = (labels[-1] + 1) % 3  # wrong already
    model.forwards = 0
    for attack, forwards, backwards in (("Step:steps=3:eps=1e-6", 5, 3), ("Noise:amount=1e-6", 7, 0)):
        model.forwards = model.backwards = 0
        built = attack_of(f"torchattacks/{attack}")
        made = run_attack(built, model, pixels, labels, ctx=Context(Seeds(0)), rules=rules)
        assert int(made.forwards.sum()) == model.forwards and int(made.backwards.sum()) == model.backwards
        assert made.forwards[:5].tolist() == [forwards] * 5 and made.backwards[:5].tolist() == [backwards] * 5
        assert made.forwards[5].item() == (1 if rules.early_exit else forwards)


def test_the_model_may_be_any_function_and_is_left_as_it_was() -> None:
    model = trained()
    mode, before = model.training, [weight.grad for weight in model.parameters()]
    plain = run("torchattacks/Step:steps=2", [0, 1], model=lambda pixels: model(pixels))
    whole = run("torchattacks/Step:steps=2", [0, 1])
    assert plain.images is not None and whole.images is not None
    assert torch.allclose(plain.images, whole.images, atol=1e-5) and plain.backwards.tolist() == [2, 2]
    assert model.training == mode
    assert all(weight.grad is grad for weight, grad in zip(model.parameters(), before, strict=True))


def test_targets_are_aimed_at_and_said_to_be_impossible() -> None:
    chosen = right(10)
    found = run("torchattacks/Step:eps=0.3:steps=5", chosen, target="next")
    assert found.targets is not None and torch.equal(found.fooled, found.predictions == found.targets)
    assert found.fooled.any()
    with pytest.raises(Unsupported, match="torchattacks/Noise has no targeted form: leave the target out"):
        run("torchattacks/Noise", chosen, target="next")


def test_an_image_that_it_fails_on_stays_clean_and_the_others_go_on() -> None:
    chosen = [*right(3, parity=1), *right(4, parity=0)]
    notes: Json = {}
    found = run("torchattacks/Odd", chosen, notes=notes, batch=2)
    pixels, _ = images(60)
    assert found.images is not None and torch.equal(found.images, pixels[chosen]), "NaN goes back to where it was"
    assert notes["warnings"]["failed"] == (
        "it failed on 3 of 7 images, which stay as they were: ValueError: an odd class"
    )
    assert torch.equal(found.predictions, found.clean_predictions)


@pytest.mark.parametrize("rules", [KEEP, TO_THE_END])
def test_failing_on_all_images_is_no_answer(rules: Rules) -> None:
    with pytest.raises(Unsupported, match="failed on all 4 images that it was tried on: ValueError: an odd class"):
        run("torchattacks/Odd:every=true", right(4), rules=rules, batch=3)


def test_an_error_of_the_model_is_no_failure_of_the_attack() -> None:
    calls, model = [], trained()

    def breaks(pixels: Tensor) -> Tensor:
        calls.append(len(pixels))
        if len(calls) > 3:
            raise RuntimeError("out of memory")
        logits: Tensor = model(pixels)
        return logits

    with pytest.raises(RuntimeError, match="out of memory"):
        run("torchattacks/Step:steps=20", right(2), model=breaks)


def test_what_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "LEAST", 50)
    with pytest.raises(Unsupported, match=r"failed on all 2 images.*asked the model more than .* times"):
        run("torchattacks/Endless", right(2))


def test_what_gives_back_no_image_has_failed() -> None:
    with pytest.raises(Unsupported, match=r"gave back shape \(1, 3, 2, 16\), and no image of shape \(3, 16, 16\)"):
        run("torchattacks/Shapeless:loader=1", right(1))


def test_a_gradient_of_zero_is_told() -> None:
    notes: Json = {}
    model = trained()

    def flat(pixels: Tensor) -> Tensor:
        logits: Tensor = model(pixels)
        return logits.detach() + 0 * pixels.sum()

    assert run("torchattacks/Step", right(5), model=flat, notes=notes).no_gradient.all()
    assert "their gradient is zero" in notes["warnings"]["flat"]


def test_it_trains_nobody() -> None:
    pixels, labels = images(2)
    with pytest.raises(Unsupported, match="torchattacks/Step judges a model that is finished"):
        attack_of("torchattacks/Step").perturb(trained(), pixels, labels, ctx=Context(Seeds(0)))


def test_few_images_are_attacked_together_so_that_little_is_lost() -> None:
    class Slow(Attack):
        one_by_one = True
        passes = 24_000.0

    assert batch_of(Slow()) == 1
    assert batch_of(attack_of("torchattacks/Step")) == 32 < batch_of(attack_of("pgd"))


def test_numpy_is_as_it_was_if_it_fails() -> None:
    before = np.random.get_state()[1].tolist()  # type: ignore[index] # noqa: NPY002
    with pytest.raises(Unsupported):
        run("torchattacks/Odd:every=true", right(1))
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index] # noqa: NPY002
