"""MAD's thirty attacks for people: what each is for each kind of images, and what for."""

from __future__ import annotations

from stillproof.core.mad_attacks import ATTACKS, IMAGES, MadAttack
from stillproof.core.mad_sets import SETS
from stillproof.report.attacked_set_table import role_of
from stillproof.report.tables.table import Column, Table, Value

MAD_SETS = SETS[:3]  # MAD's own
COLUMNS = (
    Column("name", "name"),
    Column("title", "what it is"),
    Column("reference", "for CIFAR-10"),
    *(Column(one.name, one.name.upper()) for one in MAD_SETS),
)
NOTE = (
    "Parameters are other ones for digits and for large images: `stillproof show mad/13` tells them. The last columns "
    "say what a defence does with an attack in MAD's sets: it is known, it helps to choose, it is unknown until the "
    "test, or it is left out."
)


def mad_table() -> Table:
    """Return one line per attack."""
    return Table("mad", "MAD's attacks", COLUMNS, [_line(one) for one in ATTACKS], (NOTE,))


def _line(one: MadAttack) -> dict[str, Value]:
    said: dict[str, Value] = {"name": one.name, "title": one.title, "reference": one.reference("cifar10")}
    return said | {a_set.name: role_of(one.name, a_set) for a_set in MAD_SETS}


def about_mad(one: MadAttack) -> dict[str, object]:
    """Return all that is known of one of them, as JSON values."""
    return {
        "name": one.name,
        "title": one.title,
        "library": one.library,
        "note": one.note,
        "references": {images: one.reference(images) for images in IMAGES},
        "roles": {a_set.name: role_of(one.name, a_set) for a_set in MAD_SETS},
        "left_out": {a_set.name: a_set.left_out[one.number] for a_set in MAD_SETS if one.number in a_set.left_out},
    }
