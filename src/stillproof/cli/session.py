"""Opens a session for a verb, with its plug-ins read and the live display attached."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from stillproof.core.errors import OnlyRead
from stillproof.core.result_stream import results_apart

if TYPE_CHECKING:
    from stillproof.session import Session

T = TypeVar("T")


@contextlib.contextmanager
def session(
    store: str | None,
    data: str | None,
    plugins: list[Path] | None = None,
    workers: int | None = 1,
    device: str | None = None,
    cell_limit: float | None = None,
    executor: str | None = None,
    reads: bool = False,
) -> Iterator[Session]:
    """Yield a session; its store is opened when it is needed and closed afterwards."""
    from stillproof.cli.progress import Display
    from stillproof.session import Session

    watch = Display().watch
    with (
        results_apart(),
        Session(
            store,
            data,
            workers=workers,
            plugins=plugins or (),
            device=device,
            on_plan=watch,
            cell_limit=cell_limit,
            executor=executor,
            reads=reads,
        ) as opened,
    ):
        yield opened


def read_first(
    ask: Callable[[Session], T],
    store: str | None,
    data: str | None,
    plugins: list[Path] | None = None,
    workers: int | None = 1,
    device: str | None = None,
    *,
    makes: bool = False,
) -> T:
    """Return what a session answers that only reads its store, or one that writes, if something has to be kept.

    With ``makes`` a store that is not there is made; otherwise that is an error.
    """
    try:
        if makes and not is_there(store):
            raise OnlyRead("there is nothing to read.")
        with session(store, data, plugins, workers, device, reads=True) as opened:
            return ask(opened)
    except OnlyRead:
        with session(store, data, plugins, workers, device) as opened:
            return ask(opened)


def is_there(store: str | None) -> bool:
    """Say whether the file of a store is there; of any other store, only opening it tells."""
    from stillproof.store.location import locate, sqlite_file

    file = sqlite_file(locate(store))
    return file is None or file.exists()


@contextlib.contextmanager
def unmade_store(store: str | None) -> Iterator[str | None]:
    """Yield ``store`` or, if its file is not there, an empty one that is removed afterwards: asking makes no store."""
    if is_there(store):
        yield store
        return
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "empty.db")
