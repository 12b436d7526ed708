"""stillproof doctor: what this machine has, and what Stillproof has to do without."""

from __future__ import annotations

import shutil
import sqlite3
import sysconfig
from pathlib import Path

from stillproof.cli.options import DataOption, JsonOption, StoreOption
from stillproof.cli.output import write_json, write_table
from stillproof.core.errors import StillproofError
from stillproof.core.plugins import import_entry_points, index_entry_points


def command(store: StoreOption = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Check packages, processor, compiler, data folder and store."""
    from stillproof.core.provenance import provenance
    from stillproof.data.load import data_root
    from stillproof.run.stage import default_device

    index_entry_points()
    import_entry_points()
    about = provenance()
    device = default_device()
    headers = Path(sysconfig.get_paths()["include"]) / "Python.h"
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    rows = [
        ("python", True, about["python"]),
        *((package, version != "not installed", version) for package, version in about["packages"].items()),
        ("SQLite", True, sqlite3.sqlite_version),
        ("processor", True, f"{about['processor']}, {about['cores']} cores"),
        ("device", True, device if device != "cpu" else "cpu (no GPU found)"),
        ("C++ compiler", bool(compiler), compiler or "none: training runs eager, about 1.6 times slower"),
        ("Python headers", headers.exists(), str(headers) if headers.exists() else "none: training runs eager"),
        ("data folder", data_root(data).is_dir(), str(data_root(data))),
        _store_row(store),
    ]
    if as_json:
        write_json([{"what": what, "ok": ok, "found": found} for what, ok, found in rows])
    else:
        write_table(("", "what", "found"), [("ok" if ok else "no", what, found) for what, ok, found in rows])


def _store_row(store: str | None) -> tuple[str, bool, str]:
    from stillproof.store.examine import damage_in, raise_if_damaged
    from stillproof.store.read_store import read_store

    try:
        with read_store(store) as opened:
            raise_if_damaged(damage_in(opened.database), opened.database)  # also of a large file
            if not opened.database.is_sqlite:
                return "store", True, f"{opened.shown}, {opened.database.server()}"
            older = ", of an older schema: `stillproof db upgrade`" if opened.database.copied_to else ""
            return "store", True, f"{opened.shown}, the quick check finds no damage{older}"
    except StillproofError as error:
        return "store", False, str(error)
