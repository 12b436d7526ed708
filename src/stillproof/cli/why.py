"""stillproof why: what a cell's name is made of, and how it differs from the nearest one."""

from __future__ import annotations

from typing import Annotated

import typer

from stillproof.cli.options import JsonOption, StoreOption
from stillproof.cli.output import write, write_json, write_table


def command(
    cell: Annotated[str, typer.Argument(help="Id of a cell (or the start of it), or name of a set or model.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a cell's name is made of.

    That is everything that it is a hash of, and how that differs from the most similar cell of its stage.
    """
    from stillproof.report.cell_names import explain_name, meaning
    from stillproof.store.read_store import read_store

    with read_store(store) as opened:
        found = explain_name(opened, cell)
    if as_json:
        write_json(found.as_dict())
        return
    record = found.record
    write(f"cell {record.id}\nstage {record.stage}, {record.status}; its name is a hash of:")
    rows = [(part, value, meaning(part)) for part, value in found.parts.items()]
    write_table(("part", "value", ""), rows)
    if record.origin is not None:
        write(f"its answer was not computed here: it was merged from {record.origin}")
    if found.rests_on:
        stores = ", ".join(dict.fromkeys(found.rests_on.values()))
        cells = ", ".join(cell[:12] for cell in found.rests_on)
        write(f"it rests on answers that were merged from {stores}: {cells}")
    if found.nearest is None:
        write(f"it is the only cell of stage {record.stage} in this store.")
        return
    write(f"nearest cell: {found.nearest}; they differ in:")
    write_table(("part", "here", "there"), [(d.part, d.here, d.there) for d in found.differences])
