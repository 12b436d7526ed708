"""All that only SQLite needs: settings of a connection, locking, and file systems on which it cannot be trusted."""

from __future__ import annotations

import re
import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from stillproof.core.errors import StoreError

BUSY_SECONDS = 30.0
MOUNTS = Path("/proc/mounts")
# Several machines may hold these at once, and SQLite's shared memory and locks do not reach across machines.
NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs"})
NETWORK_BY_FUSE = frozenset({"sshfs", "ceph", "glusterfs", "s3fs", "rclone", "gcsfuse", "juicefs"})


def prepare(engine: Engine) -> None:
    """Make every connection of ``engine`` wait for locks, log ahead, check foreign keys and begin as told."""
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)


def _on_connect(connection: sqlite3.Connection, _: Any) -> None:
    connection.isolation_level = None  # transactions begin in _on_begin, not where the driver guesses
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
    _log_ahead(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log; SQLite does not wait for a lock here, so this does."""
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def _on_begin(connection: Connection) -> None:
    # A transaction that reads first and then wants to write can deadlock; one that locks at once cannot.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def refuse_network(path: Path) -> None:
    """Raise ``StoreError`` if ``path`` lies on a network file system."""
    kind = file_system(path)
    if kind in NETWORK or kind.removeprefix("fuse.") in NETWORK_BY_FUSE:
        raise StoreError(
            f"store {path} lies on a network file system ({kind}), where SQLite loses data: "
            "use a local folder, or a PostgreSQL URL with --store."
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
