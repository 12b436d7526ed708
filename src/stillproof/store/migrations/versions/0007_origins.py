"""An answer that was merged from another store says which store it came from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("cells", sa.Column("origin", sa.Text()))


def downgrade() -> None:
    op.drop_column("cells", "origin")
