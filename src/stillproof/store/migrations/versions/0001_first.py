"""The first schema: cells, artifacts, runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cells",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("where", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("owner", sa.Text()),
        sa.Column("lease_until", sa.Double()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("progress", sa.Double(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("started", sa.Double()),
        sa.Column("finished", sa.Double()),
        sa.Column("seconds", sa.Double()),
        sa.Column("result", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("provenance", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_cells"),
    )
    op.create_index("ix_cells_status_lease_until", "cells", ["status", "lease_until"])
    op.create_table(
        "artifacts",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("name", sa.Text()),
        sa.Column("cell", sa.String(64)),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_artifacts"),
        sa.UniqueConstraint("name", name="uq_artifacts_name"),
        sa.ForeignKeyConstraint(["cell"], ["cells.id"], name="fk_artifacts_cell"),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("suite", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("rows", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_suite", "runs", ["suite"])


def downgrade() -> None:
    op.drop_table("runs")
    op.drop_table("artifacts")
    op.drop_table("cells")
