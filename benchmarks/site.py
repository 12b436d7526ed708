"""What a site of a large store takes: seconds to write, bytes, and how long a reader waits in a browser."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.large_store import fill
from benchmarks.line import Line
from stillproof.session import Session

REPEATS = 5
SORT = """() => {
    const button = document.querySelector("th[data-side] button"), started = performance.now();
    button.click();
    document.body.offsetHeight;
    return performance.now() - started;
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"


def site_lines() -> Iterator[Line]:
    """Measure the site of a store of more than 10,000 records, and its largest leaderboard in a browser."""
    with tempfile.TemporaryDirectory() as folder:
        with Session(fill(Path(folder))) as session:
            records = sum(sum(states.values()) for states in session.store.results.counts().values())
            started, used = time.perf_counter(), time.process_time()
            out = session.site(Path(folder) / "site").parent
            how = f"{records:,} records; {time.perf_counter() - started:.1f} s by the clock"
            yield Line("writing a site of 10,000 records", time.process_time() - used, "CPU s", how, "under", 20)
        size = sum(path.stat().st_size for path in out.iterdir())
        yield Line("a site of 10,000 records", size / 1e6, "MB", f"{len(list(out.iterdir()))} files", "under", 15)
        yield from _browser_lines(out)


def _browser_lines(out: Path) -> Iterator[Line]:
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return  # `make test-browser` brings both
    if chromium is None:
        return
    page = max(out.glob("all-*.html"), key=lambda path: path.stat().st_size)
    how = f"median of {REPEATS} loads of {page.name} from a folder"
    with sync_playwright() as play:
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = play.chromium.launch(executable_path=chromium, args=flags)
        painted, sorted_in = zip(*(_measured(browser, page) for _ in range(REPEATS)), strict=True)
        browser.close()
    yield Line("first table of that site in a browser", median(painted), "ms", how, "under", 500)
    yield Line("sorting that table in a browser", median(sorted_in), "ms", how, "under", 100)


def _measured(browser: Any, path: Path) -> tuple[float, float]:
    page = browser.new_page()
    page.goto(path.as_uri())
    painted, sort = float(page.evaluate(PAINTED)), float(page.evaluate(SORT))
    page.close()
    return painted, sort
