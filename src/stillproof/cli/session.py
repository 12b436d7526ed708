"""Opens a session for a verb, with its plug-ins read and the live display attached."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.result_stream import results_apart

if TYPE_CHECKING:
    from stillproof.session import Session


@contextlib.contextmanager
def session(
    store: str | None,
    data: str | None,
    plugins: list[Path] | None = None,
    workers: int | None = 1,
    device: str | None = None,
) -> Iterator[Session]:
    """Yield a session; its store is opened when it is needed and closed afterwards."""
    from stillproof.cli.progress import Display
    from stillproof.session import Session

    watch = Display().watch
    with (
        results_apart(),
        Session(store, data, workers=workers, plugins=plugins or (), device=device, on_plan=watch) as opened,
    ):
        yield opened


@contextlib.contextmanager
def unmade_store(store: str | None) -> Iterator[str | None]:
    """Yield ``store`` or, if its file is not there, an empty one that is removed afterwards: asking makes no store."""
    from stillproof.store.location import locate, sqlite_file

    file = sqlite_file(locate(store))
    if file is None or file.exists():
        yield store
        return
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "empty.db")
