"""Takes the picture of a leaderboard that opens the README: ``make picture``, after a change of looks or of results."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

SIZE = {"width": 1180, "height": 738}


def take(page: Path, picture: Path) -> None:
    """Show a page in Debian's browser and keep what is seen as a PNG."""
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        shown = browser.new_page(viewport={"width": SIZE["width"], "height": SIZE["height"]}, color_scheme="light")
        shown.goto(page.resolve().as_uri())
        shown.screenshot(path=str(picture))
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.picture", description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    asked = parser.parse_args()
    take(asked.page, asked.picture)
