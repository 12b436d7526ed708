"""Which steps of a distillation are kept: a list of them, or every N-th."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillproof.cli.options import split_numbers
from stillproof.core.errors import BadInput

if TYPE_CHECKING:
    from stillproof.core.presets import Scale
    from stillproof.session import Session

EVERY = "every="


def snapshot_steps(text: str | None, opened: Session, dataset: str, method: str, scale: Scale, ipc: int) -> list[int]:
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
        raise BadInput(f"--snapshots {text!r} needs a method that goes in steps, and {method!r} does not.")
    return list(range(0, steps, int(spacing)))  # without the last, which is the result
