from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image

from commands import Commands

PLUGIN = Path(__file__).with_name("widths.py")
PAGE = Path(__file__).parents[2] / "docs" / "add-a-suite.md"
TITLE = "Accuracy over the width of the network"
USE = ["--plugin", "widths.py"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(PLUGIN, tmp_path / "widths.py")
    return tmp_path


def test_a_suite_of_a_plugin_brings_its_table_and_its_figure(folder: Path, stillproof: Commands) -> None:
    ran = stillproof("run", "widths", "--scale", "smoke", "--methods", "random", *USE, "--json", cwd=folder).json()
    (table,) = ran["tables"]
    assert (table["name"], table["title"]) == ("width", TITLE) and "run" in ran
    narrow, wide = table["rows"]
    assert (narrow["width"], wide["width"], narrow["gain"]) == (4, 8, None) and wide["gain"]["n"] == 2
    means = [line["accuracy"]["mean"] for line in (narrow, wide)]
    assert wide["gain"]["mean"] == pytest.approx(means[1] - means[0])
    assert stillproof("table", "widths", *USE, "--json", cwd=folder).json() == ran
    text = stillproof("table", "widths", *USE, "--section", "width", cwd=folder).out
    assert text.startswith(f"widths, scale smoke: {TITLE}\n") and "over the narrowest, points" in text
    wrong = stillproof("table", "widths", *USE, "--section", "widht", cwd=folder)
    assert wrong.code == 2 and "unknown section 'widht'; did you mean 'width'?" in wrong.sentence()

    drawn = stillproof("plot", "widths", *USE, "--json", cwd=folder).json()
    assert (drawn["suite"], drawn["figures"]) == ("widths", ["figures/widths-width.png"])
    with Image.open(folder / "figures" / "widths-width.png") as picture:
        assert picture.format == "PNG"
    gallery = stillproof("gallery", "--run", "widths", *USE, "--json", cwd=folder).json()
    assert gallery["sets"] == ["random, digits, 1 per class"]
    a_run_whose_suite_is_not_here_is_shown_by_its_accuracies(folder, stillproof)


def a_run_whose_suite_is_not_here_is_shown_by_its_accuracies(folder: Path, stillproof: Commands) -> None:
    bare = stillproof("table", "widths", "--json", cwd=folder)
    (table,) = json.loads(bare.out)["tables"]
    assert table["name"] == "widths" and [line["width"] for line in table["rows"]] == [4, 8]
    assert "suite 'widths' is not installed here (`--plugin FILE` brings it): its accuracies are shown" in bare.err
    drawn = stillproof("plot", "widths", cwd=folder)
    assert drawn.out.startswith("figures/widths.png\n  Accuracy of") and (folder / "figures" / "widths.png").is_file()


def test_the_suite_keeps_the_contract(folder: Path, stillproof: Commands) -> None:
    checks = stillproof("check", "widths.py", "--json", cwd=folder).json()["checks"]
    assert len(checks) >= 4 and all(check["ok"] for check in checks), checks


def test_the_page_shows_this_suite() -> None:
    (shown,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert shown == PLUGIN.read_text(encoding="utf-8")
