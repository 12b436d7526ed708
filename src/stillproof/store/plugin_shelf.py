"""Plug-ins by value: what a run was planned with, for workers that do not see the files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from stillproof.core.errors import StoreError
from stillproof.core.plugin_file import Helper, Plugin
from stillproof.store.database import Database, harmless_twice
from stillproof.store.schema import plugins
from stillproof.store.strict_json import from_text, to_text


class PluginShelf:
    """The plug-ins of one store, by the hash of their content."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @harmless_twice
    def put(self, new: Sequence[Plugin]) -> list[str]:
        """Keep plug-ins and return their hashes."""
        rows = [
            {"hash": plugin.hash, "name": plugin.name, "content": to_text(_content(plugin), "a plug-in")}
            for plugin in new
        ]
        if rows:
            with self._database.write() as connection:
                self._database.insert_new(connection, plugins, rows)
        return [plugin.hash for plugin in new]

    @harmless_twice
    def names(self, hashes: Sequence[str]) -> dict[str, str]:
        """Return the file names of those plug-ins that are there, by hash."""
        with self._database.read() as connection:
            rows = connection.execute(select(plugins.c.hash, plugins.c.name).where(plugins.c.hash.in_(hashes)))
            return {row.hash: row.name for row in rows}

    @harmless_twice
    def get(self, name: str) -> Plugin:
        """Return a plug-in by its hash.

        Raises:
            StoreError: It is not there, or is not what its hash says.
        """
        with self._database.read() as connection:
            row = connection.execute(select(plugins).where(plugins.c.hash == name)).one_or_none()
        if row is None:
            raise StoreError(f"plug-in {name[:12]} is not in store {self._database.shown}: plan the run again.")
        found = _plugin(from_text(row.content, dict))
        if found is None or found.hash != name:
            raise StoreError(
                f"plug-in {row.name} of store {self._database.shown} is not what its hash says ({name[:12]}): it was "
                "changed, and is not run; plan the run again."
            )
        return found


def _content(plugin: Plugin) -> dict[str, object]:
    helpers = [[one.name, one.source, one.is_package, one.path] for one in plugin.helpers]
    return {"name": plugin.name, "source": plugin.source, "path": plugin.path, "helpers": helpers}


def _plugin(content: dict[str, Any]) -> Plugin | None:
    """Return a plug-in as it was kept; nothing if that has another form by now."""
    try:
        helpers = tuple(
            Helper(str(name), str(source), bool(is_package), str(path))
            for name, source, is_package, path in content["helpers"]
        )
        name, source, path = (str(content[key]) for key in ("name", "source", "path"))
        return Plugin(name, source, path, helpers)
    except (KeyError, TypeError, ValueError):
        return None
