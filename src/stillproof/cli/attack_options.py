"""Options of the verbs that attack models, and how their texts become values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

import typer
from typer.core import TyperCommand

from stillproof.cli.options import one_of
from stillproof.core.errors import BadInput
from stillproof.core.number_text import number_of

if TYPE_CHECKING:
    from stillproof.attack.base.norms import Norm
    from stillproof.attack.base.targets import Policy

NORMS: tuple[Norm, ...] = ("Linf", "L2", "L1")
POLICIES: tuple[Policy, ...] = ("next", "random", "least-likely")
TARGETED = "--targeted"

AttackOption = Annotated[str, typer.Option("--attack", help="One or more attacks, comma-separated: fgsm,pgd:steps=20.")]
EpsOption = Annotated[
    str | None, typer.Option("--eps", help="Radius of the ball in pixels of [0, 1]: a number, or 8/255.")
]
NormOption = Annotated[str | None, typer.Option("--norm", help="Norm of the ball: Linf, L2 or L1.")]
TargetedOption = Annotated[
    str | None,
    typer.Option(TARGETED, metavar="[POLICY]", help="Aim at a class: next (the default), random or least-likely."),
]
LimitOption = Annotated[int | None, typer.Option("--limit", help="Attack only the first N test images. [default: all]")]
ProtocolOption = Annotated[
    str,
    typer.Option(
        "--protocol", help="fair: pixels are attacked; faithful or faithful:beard: normalised images, as in BEARD."
    ),
]
CheckOption = Annotated[bool, typer.Option("--check", help="Look for signs of gradient masking, too.")]
DrawsOption = Annotated[int, typer.Option("--seed", help="Seed of the attacks' random draws.")]
CheckpointNetworkOption = Annotated[
    str | None, typer.Option("--network", help="Network of a checkpoint, where it cannot be told from the weights.")
]


class OptionalPolicy(TyperCommand):
    """A command whose ``--targeted`` may stand without a policy, which is then the next class."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Say the policy where it was left out."""
        spelled = []
        for place, word in enumerate(args):
            bare = word == TARGETED and (place + 1 == len(args) or args[place + 1] not in POLICIES)
            spelled.append(f"{TARGETED}={POLICIES[0]}" if bare else word)
        return super().parse_args(ctx, spelled)


class Limits(TypedDict):
    """What limits attacks and says what they aim at, as a session takes it."""

    eps: float | None
    norm: Norm | None
    targets: Policy | None
    protocol: str


def limits_of(eps: str | None, norm: str | None, targeted: str | None, protocol: str) -> Limits:
    """Return what the texts of these options mean."""
    return {
        "eps": eps_of(eps),
        "norm": None if norm is None else one_of("norm", norm, NORMS),
        "targets": None if targeted is None else one_of("policy of targets", targeted, POLICIES),
        "protocol": protocol,
    }


def eps_of(text: str | None) -> float | None:
    """Return the radius that a text means; none without a text."""
    value = None if text is None else number_of(text)
    if text is not None and value is None:
        raise BadInput(f"--eps {text!r} is not a number: write one, or a fraction such as 8/255.")
    return value
