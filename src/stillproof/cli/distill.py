"""stillproof distill: make one distilled set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.options import (
    DataOption,
    DeviceOption,
    JsonOption,
    NetworkOption,
    OutOption,
    PluginOption,
    SetOption,
    StoreOption,
    one_of,
    split_numbers,
    with_params,
)
from stillproof.cli.output import say, write, write_json
from stillproof.cli.pool import PoolOption, check_pool, put_into
from stillproof.cli.session import session
from stillproof.core.errors import BadInput
from stillproof.core.presets import SCALES, Scale
from stillproof.suites.requests import Part

if TYPE_CHECKING:
    from stillproof.session import Session

PARTS: tuple[Part, ...] = ("train", "fit")
EVERY = "every="  # before the spacing of snapshots


def command(
    dataset: Annotated[str, typer.Argument(help="Data set, or a folder with images in train/CLASS/ and test/CLASS/.")],
    method: Annotated[str, typer.Argument(help="Distiller.")],
    ipc: Annotated[int, typer.Option("--ipc", help="Images per class.")],
    seed: Annotated[int, typer.Option("--seed", help="Seed.")] = 0,
    settings: SetOption = None,
    network: NetworkOption = "home",
    scale: Annotated[str, typer.Option("--scale", help="Preset: smoke, quick or paper.")] = "paper",
    snapshots: Annotated[
        str | None, typer.Option("--snapshots", help="Also keep the set after these steps: 0,50,200 or every=50.")
    ] = None,
    part: Annotated[
        str, typer.Option("--part", help="Training images to use: train (all), or fit (without the held-out tenth).")
    ] = "train",
    out: OutOption = None,
    pool: PoolOption = None,
    store: StoreOption = None,
    data: DataOption = None,
    plugin: PluginOption = None,
    device: DeviceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Distil a data set; a stopped run resumes where it was."""
    checked = one_of("scale", scale, SCALES)
    check_pool(pool)
    with session(store, data, plugin, device=device) as opened:
        from stillproof.image_finder import export_set

        reference = with_params(method, settings)
        made = opened.distill(
            dataset,
            reference,
            ipc,
            seed=seed,
            network=network,
            scale=checked,
            part=one_of("part", part, PARTS),
            snapshots=_snapshot_steps(snapshots, opened, dataset, reference, checked, ipc),
        )
        put_into(opened, pool, [made.artifact])
        path = made.path
        if out is not None:
            export_set(opened.store, made.artifact, out)
            path = out
    result = {
        "artifact": made.artifact,
        "name": made.name,
        "path": str(path),
        "cell": made.cell,
        "cached": made.cached,
        "images": made.result["images"],
        "bytes": made.result["bytes"],
        "weight": made.weight.as_dict(),
        "seconds": made.result["seconds"],
        "snapshots": {str(step): artifact for step, artifact in made.snapshots.items()},
    }
    retreats = made.result["notes"].get("retreats", [])
    if retreats:
        first = retreats[0]
        reason = f"{first['problem']} in step {first['step'] + 1}"
        say(f"note: it diverged in {len(retreats)} of its steps and halved the step size each time; first: {reason}.")
    if as_json:
        write_json(result)
        return
    write(f"{made.name}: {result['images']} images, {made.weight}")
    how = "already in the store" if made.cached else f"made in {made.result['seconds']:.1f} s"
    write(f"{how}; artifact {made.artifact}")
    write(f"{path}")
    write(f"next: stillproof train {made.name}")


def _snapshot_steps(text: str | None, opened: Session, dataset: str, method: str, scale: Scale, ipc: int) -> list[int]:
    """Return the steps that ``text`` means: ``0,50,200`` as they stand, or ``every=50`` up to the method's last."""
    if text is None or not text.startswith(EVERY):
        return split_numbers(text, "--snapshots") or []
    from stillproof.data.load import source
    from stillproof.run.resolve import Resolver

    spacing = text.removeprefix(EVERY)
    if not spacing.isdecimal() or int(spacing) == 0:
        raise BadInput(f"--snapshots {text!r} is not of the form every=N with a positive whole number N.")
    built, _ = Resolver(opened.root).method(method, scale, source(dataset).info.name, ipc)
    steps = getattr(built, "steps", None)
    if not isinstance(steps, int):
        raise BadInput(f"--snapshots {text!r} needs a method that works in steps, which {method!r} does not.")
    return list(range(0, steps, int(spacing)))  # without the last, which is the result
