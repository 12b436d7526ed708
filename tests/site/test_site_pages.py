from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from stillproof.core.errors import BadInput
from stillproof.session import Session
from stillproof.site.slugs import slug
from stillproof.site.writing import MARK, write_site
from strange_names import STRANGE, import_strange

RUN = {
    "scale": "smoke",
    "network": "convnet:depth=1:width=4",
    "methods": ["random", "dm:steps=2"],
    "ipc": [1],
    "seeds": 2,
    "suites": [
        "accuracy:full_recipe=none",
        "dd-ranking:sections=labels,augmentation:budget=1",
        "beard:sections=curves,scores:limit=20:full_recipe=none:timed=0:attacks=fgsm,pgd(steps=2)",
    ],
}
VOID = {"meta", "link", "input", "img", "br", "hr"}


class Nested(HTMLParser):
    """Checks that tags close in order, and keeps what pages refer to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [str(given[name]) for name in ("href", "src") if name in given]
        self.ids += [str(given["id"])] if "id" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def cells_in(folder: Path, shard: str) -> Any:
    """Return what the cell page reads of the cells whose ids begin like that."""
    (packed,) = re.findall(r'= "(.*)";', (folder / f"cells-{shard}.js").read_text())
    return json.loads(zlib.decompress(base64.b64decode(packed)))["cells"]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(str(tmp_path_factory.mktemp("site") / "results.db")) as opened:
        assert set(opened.run_suite("report-card", RUN, name="<script>alert('x')</script>").values()) == {"done"}
        import_strange(opened, tmp_path_factory.mktemp("strange"), "dm:steps=2")
        yield opened


@pytest.fixture(scope="module")
def folder(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "site"
    assert session.site(out) == out / "index.html"
    return out


def test_every_page_is_whole_and_every_link_leads_to_a_file_of_the_site(folder: Path) -> None:
    pages = {path.name: Nested(path.read_text()) for path in folder.glob("*.html")}
    assert {"index.html", "findings.html", "metrics.html", "method-random.html"} <= pages.keys()
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        for link in page.links:
            target, _, anchor = link.partition("#")
            assert ":" not in target and (folder / (target or name)).is_file(), (name, link)
            if target == "cell.html":
                assert anchor in cells_in(folder, anchor[:2]), link
            else:
                assert not anchor or anchor in pages[target or name].ids, (name, link)


def test_numbers_are_those_of_the_card(session: Session, folder: Path) -> None:
    (card,) = session.card("random")
    page = (folder / "method-random.html").read_text()
    board = (folder / next(path.name for path in folder.glob("board-*.html"))).read_text()
    for one in card.sides:
        mean = card.shown().rows[[side.side.title for side in card.sides].index(one.side.title)][1]
        assert mean in page and f">{mean.partition(' (')[0]}<" in board


def test_names_are_text_and_never_markup(folder: Path) -> None:
    for path in folder.glob("*.html"):
        assert "<script>alert" not in path.read_text()
    boards = "".join(path.read_text() for path in folder.glob("board-*.html"))
    assert str(escape(STRANGE)) in boards and "<script>alert" not in boards


def test_every_leaderboard_of_a_suite_is_listed_at_the_top_of_its_page(folder: Path) -> None:
    page = (folder / "suite-beard-1.html").read_text()
    contents = page.partition('<nav class="contents"')[2].partition("</nav>")[0]
    assert "Leaderboard of digits, 1 image per class</a>" in contents
    assert len(re.findall('href="#', contents)) >= page.count("<table>")


def test_the_data_of_the_script_are_json_that_no_tag_ends(folder: Path) -> None:
    (path,) = folder.glob("data-*.js")
    text = path.read_text()
    assert "<" not in text
    boards = json.loads(re.fullmatch(r"\(window\.stillproof \?\?= \{\}\)\[\"digits\"\] = (.*);\n", text)[1])  # type: ignore[index]
    (board,) = boards.values()
    lrs = board["sides"]["LRS"]
    assert lrs["weighs"] == "convexly" and len(lrs["values"]) == len(board["methods"]) == len(lrs["parts"])


def test_scores_of_the_script_at_the_usual_weight_are_those_of_the_page(folder: Path) -> None:
    """What site.js computes: the mean over seeds of the convex scale of the weighted parts."""
    import math

    (path,) = folder.glob("data-*.js")
    (board,) = json.loads(path.read_text().partition(" = ")[2].rstrip(";\n")).values()
    for side in board["sides"].values():
        for value, parts in zip(side["values"], side["parts"], strict=False):
            if value is None or parts is None:
                continue
            mixed = [(one + other) / 2 for one, other in zip(*parts, strict=True) if None not in (one, other)]
            if side["weighs"] == "convexly":
                mixed = [(math.exp(x) - math.exp(-1)) / (math.e - math.exp(-1)) for x in mixed]
            assert sum(mixed) / len(mixed) == pytest.approx(value, abs=1e-4)


def test_a_folder_with_other_files_is_never_overwritten_unasked(session: Session, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(BadInput, match="holds other files: name a new folder, or add --force"):
        session.site(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "mine"
    again = tmp_path / "site"
    for _ in range(2):
        session.site(again)
    assert (again / MARK).is_file() and not (again / "thesis.tex").exists()


def test_a_site_that_cannot_be_finished_leaves_the_one_before(tmp_path: Path) -> None:
    out = tmp_path / "site"
    write_site(out, [("index.html", "first")])

    def broken() -> Iterator[tuple[str, str]]:
        yield "index.html", "second"
        raise RuntimeError("it went off")

    with pytest.raises(RuntimeError):
        write_site(out, broken())
    assert (out / "index.html").read_text() == "first" and [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_store_without_results_is_refused(tmp_path: Path) -> None:
    with Session(str(tmp_path / "empty.db")) as empty, pytest.raises(BadInput, match="no results for a site"):
        empty.site(tmp_path / "out")


@given(st.lists(st.text(min_size=1, max_size=300), unique=True, max_size=8))
def test_names_of_pages_are_plain_and_each_its_own(names: list[str]) -> None:
    found = [slug(name) for name in names]
    assert len({one.lower() for one in found}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_.+-]{1,70}", one) for one in found)
