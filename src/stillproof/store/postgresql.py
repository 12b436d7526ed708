"""All that only PostgreSQL needs: few connections, who writes when, and patience while its server is away."""

from __future__ import annotations

import logging
import time

from sqlalchemy import URL, Connection, Engine, create_engine, func, select
from sqlalchemy.exc import DBAPIError

from stillproof.core.errors import StoreError

DRIVER = "postgresql+psycopg"
DRIVERS = ("postgresql", DRIVER)  # as they may stand in a URL
# One for what a process does and one for the sign of life that it gives meanwhile: a server has about 100 for all.
CONNECTIONS = 2
# Unless the URL says otherwise. A server that was switched off says nothing: what it does not answer for so long fails.
SETTINGS: dict[str, str | int] = {
    "application_name": "stillproof",
    "connect_timeout": 10,  # seconds, as are the next two
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,  # milliseconds
}
WRITERS = int.from_bytes(b"still")  # the lock of all that write to the store; each database has its own
SAY_SECONDS = 5.0  # of waiting for the server, after which it is said
GIVE_UP_SECONDS = 600.0  # of waiting for it in vain
PAUSE_SECONDS = 0.5
# What a server says that is there, and takes nobody in for the moment.
BUSY = (
    "starting up",
    "shutting down",
    "recovery mode",
    "not yet accepting",
    "too many clients",
    "too many connections",
    "connection slots",
)
# What it would say again, however long one waits.
REFUSED = ("authentication failed", "no password supplied", "does not exist", "pg_hba.conf", "permission denied")
# Ended by the server, or by what lies between: the connection is gone, or the transaction was one of a deadlock.
CUT = ("57P01", "57P02", "57P03", "57P05", "40P01")

log = logging.getLogger("stillproof")


def make_engine(url: URL, shown: str) -> Engine:
    """Prepare to connect to the server that a URL names.

    Raises:
        StoreError: The extra that it takes is not installed.
    """
    settings = {name: value for name, value in SETTINGS.items() if name not in url.query}
    try:
        return create_engine(
            url.set(drivername=DRIVER),
            pool_size=CONNECTIONS,
            max_overflow=0,
            pool_pre_ping=True,
            connect_args=settings,
        )
    except ImportError as error:
        raise StoreError(
            f"store {shown} needs the driver of PostgreSQL: pip install 'stillproof[postgres]' brings it."
        ) from error


def for_reading(engine: Engine) -> Engine:
    """Return the same connections, for transactions that see one moment and cannot write."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def take_turn(connection: Connection, *, alone: bool) -> None:
    """Let a transaction write: ``alone``, as SQLite has it, or together with others that are not alone.

    Its statements see what was committed before each of them, so that nothing changes below one that is alone.
    """
    lock = func.pg_advisory_xact_lock if alone else func.pg_advisory_xact_lock_shared
    connection.execute(select(lock(WRITERS)))


def was_cut(error: DBAPIError) -> bool:
    """Say whether an error means that a transaction has ended with nobody knowing how, and may be tried again."""
    state = str(getattr(error.orig, "sqlstate", None) or "")
    return error.connection_invalidated or state in CUT or state.startswith("08")


def connect(engine: Engine, shown: str, *, known: bool, wait: bool) -> Connection:
    """Return a connection, however long its server is away.

    Args:
        engine: The connections.
        shown: The store, for people.
        known: Whether there was one before: then its server will come back, which otherwise may never have been.
        wait: Whether to wait at all.

    Raises:
        DBAPIError: Nobody answers, or nobody is let in.
    """
    began, said = time.monotonic(), False
    while True:
        try:
            return engine.connect()
        except DBAPIError as error:
            waited = time.monotonic() - began
            if not (wait and _may_pass(error, known)) or waited >= GIVE_UP_SECONDS:
                raise
        if not said and waited >= SAY_SECONDS:
            log.warning(
                "store %s does not answer: waiting for its server, for up to %.0f minutes.", shown, GIVE_UP_SECONDS / 60
            )
            said = True
        time.sleep(PAUSE_SECONDS)


def _may_pass(error: DBAPIError, known: bool) -> bool:
    message = str(error.orig)
    return any(sign in message for sign in BUSY) or (known and not any(sign in message for sign in REFUSED))
