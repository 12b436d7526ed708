"""What alembic runs: the migrations, on the connection and in the transaction that it is handed."""

from __future__ import annotations

from alembic import context

from stillproof.store.schema import metadata

# Batch mode: SQLite can alter a table only by copying it.
context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
