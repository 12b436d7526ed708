"""Where a store is: its URL, and the folder of its artifacts."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from stillproof.core.errors import BadInput
from stillproof.store.postgresql import DRIVERS

VARIABLE = "STILLPROOF_STORE"
ARTIFACTS_VARIABLE = "STILLPROOF_ARTIFACTS"
DEFAULT = "sqlite:///stillproof.db"


def locate(text: str | None) -> URL:
    """Return the URL that ``text`` means: a URL, a plain path, or what the environment says.

    The path of a SQLite file becomes absolute, so that a worker in another folder finds it too.
    """
    text = text or os.environ.get(VARIABLE) or DEFAULT
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).absolute()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise BadInput(f"store {_without_password(text)!r} is not a URL such as {DEFAULT}.") from error
    backend = url.get_backend_name()
    if backend not in ("sqlite", "postgresql"):
        raise BadInput(f"store {shown(url)!r}: {backend!r} is not supported; use sqlite or postgresql.")
    if backend != "sqlite":
        if url.drivername not in DRIVERS:
            raise BadInput(f"store {shown(url)!r}: {url.drivername!r} is not supported; write postgresql://.")
        return url
    if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
        raise BadInput(
            f"store {_without_password(text)!r} names no file, and every worker must open it: write one such as "
            f"{DEFAULT}."
        )
    return url.set(database=str(Path(url.database).absolute()))


def shown(url: URL) -> str:
    """Return ``url`` as it may be printed: a SQLite file by its path, anything else without its password."""
    file = sqlite_file(url)
    if file is not None:
        return str(file)
    # The rest of a password with an @ that is not written as %40 is taken for the beginning of the host.
    host = (url.host or "").rpartition("@")[2]
    secret = [key for key in url.query if "pass" in key.lower() or "secret" in key.lower()]
    return url.set(host=host).difference_update_query(secret).render_as_string(hide_password=True)


def _without_password(text: str) -> str:
    """Return what may be printed of a text that is no URL, but was meant to be one."""
    return re.sub(r"//.*@", "//***@", text.partition("?")[0])


def sqlite_file(url: URL) -> Path | None:
    """Return the file of a SQLite store, and nothing for any other."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def artifacts_root(url: URL) -> Path:
    """Return the folder of a store's artifacts: $STILLPROOF_ARTIFACTS, else the one beside a SQLite file."""
    named = os.environ.get(ARTIFACTS_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    beside = folder_beside(url)
    if beside is None:
        raise BadInput(
            f"store {shown(url)} has no folder beside it: name one for its artifacts with {ARTIFACTS_VARIABLE}."
        )
    return beside


def folder_beside(url: URL) -> Path | None:
    """Return the folder of artifacts that belongs to a SQLite file, and nothing for any other store."""
    file = sqlite_file(url)
    return None if file is None else file.with_name(f"{file.stem}-artifacts")
