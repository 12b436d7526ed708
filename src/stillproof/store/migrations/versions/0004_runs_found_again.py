"""Runs have a hash of what they ask, a name and a note, so that they can be found again and merged with others."""

from __future__ import annotations

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NEW = ("hash", "asked", "name", "note", "verb")


def upgrade() -> None:
    op.add_column("runs", sa.Column("hash", sa.String(64)))
    op.add_column("runs", sa.Column("asked", sa.Double()))
    op.add_column("runs", sa.Column("name", sa.Text()))
    op.add_column("runs", sa.Column("note", sa.Text()))
    op.add_column("runs", sa.Column("verb", sa.String(16)))
    _fill()
    with op.batch_alter_table("runs") as batch:
        batch.alter_column("hash", existing_type=sa.String(64), nullable=False)
        batch.alter_column("asked", existing_type=sa.Double(), nullable=False)
        batch.alter_column("verb", existing_type=sa.String(16), nullable=False)
    op.create_index("ix_runs_hash", "runs", ["hash"], unique=True)
    op.create_index("ix_runs_name", "runs", ["name"], unique=True)


def _fill() -> None:
    """Give each run its hash; a command that was given again, which made another run before, is one run now."""
    names = ("id", "suite", "created", "config", "rows", "hash", "asked", "verb")
    runs = sa.table("runs", *(sa.column(name) for name in names))
    connection = op.get_bind()
    first: dict[str, int] = {}
    for row in connection.execute(sa.select(runs).order_by(runs.c.id)).all():
        asks = {"verb": "run", "suite": row.suite, "config": json.loads(row.config), "rows": json.loads(row.rows)}
        text = json.dumps(asks, sort_keys=True, separators=(",", ":"))
        name = hashlib.sha256(text.encode()).hexdigest()
        values = {"hash": name, "asked": row.created, "verb": "run"}
        if name in first:
            connection.execute(sa.delete(runs).where(runs.c.id == row.id))
            values = {"asked": row.created}
        connection.execute(sa.update(runs).where(runs.c.id == first.setdefault(name, row.id)).values(values))


def downgrade() -> None:
    op.drop_index("ix_runs_name", "runs")
    op.drop_index("ix_runs_hash", "runs")
    for column in NEW:
        op.drop_column("runs", column)
