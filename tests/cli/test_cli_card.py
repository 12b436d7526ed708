from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Commands

RUN = ["run", "report-card", "--scale", "smoke", "--methods", "random,dm:steps=2", "--seeds", "2"]
SMALL = ["--set", "suites=accuracy:full_recipe=none,beard:sections=curves:limit=20:full_recipe=none"]
SMALL += ["--network", "convnet:depth=1:width=4"]


@pytest.fixture(scope="module")
def folder(stillproof: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("card")
    done = stillproof(*RUN, *SMALL, cwd=place)
    assert done.code == 0, done.err
    assert "cells by suite: accuracy" in done.err and "coincide, which saves" in done.err
    assert "Every side at once" in done.out and "--section NAME`, one of accuracy/accuracy, beard/curves." in done.out
    return place


def test_a_card_in_every_form(stillproof: Commands, folder: Path) -> None:
    text = stillproof("card", "dm:steps=2", "--out", "figures", cwd=folder)
    assert text.code == 0 and "report card: dm:steps=2, digits, 1 image per class" in text.out
    assert "mean over eps %" in text.out and "No LRS, ARS, IOR, HLR: suite dd-ranking was not run for it." in text.out
    names = [path.name for path in (folder / "figures").iterdir()]
    assert [sum(kind in name for name in names) for kind in ("radar", "Linf", "L2")] == [1, 1, 1]
    (card,) = json.loads(stillproof("card", "dm:steps=2", "--json", cwd=folder).out)["cards"]
    assert card["method"] == "dm:steps=2" and card["ipc"] == 1
    assert [side["side"] for side in card["sides"]] == ["accuracy", "area"] and card["set"]["bytes"] == 2640
    latex = stillproof("card", "dm:steps=2", "--format", "latex", cwd=folder).out
    assert r"\begin{tabular}" in latex and "mean over eps" in latex


def test_one_section_of_one_suite_is_shown_when_asked(stillproof: Commands, folder: Path) -> None:
    shown = stillproof("table", "report-card", "--section", "beard/curves", cwd=folder)
    assert shown.code == 0 and "beard: Robust accuracy over the size of the change" in shown.out
    assert "Every side at once" not in shown.out


def test_bad_names(stillproof: Commands, folder: Path, tmp_path: Path) -> None:
    unknown = stillproof("card", "dmm", cwd=folder)
    assert unknown.code == 2 and "unknown method or set 'dmm'" in unknown.sentence()
    nothing = stillproof("card", "dm", cwd=tmp_path)
    assert nothing.code == 4 and "there is no store" in nothing.sentence()
