"""Opens a session for a verb: plug-ins first, then the store, with the live display attached."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.plugins import import_entry_points, index_entry_points, load_plugins, read_plugin

if TYPE_CHECKING:
    from stillproof.session import Session


@contextlib.contextmanager
def session(
    store: str | None, data: str | None, plugins: list[Path] | None = None, workers: int = 1
) -> Iterator[Session]:
    """Yield a session; its store is closed afterwards."""
    from stillproof.cli.progress import Display
    from stillproof.session import Session

    index_entry_points()
    import_entry_points()
    found = [read_plugin(path) for path in plugins or []]
    load_plugins(found)
    loaded = [plugin for plugin in found if plugin.module in sys.modules]
    with Display() as display:
        opened = Session(store, data, workers=workers, plugins=loaded, on_plan=display.watch)
        with opened.store:
            yield opened
