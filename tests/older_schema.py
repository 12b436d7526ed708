"""Gives stores the schemas of earlier versions."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from sqlalchemy import create_engine

from stillproof.store import migrate


def downgrade(file: Path, revision: str) -> None:
    """Give a store that is closed the schema of an earlier version."""
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        config = migrate._config()
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
    engine.dispose()
