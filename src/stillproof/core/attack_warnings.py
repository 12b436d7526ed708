"""What attacks have noted that people should know of their numbers."""

from __future__ import annotations

from collections.abc import Iterable

from stillproof.core.spec import Json

# Keys of the notes of an attack: one sentence, and several by name.
FEW_CLASSES, WARNINGS = "few_classes", "warnings"


def warnings_in(notes: Json) -> dict[str, str]:
    """Return the sentences, each by its name."""
    few: dict[str, str] = {FEW_CLASSES: notes[FEW_CLASSES]} if FEW_CLASSES in notes else {}
    return {**few, **notes.get(WARNINGS, {})}


def warning_notes(told: Iterable[tuple[str, Json]]) -> list[str]:
    """Return one line per attack and kind of warning, however many models it is about.

    Args:
        told: What an attack is called and what came of it, for each model.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for attack, result in told:
        for kind, said in warnings_in(result.get("notes", {})).items():
            found.setdefault((attack, kind), []).append(said)
    return [
        f"Warning about {attack}{f', on {len(said)} models, of the first' * (len(said) > 1)}: {said[0]}"
        for (attack, _), said in found.items()
    ]
