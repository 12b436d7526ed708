"""All that only SQLite needs: settings of a connection, locking, and file systems on which it cannot be trusted."""

from __future__ import annotations

import logging
import re
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError

from stillproof.core.errors import StoreError

BUSY_SECONDS = 30.0  # of waiting for a lock, after which it is said
TRY_SECONDS = 1.0  # of waiting inside SQLite, where Ctrl-C is not heard
TAKE_READ_LOCK = "PRAGMA schema_version"  # "BEGIN" alone takes none, and what follows would not wait
MOUNTS = Path("/proc/mounts")
# Several machines may hold these at once, and SQLite's shared memory and locks do not reach across machines.
NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs"})
NETWORK_BY_FUSE = frozenset({"sshfs", "ceph", "glusterfs", "s3fs", "rclone", "gcsfuse", "juicefs"})

log = logging.getLogger("stillproof")


def prepare(engine: Engine, shown: str, *, log_ahead: bool = True) -> None:
    """Make every connection of ``engine`` wait for locks, check foreign keys and begin as told; and log ahead."""

    def on_connect(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # transactions begin in on_begin, not where the driver guesses
        connection.execute(f"PRAGMA busy_timeout = {int(TRY_SECONDS * 1000)}")
        if log_ahead:
            # SQLite does not wait for a lock here.
            patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"), shown)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")

    def on_begin(connection: Connection) -> None:
        # A transaction that reads first and then wants to write can deadlock; one that locks at once cannot.
        if connection.get_execution_options().get("writes", False):
            patiently(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"), shown)
        else:
            connection.exec_driver_sql("BEGIN")
            patiently(lambda: connection.exec_driver_sql(TAKE_READ_LOCK), shown)

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", on_begin)


def patiently(take: Callable[[], object], shown: str) -> None:
    """Do what takes a lock on the store that is shown as ``shown``, however long another process has it."""
    began, said = time.monotonic(), False
    while True:
        try:
            take()
            return
        except (sqlite3.OperationalError, OperationalError) as error:
            if "locked" not in str(error):
                raise
        if not said and time.monotonic() - began >= BUSY_SECONDS:
            log.warning(
                "store %s has been locked by another process for %.0f s: waiting until that one writes or ends.",
                shown,
                time.monotonic() - began,
            )
            said = True
        time.sleep(0.01)


def refuse_network(path: Path) -> None:
    """Raise ``StoreError`` if ``path`` lies on a network file system."""
    kind = file_system(path)
    if kind in NETWORK or kind.removeprefix("fuse.") in NETWORK_BY_FUSE:
        raise StoreError(
            f"store {path} lies on a network file system ({kind}), where SQLite loses data: "
            "use a local folder (of each machine, for a `run` with --shard), or a PostgreSQL URL with --store."
        )


def file_system(path: Path) -> str:
    """Return the kind of file system that ``path`` lies on, or an empty string where that is not known."""
    if not MOUNTS.exists():
        return ""
    path = path.resolve()
    kind, longest = "", -1
    for line in MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        _, folder, this_kind = line.split()[:3]
        mount = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), folder))
        depth = len(mount.parts)
        if depth >= longest and path.is_relative_to(mount):  # of equals the later mount hides the earlier
            kind, longest = this_kind, depth
    return kind
