"""What to cite: Stillproof, and the papers behind the components of a run, as BibTeX."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from stillproof.core.components import REGISTRIES, datasets, recipes, suites
from stillproof.core.index import Entry
from stillproof.core.spec import Json
from stillproof.report.identities import identities
from stillproof.store.records import Run
from stillproof.store.store import Store

OWN = "stillproof"


@dataclass(frozen=True, slots=True)
class Citation:
    """A paper, what stands for it in a run, and its BibTeX entry, which is empty if none is known."""

    paper: str
    names: tuple[str, ...]
    bibtex: str

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return {"paper": self.paper, "names": list(self.names), "bibtex": self.bibtex}


def own_citation() -> Citation:
    """Return how Stillproof itself is cited."""
    fields = {
        "title": "{Stillproof}: proof for distilled datasets",
        "author": "{The Stillproof authors}",
        "version": version("stillproof"),
    }
    lines = "".join(f"  {key} = {{{value}}},\n" for key, value in fields.items())
    return Citation(OWN, (OWN,), f"@software{{{OWN},\n{lines}}}\n")


def citations_of(store: Store, run: Run) -> list[Citation]:
    """Return Stillproof, and what the components of a run, or of a single call, cite, each paper once."""
    papers: dict[str, list[str]] = {}
    for kind, name in sorted(_components(store, run)):
        for paper in papers_of(REGISTRIES[kind].find(name)):
            papers.setdefault(paper, []).append(name)
    known = bibliography()
    return [own_citation(), *(Citation(paper, tuple(names), known.get(paper, "")) for paper, names in papers.items())]


def papers_of(entry: Entry | None) -> list[str]:
    """Return the papers that a component names; none of what is no component."""
    return re.split(r", (?=arXiv:)", entry.paper) if entry and entry.paper else []


@functools.cache
def bibliography() -> dict[str, str]:
    """Return the BibTeX entry of each paper that a component names."""
    text = files("stillproof.report").joinpath("papers.bib").read_text(encoding="utf-8")
    parts = [part.removeprefix("% ").partition("\n") for part in text.split("\n\n")[1:]]
    return {paper: f"{entry.strip()}\n" for paper, _, entry in parts}


def _components(store: Store, run: Run) -> set[tuple[str, str]]:
    """Return kind and name of all components that stand behind the cells of a run."""
    found = {(suites.plural, run.suite)} if run.suite else set()
    for row in run.rows:
        found |= {(datasets.plural, _head(row.get("dataset"))), (recipes.plural, _head(row.get("recipe")))}
    for question in store.results.behind(run.cells).values():
        found |= {(kind, identity["name"]) for kind, identity in identities(question.spec)}
    return found


def _head(reference: Any) -> str:
    return str(reference or "").partition(":")[0]


def as_bibtex(found: Iterable[Citation]) -> str:
    """Return the entries, each after a comment that says what stands for it; what is not known has the comment only."""
    return "\n".join(f"% {', '.join(one.names)}\n{one.bibtex or f'% {one.paper}: no entry is known'}" for one in found)
