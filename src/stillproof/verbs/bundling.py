"""Results of a session as files: of its own runs for others, and of others beside its own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from stillproof.core.errors import BadInput
from stillproof.core.shipped import shipped_results
from stillproof.report.make_bundle import make_bundle
from stillproof.report.runs import AnyRun, run_meant
from stillproof.store.bundles import Imported
from stillproof.store.error_sentences import disk_trouble
from stillproof.store.read_bundle import bundle_text, read_bundle
from stillproof.verbs.engine import Engine
from stillproof.verbs.right_images import right_images

if TYPE_CHECKING:
    from stillproof.store.bundle import Bundle


class Bundling(Engine):
    """Exports and imports results."""

    def export_results(self, run: AnyRun, out: Path | str | None = None, *, name: str | None = None) -> Bundle:
        """Return the results of a run as a bundle, and write it if ``out`` names a file.

        Args:
            run: The run: its number, name or hash.
            out: The file.
            name: Name of the results; by default that of the run.
        """
        found = run_meant(self.store, run)
        bundle = make_bundle(self.store, found, right_images(self.store, self.options, found.cells), name)
        if out is not None:
            with disk_trouble(Path(out)):
                Path(out).write_text(bundle_text(bundle), encoding="utf-8")
        return bundle

    def import_results(self, files: Path | str | Iterable[Path | str], *, replace: bool = False) -> list[Imported]:
        """Bring bundles of results into the store, all or none of them; they are shown, and never used by a run.

        Args:
            files: A file or several, or the names of results that come with Stillproof.
            replace: Whether other results of the same name make room.
        """
        given = [files] if isinstance(files, Path | str) else files
        bundles = [read_bundle(_file(str(one))) for one in given]
        names = [bundle.name for bundle in bundles]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise BadInput(f"two of the files have results called {twice!r}: name one of them.")
        return self.store.bundles.add(bundles, replace=replace)

    def bundles(self) -> list[Bundle]:
        """Return the imported results of the store, in the order in which they came."""
        return self.store.bundles.all()


def _file(text: str) -> Path:
    shipped = shipped_results()
    return shipped[text] if text in shipped and not Path(text).exists() else Path(text)
