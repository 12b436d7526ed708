"""The site in a real browser, opened from the file system as a person would."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from watched import Watched

from stillproof.session import Session
from strange_names import STRANGE, import_strange

pytestmark = pytest.mark.browser

ROWS = "table.board tbody tr:not([hidden])"
NAMES = f"{ROWS} th a"
AXE = Path(os.environ.get("STILLPROOF_AXE", "axe.min.js"))
RUN = {
    "scale": "smoke",
    "network": "convnet:depth=1:width=4",
    "methods": ["random", "dm:steps=2", "herding"],
    "ipc": [1],
    "seeds": 2,
    "suites": [
        "accuracy:full_recipe=none",
        "dd-ranking:sections=labels,augmentation:budget=1",
        "beard:sections=curves,scores:limit=20:full_recipe=none:timed=0:attacks=fgsm,pgd(steps=2)",
    ],
}
LARGER = {key: RUN[key] for key in ("scale", "network", "seeds")} | {
    "methods": ["random", "herding"],
    "ipc": [2],
    "full_recipe": "none",
    "dataset": ["digits"],
}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with Session(str(folder / "results.db")) as session:
        session.run_suite("report-card", RUN, name="<script>alert('run')</script>")
        import_strange(session, folder, "random")
        session.run_suite("accuracy", LARGER)
        return session.site(folder / "out").parent


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test-browser brings it")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed: make test-browser brings it")
    with api.sync_playwright() as play:
        # Chromium refuses a sandbox to root.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        opened = play.chromium.launch(executable_path=chromium, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def look(browser: Any, site: Path) -> Iterator[Any]:
    opened: list[Watched] = []

    def opener(**context: Any) -> Watched:
        opened.append(Watched(browser, site, **context))
        return opened[-1]

    yield opener
    for watched in opened:
        watched.check()


def names(page: Any) -> list[str]:
    return [str(name) for name in page.eval_on_selector_all(NAMES, "found => found.map(one => one.textContent)")]


def column(page: Any, side: str) -> list[str]:
    script = """([head]) => {
        const at = [...head.parentNode.cells].indexOf(head);
        return [...head.closest("table").tBodies[0].rows].map((row) => row.cells[at].innerText.split("\\n")[0]);
    }"""
    return [str(text) for text in page.eval_on_selector_all(f"th[data-key='{side}']", script)]


def board(site: Path, size: int = 1) -> str:
    (found,) = site.glob(f"board-digits-{size}-*.html")
    return found.name


def test_sorting_goes_both_ways_and_stays_in_the_address(look: Any, site: Path) -> None:
    watched = look()
    page = watched.open(board(site))
    page.click("th[data-key='IOR'] button")
    down = [float(text) for text in column(page, "IOR")]
    assert down == sorted(down, reverse=True) and "sort=IOR" in page.url
    page.click("th[data-key='IOR'] button")
    up = [float(text) for text in column(page, "IOR")]
    assert up == sorted(up) and page.get_attribute("th[data-key='IOR']", "aria-sort") == "ascending"
    again = look()
    assert names(again.open(board(site) + page.url[page.url.index("#") :])) == names(page)


def test_methods_are_filtered_and_columns_chosen(look: Any, site: Path) -> None:
    watched = look()
    page = watched.open(board(site))
    page.fill("#find", "herd")
    assert names(page) == ["herding"] and "1 of 4 methods" in page.inner_text(".status")
    page.fill("#find", "")
    page.click("text=Columns")
    page.uncheck("label:has-text('LRS') input[type=checkbox]")
    assert page.is_hidden("th[data-key='LRS']") and "hide=LRS" in page.url
    again = look()
    assert again.open(board(site) + page.url[page.url.index("#") :]).is_hidden("th[data-key='LRS']")


def test_a_slider_computes_scores_and_ranks_anew_and_tiers_go(look: Any, site: Path) -> None:
    watched = look()
    page = watched.open(board(site))
    before = column(page, "LRS")
    page.click("summary:has-text('Weights')")
    slide = "(one, weight) => { one.value = weight; one.dispatchEvent(new Event('input')); }"
    page.eval_on_selector("input[aria-label='weight of LRS']", slide, "1")
    after = column(page, "LRS")
    assert after != before and page.locator("text=by this weight").count() == 4
    scores = {name: float(text) for name, text in zip(names(page), after, strict=True)}
    gains = {name: float(text) for name, text in zip(names(page), column(page, "IOR"), strict=True)}
    assert sorted(scores, key=lambda name: scores[name]) == sorted(gains, key=lambda name: gains[name])  # all of it
    again = look()
    assert column(again.open(board(site) + page.url[page.url.index("#") :]), "LRS") == after
    page.eval_on_selector("input[aria-label='weight of LRS']", slide, "0.5")
    assert column(page, "LRS") == before and "weight" not in page.url


def test_a_method_any_two_and_a_cell_are_a_click_away(look: Any, site: Path) -> None:
    watched = look()
    page = watched.open("index.html")
    page.click(f"{NAMES} >> text=herding")
    assert page.inner_text("h1") == "herding" and page.locator("table").count() >= 1
    page.click("summary:has-text('Cells and commands')")
    page.click("a:has-text('seed 0')")
    page.wait_for_selector("#cell pre")
    assert json.loads(page.inner_text("#cell pre >> nth=0"))["stage"]
    page = watched.open(board(site))
    page.click("text=Any two methods compared")
    assert page.locator("tbody tr").count() >= 3


def test_what_is_on_the_screen_can_be_taken_along(look: Any, site: Path) -> None:
    page = look(accept_downloads=True).open(board(site))
    page.fill("#find", "dm")
    page.click("th[data-key='IOR'] button")
    with page.expect_download() as saved:
        page.click("button:has-text('JSON')")
    (line,) = json.loads(Path(saved.value.path()).read_text())
    assert line["method"] == "dm:steps=2" and names(page) == ["dm:steps=2"]
    assert f"{100 * line['accuracy']:.1f}" in column(page, "accuracy")
    with page.expect_download() as saved:
        page.click("button:has-text('CSV')")
    assert Path(saved.value.path()).read_text().splitlines()[0].startswith('"method","accuracy"')


def test_without_javascript_every_number_is_there(look: Any, site: Path) -> None:
    plain = look(java_script_enabled=False).open(board(site))
    assert plain.locator("table.board tbody tr").count() == 4
    assert plain.locator("table.board td.number").count() > 10 and plain.locator(".tools").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_sticks_out_and_text_can_be_read(look: Any, site: Path, scheme: str, width: int) -> None:
    watched = look(viewport={"width": width, "height": 800}, color_scheme=scheme)
    for path in sorted(site.glob("*.html")):
        page = watched.open(path.name)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{path.name} is {wide} wide"
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(21, 23, 26)") == (scheme == "dark")


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not there: make test-browser brings it")
@pytest.mark.parametrize(("scheme", "rules"), [("light", None), ("dark", ["color-contrast"])])
def test_axe_finds_no_barrier(look: Any, site: Path, scheme: str, rules: list[str] | None) -> None:
    watched = look(color_scheme=scheme)
    kinds = {path.stem.partition("-")[0]: path for path in sorted(site.glob("*.html"))}
    assert kinds.keys() >= {"index", "all", "board", "compare", "method", "suite", "cell", "claims", "findings"}
    for path in kinds.values():
        page = watched.open(path.name)
        page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
        script = (
            "(rules) => axe.run({ preload: false, ...(rules && { runOnly: rules }) }).then((found) => found.violations)"
        )
        told = [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in page.evaluate(script, rules)]
        assert told == [], path.name


def test_what_methods_are_and_sizes_narrow_the_table_and_stay_in_the_address(look: Any, site: Path) -> None:
    page = look().open("all-digits.html")
    every = page.locator(ROWS).count()
    page.select_option("select[name='kind']", "synthetic images")
    assert names(page) == ["dm:steps=2"] and "kind=synthetic" in page.url
    page.select_option("select[name='kind']", "real images")
    page.select_option("select[name='ipc']", "2")
    assert sorted(names(page)) == ["herding", "random"] and "2 of 6 rows" in page.inner_text(".status")
    again = look()
    other = again.open("all-digits.html" + page.url[page.url.index("#") :])
    assert names(other) == names(page) and other.input_value("select[name='ipc']") == "2"
    other.click("button:has-text('Reset')")
    assert other.locator(ROWS).count() == every == 6 and "#" not in other.url
    other.click("th[data-key='ipc'] button")
    sizes = [int(text) for text in column(other, "ipc")]
    assert sizes == sorted(sizes)


def test_two_methods_are_chosen_and_compared_on_every_side(look: Any, site: Path) -> None:
    page = look().open(board(site).replace("board-", "compare-"))
    page.select_option("select[name='one']", "herding")
    page.select_option("select[name='other']", "dm:steps=2")
    rows = page.locator("table.pairs tbody tr:not([hidden])")
    sides = [rows.nth(row).locator("td >> nth=0").inner_text() for row in range(rows.count())]
    assert "accuracy %" in sides and len(sides) == len(set(sides)) > 3
    again = look().open(page.url[page.url.rindex("/") + 1 :])
    assert again.locator("table.pairs tbody tr:not([hidden])").count() == len(sides)


def test_strange_names_are_shown_to_the_letter(look: Any, site: Path) -> None:
    page = look().open(board(site))
    (shown,) = (name for name in names(page) if name.startswith("<script>"))
    assert shown == STRANGE
    page.fill("#find", "\u05e9\u05dc\u05d5\u05dd")
    assert names(page) == [STRANGE]
    page.click(f"{NAMES} >> text=second line")
    assert page.inner_text("h1").split() == STRANGE.split()
    page = look().open(next(path.name for path in site.glob("suite-*.html")))
    assert "<script>alert('run')" in page.inner_text("main")


def test_on_paper_there_is_the_table_alone(look: Any, site: Path) -> None:
    watched = look()
    page = watched.open(board(site))
    page.emulate_media(media="print")
    assert page.is_hidden(".tools") and page.is_hidden(".top nav") and page.is_visible("table.board")


def test_keys_alone_reach_and_work_everything(look: Any, site: Path) -> None:
    page = look().open(board(site))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("th[data-key='accuracy'] button")
    page.keyboard.press("Enter")
    assert page.get_attribute("th[data-key='accuracy']", "aria-sort") == "descending"
    page.focus("summary:has-text('Columns')")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.is_hidden("th[data-key='accuracy']")
