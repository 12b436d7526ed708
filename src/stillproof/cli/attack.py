"""stillproof attack: how much of a model's accuracy do attacks leave?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand

from stillproof.cli.options import (
    DataOption,
    JsonOption,
    PluginOption,
    StoreOption,
    WorkersOption,
    one_of,
    split_list,
    with_params,
)
from stillproof.cli.output import say, write_json
from stillproof.cli.session import session
from stillproof.cli.table import print_text
from stillproof.core.errors import BadInput
from stillproof.core.number_text import number_of

if TYPE_CHECKING:
    from stillproof.attack.base.norms import Norm
    from stillproof.attack.base.targets import Policy
    from stillproof.core.protocol import Protocol

NORMS: tuple[Norm, ...] = ("Linf", "L2", "L1")
POLICIES: tuple[Policy, ...] = ("next", "random", "least-likely")
PROTOCOLS: tuple[Protocol, ...] = ("fair", "faithful")
TARGETED = "--targeted"


class OptionalPolicy(TyperCommand):
    """A command whose ``--targeted`` may stand without a policy, which is then the next class."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Say the policy where it was left out."""
        spelled = []
        for place, word in enumerate(args):
            bare = word == TARGETED and (place + 1 == len(args) or args[place + 1] not in POLICIES)
            spelled.append(f"{TARGETED}={POLICIES[0]}" if bare else word)
        return super().parse_args(ctx, spelled)


def command(
    model: Annotated[str, typer.Argument(help="Model: id, prefix, name or folder; or somebody's checkpoint.")],
    dataset: Annotated[str, typer.Option("--dataset", help="Data set that it was trained for.")],
    attack: Annotated[str, typer.Option("--attack", help="One or more attacks, comma-separated: fgsm,pgd:steps=20.")],
    eps: Annotated[
        str | None, typer.Option("--eps", help="Radius of the ball in pixels of [0, 1]: a number, or 8/255.")
    ] = None,
    norm: Annotated[str | None, typer.Option("--norm", help="Norm of the ball: Linf, L2 or L1.")] = None,
    targeted: Annotated[
        str | None,
        typer.Option(
            TARGETED, metavar="[POLICY]", help="Aim at a class: next (if nothing is said), random or least-likely."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Parameter of the attacks as key=value; may be repeated.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Only the first N test images. [default: all]")] = None,
    protocol: Annotated[
        str, typer.Option("--protocol", help="fair: pixels are attacked; faithful: normalised images, as in BEARD.")
    ] = "fair",
    check: Annotated[bool, typer.Option("--check", help="Look for signs of gradient masking.")] = False,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Copy the changed images, with a picture, to this folder.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of what attacks draw.")] = 0,
    network: Annotated[
        str | None, typer.Option("--network", help="Network of a checkpoint, where its weights do not tell it.")
    ] = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Attack a model on test images, and say how much of its accuracy is left."""
    names = [with_params(name, settings) for name in split_list(attack) or []]
    radius = None if eps is None else eps_of(eps)
    chosen_norm = None if norm is None else one_of("norm", norm, NORMS)
    policy = None if targeted is None else one_of("policy of targets", targeted, POLICIES)
    chosen = one_of("protocol", protocol, PROTOCOLS)
    with session(store, data, plugin, workers) as opened:
        score = opened.attack(
            model,
            dataset,
            names,
            eps=radius,
            norm=chosen_norm,
            targets=policy,
            limit=limit,
            protocol=chosen,
            seed=seed,
            check=check,
            keep=keep,
            network=network or "",
        )
    if as_json:
        write_json(score.as_dict())
        return
    print_text([score.table()], score.model)
    for one in score.attacks or (score,):
        if one.examples is not None:
            say(f"changed images of {one.attack}: {one.examples}")


def eps_of(text: str) -> float:
    """Return the radius that a text means."""
    value = number_of(text)
    if value is None:
        raise BadInput(f"--eps {text!r} is no number: write one, or a fraction such as 8/255.")
    return value
