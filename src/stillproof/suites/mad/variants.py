"""Meta-AT with other parts, in the words of people: step sizes, tricks, and any other parameter."""

from __future__ import annotations

from collections.abc import Mapping

# What leaves each trick of the paper's Table 5 out.
TRICKS: Mapping[str, str] = {
    "sar": "eta=0",
    "clip": "clip=0",
    "warmup": "warmup=0",
    "smoothing": "smoothing=0",
    "mixup": "mixup=0",
}


def changed(text: str) -> tuple[str, str]:
    """Return the part that a variant is of, and the parameters that it changes; of tricks, one alone stays, or none."""
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"variant {text!r} is not of the form parameter=value,parameter=value")
    if key != "tricks":
        return ("step sizes" if "lr" in key else key), text
    if value not in ("none", *TRICKS):
        raise ValueError(f"tricks={value} is none of none, {', '.join(TRICKS)}")
    return "tricks", ",".join(without for trick, without in TRICKS.items() if trick != value)


def named(changes: str) -> str:
    """Return parameters that were changed in short, where they are those of tricks."""
    return {changed(f"tricks={name}")[1]: f"tricks={name}" for name in ("none", *TRICKS)}.get(changes, changes)
