"""Artifacts can be put into pools, groups that have a name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pool_members",
        sa.Column("pool", sa.Text(), nullable=False),
        sa.Column("artifact", sa.String(64), nullable=False),
        sa.Column("added", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("pool", "artifact", name="pk_pool_members"),
        sa.ForeignKeyConstraint(["artifact"], ["artifacts.id"], name="fk_pool_members_artifact"),
    )


def downgrade() -> None:
    op.drop_table("pool_members")
