"""The clock that leases are measured by: the database's own, which all of its workers share."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Double
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class Now(FunctionElement[float]):
    """The time of the database, in epoch seconds, when a statement is run."""

    type = Double()
    inherit_cache = True


@compiles(Now, "sqlite")
def _on_sqlite(element: Now, compiler: Any, **_: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"  # the Julian day of 1970-01-01T00:00Z; to the millisecond


@compiles(Now, "postgresql")
def _on_postgresql(element: Now, compiler: Any, **_: Any) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"
