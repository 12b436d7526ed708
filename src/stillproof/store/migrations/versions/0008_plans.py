"""What workers need to know is in the store: plans, which cells wait for which, plug-ins by value, and who works."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TOGETHER = 1000  # rows


def upgrade() -> None:
    op.add_column("cells", sa.Column("kind", sa.String(64)))
    op.add_column("cells", sa.Column("alone", sa.Integer()))
    op.add_column("cells", sa.Column("machine", sa.Text()))
    needs = op.create_table(
        "cell_needs",
        sa.Column("cell", sa.String(64), sa.ForeignKey("cells.id", ondelete="CASCADE"), nullable=False),
        sa.Column("need", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("cell", "need", name="pk_cell_needs"),
    )
    _fill(needs)
    op.create_table(
        "plans",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("run", sa.Integer(), sa.ForeignKey("runs.id", ondelete="CASCADE")),
        sa.Column("question", sa.Text()),
        sa.Column("plugins", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("open", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text()),
        sa.Column("lease_until", sa.Double()),
        sa.Column("trouble", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_plans"),
    )
    op.create_index("ix_plans_key", "plans", ["key"], unique=True)
    op.create_index("ix_plans_run", "plans", ["run"])
    op.create_table(
        "plan_cells",
        sa.Column("plan", sa.Integer(), sa.ForeignKey("plans.id", ondelete="CASCADE"), nullable=False),
        sa.Column("cell", sa.String(64), sa.ForeignKey("cells.id", ondelete="CASCADE"), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("plan", "cell", name="pk_plan_cells"),
    )
    op.create_index("ix_plan_cells_cell", "plan_cells", ["cell"])
    op.create_index("ix_plan_cells_plan_place", "plan_cells", ["plan", "place"])
    op.create_table(
        "plugins",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_plugins"),
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("node", sa.Text(), nullable=False),
        sa.Column("job", sa.Text()),
        sa.Column("plan", sa.Integer()),
        sa.Column("started", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double()),
        sa.PrimaryKeyConstraint("name", name="pk_workers"),
    )


def _fill(needs: sa.Table) -> None:
    """Enter what the cells of an older store wait for, which they have as JSON."""
    cells = sa.table("cells", sa.column("id"), sa.column("needs"))
    found = op.get_bind().execute(sa.select(cells.c.id, cells.c.needs).where(cells.c.needs.is_not(None)))
    rows = [{"cell": row.id, "need": need} for row in found for need in dict.fromkeys(_needs(row.needs))]
    for start in range(0, len(rows), TOGETHER):
        op.bulk_insert(needs, rows[start : start + TOGETHER])


def _needs(text: str) -> list[str]:
    """Return the ids in a list as JSON; none of a damaged one, which planning the run again mends."""
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return [need for need in found if isinstance(need, str)] if isinstance(found, list) else []


def downgrade() -> None:
    for table in ("workers", "plugins", "plan_cells", "plans", "cell_needs"):
        op.drop_table(table)
    for column in ("machine", "alone", "kind"):
        op.drop_column("cells", column)
