"""One call that attacks somebody's own model."""

from __future__ import annotations

from torch import Tensor, nn

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
from stillproof.attack_answers import NUMBERS, AttackScore, ImageOutcomes
from stillproof.cli.progress import Display
from stillproof.core.attack_warnings import warnings_in
from stillproof.core.components import attacks
from stillproof.core.context import Context
from stillproof.core.reference import parse_reference
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.run.attack_names import USUAL_EPS, attack_called, with_limits
from stillproof.run.attack_outcomes import outcome_tensors, summarised
from stillproof.run.attacker import OutcomeParts


def attack(
    model: Model,
    images: Tensor,
    labels: Tensor,
    *,
    attack: str = "pgd",
    eps: float | None = None,
    norm: Norm | None = None,
    targets: Policy | Tensor | None = None,
    seed: int = 0,
    check: bool = False,
) -> AttackScore:
    """Attack somebody's own model; nothing is stored, and the model is left as it was.

    Progress is shown as on the command line: a bar in a terminal, else a line from time to time, on standard error.

    Args:
        model: A module, or any function, that takes pixels in [0, 1] to logits: normalising them is its own work.
        images: Pixels, (N, C, H, W): floats in [0, 1], or uint8 from 0 to 255.
        labels: Their classes, (N,).
        attack: The attack, as in ``pgd:steps=20``.
        eps: Radius of the ball; the attack's usual one without a number.
        norm: Its norm.
        targets: What it aims at: ``next``, ``random`` or ``least-likely``, or a class for each image.
        seed: Seed of what it draws.
        check: Look for signs that gradients hide where the model errs.
    """
    reference = with_limits(attack, eps=eps, norm=norm)
    notes: Json = {}
    made, alarms = _run(model, images, labels, reference, targets, seed, notes, check=check)
    built, (name, given), numbers = attack_called(reference), parse_reference(reference), summarised(made, FAIR)
    return AttackScore(
        name,
        FAIR.written,
        len(made),
        params=attacks.spec(built).as_dict()["params"],
        given=given,
        eps=built.radius,
        norm=built.measured_in,
        targets="given" if isinstance(targets, Tensor) else targets,
        outcomes=ImageOutcomes.of(outcome_tensors(made, FAIR)),
        images=made.images,
        checked=check,
        alarms=alarms,
        warnings=list(warnings_in(notes).values()),
        draws=numbers.get("draws", 0),
        **{key: numbers[key] for key in NUMBERS},
    )


def _run(
    model: Model,
    images: Tensor,
    labels: Tensor,
    reference: str,
    targets: Policy | Tensor | None,
    seed: int,
    notes: Json,
    *,
    check: bool,
) -> tuple[Outcome, list[str]]:
    """Return what came of the attack, and the alarms if they are asked for; what it notes goes to ``notes``."""
    built, device, found = attack_called(reference), _device(model, images), OutcomeParts(notes)
    with Display() as display:
        show = display.follow(reference)
        ctx = Context(
            Seeds(seed).child("attack"),
            device,
            report=lambda share: show(share, found.fooled_so_far() if share else ""),
            notes=notes,
        )
        rules = Rules(keep_images=True)
        made = run_attack(built, model, images, labels, ctx=ctx, target=targets, rules=rules, seen=found.parts.append)
        if not check:
            return made, []
        ctx = Context(Seeds(seed).child("attack-check"), device, report=lambda share: show(share, "gradients"))
        eps, norm = built.radius or USUAL_EPS[built.measured_in], built.measured_in
        some, truth = images[:LOOKED_AT], labels[:LOOKED_AT]
        return made, alarms_of(measure(model, some, truth, eps=eps, norm=norm, ctx=ctx))


def _device(model: Model, images: Tensor) -> str:
    """Return where a model is; where that cannot be told, where the images are."""
    weight = next(model.parameters(), None) if isinstance(model, nn.Module) else None
    return str(images.device if weight is None else weight.device)
