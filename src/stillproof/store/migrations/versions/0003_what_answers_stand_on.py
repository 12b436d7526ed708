"""Cells say themselves which cells they read, and their answers which artifacts and cells they stand on."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

COLUMNS = ("needs", "artifacts", "derived_from")
CHUNK = 500  # cells


def upgrade() -> None:
    for column in COLUMNS:
        op.add_column("cells", sa.Column(column, sa.Text()))
    cells = sa.table("cells", *(sa.column(name) for name in ("id", "spec", "result", *COLUMNS)))
    connection = op.get_bind()
    last = ""
    while rows := connection.execute(
        sa.select(cells.c.id, cells.c.spec, cells.c.result).where(cells.c.id > last).order_by(cells.c.id).limit(CHUNK)
    ).all():
        for row in rows:
            known = _known(json.loads(row.spec), json.loads(row.result) if row.result else {})
            values = {column: json.dumps(found) for column, found in known.items()}
            connection.execute(sa.update(cells).where(cells.c.id == row.id).values(values))
        last = rows[-1].id


def _known(spec: dict[str, Any], result: dict[str, Any]) -> dict[str, list[str]]:
    """Return what earlier versions knew by the names of their stages."""
    train = [spec["train"]] if "train" in spec else []
    upstream = (spec.get("upstream") or {}).get("cell")
    models = result.get("models") or {}
    named = [result.get("artifact"), *models.values(), result.get("outcomes") if models else None]
    needs = [*train, upstream, spec.get("zca"), *(spec.get("experts") or [])]
    return {
        "needs": [cell for cell in needs if cell],
        "artifacts": [artifact for artifact in named if artifact],
        "derived_from": train,
    }


def downgrade() -> None:
    for column in COLUMNS:
        op.drop_column("cells", column)
