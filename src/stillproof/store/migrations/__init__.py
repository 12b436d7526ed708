"""Schema migrations, run by alembic from inside the package."""
