"""Artifacts know the size of their file of tensors, so that a file that was cut short shows without reading it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("artifacts", sa.Column("tensors_bytes", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("artifacts", "tensors_bytes")
