"""One call that attacks your own model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from stillproof.attack.base.attack import Attack
from stillproof.attack.base.norms import Norm
from stillproof.attack.base.outcome import Outcome
from stillproof.attack.base.rules import Rules
from stillproof.attack.base.run import run_attack
from stillproof.attack.base.targets import Policy
from stillproof.attack.base.victim import Model
from stillproof.attack.masking.alarms import alarms_of
from stillproof.attack.masking.measure import measure
from stillproof.attack.masking.measured import LOOKED_AT
from stillproof.attack.protocols.fair import FAIR
from stillproof.attack_answers import NUMBERS, AttackScore, ImageOutcomes, worst_of
from stillproof.cli.progress import Display
from stillproof.core.attack_warnings import warnings_in
from stillproof.core.components import attacks
from stillproof.core.context import Context
from stillproof.core.errors import Unsupported
from stillproof.core.reference import parse_reference
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.run.attack_names import USUAL_EPS, attack_called, each_with_limits
from stillproof.run.attack_outcomes import majority_warning, outcome_tensors, summarised
from stillproof.run.attacker import OutcomeParts
from stillproof.score.attacked_images import worst_case

Show = Callable[[float, str], None]  # takes the share of a work that is done, and a few words on it


def attack(
    model: Model,
    images: Tensor,
    labels: Tensor,
    *,
    attack: str | Sequence[str] = "pgd",
    eps: float | None = None,
    norm: Norm | None = None,
    targets: Policy | Tensor | None = None,
    seed: int = 0,
    check: bool = False,
) -> AttackScore:
    """Attack your own model; several attacks are also summed up in their worst case.

    Nothing is stored, and the model is left as it was. Progress is shown as on the command line: a bar in a terminal,
    else a line from time to time, on standard error.

    Args:
        model: A module, or any function, that takes pixels in [0, 1] to logits: normalising them is its own work.
        images: Pixels, (N, C, H, W): floats in [0, 1], or uint8 from 0 to 255.
        labels: Their classes, (N,).
        attack: One or several attacks, as in ``pgd:steps=20``.
        eps: Radius of the ball, for those attacks that have one; the attack's usual one by default.
        norm: Its norm.
        targets: Makes it targeted: ``next``, ``random`` or ``least-likely``, or a class for each image. Of several
            attacks, one without a targeted form then has a ``reason`` and no numbers.
        seed: Seed of its random draws.
        check: Whether to look for signs of gradient masking.
    """
    references = [attack] if isinstance(attack, str) else list(dict.fromkeys(attack))
    references = each_with_limits(references, eps=eps, norm=norm)
    victim = _Victim(model, images, labels, targets, seed)
    display = Display()
    scores = [victim.attacked(one, display, alone=len(references) == 1) for one in references]
    alarms = victim.alarms(references, display) if check else []
    whole = scores[0] if len(scores) == 1 else _worst(scores)
    return dataclasses.replace(whole, checked=check, alarms=alarms)


@dataclass(frozen=True)
class _Victim:
    """A model and the images that it is attacked on."""

    model: Model
    images: Tensor
    labels: Tensor
    targets: Policy | Tensor | None
    seed: int

    def attacked(self, reference: str, display: Display, *, alone: bool) -> AttackScore:
        """Return what came of one attack; one of several may have no answer, and then has its reason."""
        attack, (name, given) = attack_called(reference), parse_reference(reference)
        about: dict[str, Any] = {"params": attacks.spec(attack).as_dict()["params"], "given": given}
        about |= {"eps": attack.radius, "norm": attack.measured_in}
        about["targets"] = "given" if isinstance(self.targets, Tensor) else self.targets
        notes: Json = {}
        try:
            with display.follow(reference) as show:
                made = self._run(attack, show, notes)
        except Unsupported as error:
            if alone:
                raise
            return AttackScore(name, FAIR.written, len(self.images), **about, reason=str(error))
        numbers = summarised(made, FAIR)
        about |= {key: numbers[key] for key in NUMBERS} | {"draws": numbers.get("draws", 0), "images": made.images}
        about["outcomes"] = ImageOutcomes.of(outcome_tensors(made, FAIR))
        return AttackScore(name, FAIR.written, len(made), **about, warnings=list(warnings_in(notes).values()))

    def alarms(self, references: Sequence[str], display: Display) -> list[str]:
        """Return what is suspicious about the model's gradients, in every ball that it was attacked in."""
        built = [attack_called(one) for one in references]
        balls = dict.fromkeys((one.radius or USUAL_EPS[one.measured_in], one.measured_in) for one in built)
        some, truth = self.images[:LOOKED_AT], self.labels[:LOOKED_AT]
        found: list[str] = []
        for eps, norm in balls:
            with display.follow(f"looking at gradients in {norm}") as show:
                ctx = self._context("attack-check", show, lambda share: "", {})
                found += alarms_of(measure(self.model, some, truth, eps=eps, norm=norm, ctx=ctx))
        return list(dict.fromkeys(found))

    def _run(self, attack: Attack, show: Show, notes: Json) -> Outcome:
        found, rules = OutcomeParts(notes), Rules(keep_images=True)
        ctx = self._context("attack", show, lambda share: found.fooled_so_far() if share else "", notes)
        given = (self.model, self.images, self.labels)
        return run_attack(attack, *given, ctx=ctx, target=self.targets, rules=rules, seen=found.parts.append)

    def _context(self, stream: str, show: Show, words: Callable[[float], str], notes: Json) -> Context:
        device, seeds = _device(self.model, self.images), Seeds(self.seed).child(stream)
        return Context(seeds, device, report=lambda share: show(share, words(share)), notes=notes)


def _worst(scores: Sequence[AttackScore]) -> AttackScore:
    """Return the worst case over those attacks that have an answer, image by image."""
    told = [score.outcomes for score in scores if score.outcomes is not None]
    if not told:
        return worst_of(scores)
    robust, clean = worst_case([outcomes["robust"] for outcomes in told]), told[0]["clean_right"]
    warnings = majority_warning([{"draws": score.draws} for score in scores])
    return worst_of(scores, float(clean.mean()), float(robust.mean()), list(warnings.values()))


def _device(model: Model, images: Tensor) -> str:
    """Return where a model is; where that cannot be told, where the images are."""
    weight = next(model.parameters(), None) if isinstance(model, nn.Module) else None
    return str(images.device if weight is None else weight.device)
