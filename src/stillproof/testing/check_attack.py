"""The contract of an attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.attack.base.attack import Attack, attack_of
from stillproof.attack.base.norms import sizes
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.core.components import attacks, networks
from stillproof.core.context import Context
from stillproof.core.errors import Unsupported
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.core.spec import canonical_json
from stillproof.nets.build import build_network
from stillproof.testing.attack_models import BrokenGradients, Counted
from stillproof.testing.checks import Result, global_generators_untouched, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice
from stillproof.testing.fake_device import FAKE, fake_device
from stillproof.testing.toy import TOY, toy_images

IMAGES = 12
CHANGING = 2  # passes, above which an attack does something to images
NETWORK = "convnet-1:width=8"
ROUNDING = 1e-5  # of a norm, as a share
NEARLY = 1e-3  # of pixels, by which rounding may move one on its way
MARGIN = 1e-5  # of logits, within which an image may be judged either way


def check_attack(name: str) -> list[Result]:
    """Run the contract on toy images, with the attack's ``smoke`` preset."""
    return run_checks(
        "attack",
        name,
        {
            "its parameters are plain JSON": lambda: _builds(name),
            "stays in its ball and among pixels, whatever the gradients": lambda: _limits(name),
            "aims at a class, or says that it cannot": lambda: _targeted(name),
            "the same seed gives the same bytes": lambda: _deterministic(name),
            "draws from no global generator": lambda: _no_global_draws(name),
            "neither batches nor early exit change a result": lambda: _alone(name),
            "counts the passes that it makes": lambda: _counts(name),
            "leaves the model as it was": lambda: _leaves_model(name),
            "serves in training": lambda: _trains(name),
            "works on another device than the CPU": lambda: _elsewhere(name),
            TITLE: lambda: try_every_choice(attacks, name, lambda choice: _run(name, choice=choice)),
        },
    )


def _build(name: str, choice: Mapping[str, Any] | None = None) -> Attack:
    preset = preset_params(attacks.get(name), "smoke", TOY.name, 1, attacks.entry(name))
    return attack_of(name, {**preset, **(choice or {})})


def _model() -> Counted:
    return Counted(build_network(networks.build(NETWORK), TOY, Seeds(0).child("network"), "cpu")).eval()


def _elsewhere(name: str) -> None:
    model = _model()
    pixels, labels = _images(model)
    with fake_device():
        run_attack(_build(name), model.to(FAKE), pixels, labels, ctx=Context(Seeds(0), FAKE))


def _images(model: nn.Module) -> tuple[Tensor, Tensor]:
    """Return images, and the classes that the model takes them for, but for one that it has wrong."""
    pixels = toy_images().read(slice(0, IMAGES))
    with torch.no_grad():
        labels = model(pixels).argmax(1)
    labels[-1] = (labels[-1] + 1) % TOY.num_classes
    return pixels, labels


def _run(
    name: str,
    *,
    batch: int = IMAGES,
    seed: int = 0,
    rules: Rules | None = None,
    choice: Mapping[str, Any] | None = None,
) -> Outcome:
    model = _model()
    pixels, labels = _images(model)
    rules = rules or Rules(keep_images=True)
    return run_attack(_build(name, choice), model, pixels, labels, ctx=Context(Seeds(seed)), rules=rules, batch=batch)


def _builds(name: str) -> None:
    attack = _build(name)
    canonical_json(attacks.spec(attack).as_dict())
    need(attack.passes >= 1, f"passes is {attack.passes}")


def _limits(name: str) -> None:
    attack = _build(name)
    for model in (_model(), BrokenGradients(zero=True), BrokenGradients(zero=False)):
        pixels, labels = _images(model)
        for answer in ("first", "last"):
            rules = Rules(answer=answer, early_exit=answer == "first", keep_images=True)
            made = run_attack(attack, model, pixels, labels, ctx=Context(Seeds(0)), rules=rules)
            assert made.images is not None
            low, high = made.images.min().item(), made.images.max().item()
            need(low >= 0 and high <= 1, f"pixels in [0, 1] became {low:g} to {high:g}")
            need(bool(torch.isfinite(made.images).all()), "it gives NaN or infinite pixels")
            if attack.radius is not None:
                far = sizes(made.images - pixels, attack.measured_in).max().item()
                limit = attack.radius * (1 + ROUNDING) + 1e-7
                need(far <= limit, f"a change of {far:g} is larger than eps = {attack.radius:g}")


def _targeted(name: str) -> None:
    attack, model = _build(name), _model()
    pixels, labels = _images(model)
    for policy in ("next", "random", "least-likely"):
        try:
            made = run_attack(attack, model, pixels, labels, ctx=Context(Seeds(0)), target=policy)
        except Unsupported:
            need(not attack.has_target, "it raises Unsupported, but says has_target")
            continue
        need(attack.has_target, "it takes targets, but says has_target = False")
        assert made.targets is not None
        need(torch.equal(made.fooled, made.predictions == made.targets), "fooled is not what its predictions say")


def _deterministic(name: str) -> None:
    first, second = _run(name), _run(name)
    assert first.images is not None and second.images is not None
    need(torch.equal(first.images, second.images), "two runs under one seed give different images")


def _no_global_draws(name: str) -> None:
    model = _model()
    pixels, labels = _images(model)
    model.states.clear()
    with global_generators_untouched():
        run_attack(_build(name), model, pixels, labels, ctx=Context(Seeds(0)))
    # For models that draw, torch's generator is lent to a batch: whoever else draws from it shows between two passes.
    steady = all(torch.equal(state, model.states[0]) for state in model.states)
    need(steady, "it draws from torch's global generator; use crafting.streams")


def _alone(name: str) -> None:
    whole = _run(name)
    for other in (_run(name, batch=5), _run(name, rules=Rules(early_exit=False, keep_images=True))):
        assert whole.images is not None and other.images is not None
        far = (whole.images - other.images).abs().flatten(1).amax(1) > NEARLY
        need(far.float().mean().item() < 0.25, f"{int(far.sum())} of {IMAGES} images change with those beside them")
        differ = whole.fooled != other.fooled
        close_call = _margins(whole)[differ] < MARGIN
        need(bool(close_call.all()), "an image is fooled or not with those beside it")


def _margins(outcome: Outcome) -> Tensor:
    assert outcome.images is not None
    with torch.no_grad():
        best: Tensor = _model()(outcome.images).topk(2, dim=1).values
    return best[:, 0] - best[:, 1]


def _counts(name: str) -> None:
    for early_exit in (True, False):
        model = _model()
        pixels, labels = _images(model)
        model.forwards = 0
        rules = Rules(early_exit=early_exit, draws=0)
        made = run_attack(_build(name), model, pixels, labels, ctx=Context(Seeds(0)), rules=rules, batch=5)
        for what, counted, real in (
            ("forward", int(made.forwards.sum()), model.forwards),
            ("backward", int(made.backwards.sum()), model.backwards),
        ):
            need(counted == real, f"{counted} {what} passes are counted, and {real} were made")


def _leaves_model(name: str) -> None:
    model = _model()
    pixels, labels = _images(model)
    model.body.train()  # a model in two modes, with some of its weights frozen
    next(model.parameters()).requires_grad_(False)
    before = {key: value.clone() for key, value in model.state_dict().items()}
    wanted = [weight.requires_grad for weight in model.parameters()]
    run_attack(_build(name), model, pixels, labels, ctx=Context(Seeds(0)))
    same = all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
    need(same, "it changes the model's weights")
    need([weight.requires_grad for weight in model.parameters()] == wanted, "it leaves weights frozen, or thawed")
    need(not model.training and model.body.training, "it leaves the model in another mode")
    need(all(weight.grad is None for weight in model.parameters()), "it leaves gradients at the weights")


def _trains(name: str) -> None:
    attack, model = _build(name), _model()
    pixels, labels = _images(model)
    outside = 1.5 * pixels - 0.25  # as distilled sets have them
    try:
        moved = attack.perturb(model.train(), outside, labels, ctx=Context(Seeds(0)))
    except Unsupported:  # said, and not silently nothing
        return
    changes = attack.passes > CHANGING and model.backwards + model.forwards > 0
    need(not changes or bool((moved != outside).any()), "training gets the images as they were: tell it by finish")
    need(moved.shape == pixels.shape, f"{tuple(pixels.shape)} became {tuple(moved.shape)}")
    need(not moved.requires_grad, "its images carry a graph")
    need(model.training, "it leaves the model in another mode")
    further = torch.maximum(outside.clamp(max=0) - moved, moved - outside.clamp(min=1)).max().item()
    need(further <= 0, f"it leads pixels outside [0, 1] further out, by {further:g}")
