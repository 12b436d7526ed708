"""What a dry run advises can be pasted behind the same command, and saves what it says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stillproof.cli.dry_run import SHOWN_CUTS
from stillproof.cli.main import app
from stillproof.core.components import suites
from stillproof.store.store import open_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("advice") / "empty.db"
    open_store(str(place)).close()
    return place


class DryRun:
    """Runs ``stillproof run --dry-run`` in this process."""

    def __init__(self, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.store, self.capsys, self.said = store, capsys, ""

    def __call__(self, *argv: str) -> Any:
        return json.loads(self._printed(*argv, "--json"))

    def lines(self, *argv: str) -> list[str]:
        """Return what people see."""
        return self._printed(*argv).splitlines()

    def _printed(self, *argv: str) -> str:
        app(["run", *argv, "--dry-run", "--store", str(self.store)], standalone_mode=False)
        printed = self.capsys.readouterr()
        self.said = printed.err
        return printed.out


@pytest.fixture
def dry_run(store: Path, capsys: pytest.CaptureFixture[str]) -> DryRun:
    return DryRun(store, capsys)


@pytest.mark.parametrize("scale", ["smoke", pytest.param("quick", marks=pytest.mark.slow)])
@pytest.mark.parametrize("suite", sorted(suites.entries()))
def test_all_advice_is_accepted_and_saves_what_it_says(
    suite: str, scale: str, dry_run: DryRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [suite, "--dataset", "digits", "--scale", scale]
    before = dry_run(*command)
    advice = before["cuts"][:SHOWN_CUTS]
    assert advice
    monkeypatch.setattr(
        "stillproof.run.forecast_suite.cuts_of", lambda *_: []
    )  # of the changed suite: it takes a while
    for cut in advice:
        after = dry_run(*command, *shlex.split(cut["option"]))
        assert after["seconds"] == pytest.approx((1 - cut["saves"]) * before["seconds"], rel=0.02), cut
        assert after["seconds"] < before["seconds"], cut


def options_of(found: Any) -> list[str]:
    return [cut["option"] for cut in found["cuts"]]


ACCURACY = ["accuracy", "--dataset", "digits", "--scale", "smoke"]


def test_advice_takes_the_form_that_the_command_has(dry_run: DryRun, tmp_path: Path) -> None:
    given = ["--set", "seeds=3", "--set", "full_recipe=smoke:epochs=4"]
    before = dry_run(*ACCURACY, *given)
    assert "--set seeds=2" in options_of(before) and "--set full_recipe=none" in options_of(before)
    for cut in before["cuts"]:
        assert dry_run(*ACCURACY, *given, *shlex.split(cut["option"]))["seconds"] < before["seconds"], cut
    (tmp_path / "mine.toml").write_text("seeds = 3\n")
    assert "--seeds 2" in options_of(dry_run(*ACCURACY, "--config", str(tmp_path / "mine.toml")))


def test_advice_names_a_file_as_the_command_does(dry_run: DryRun, tmp_path: Path) -> None:
    path = tmp_path / "their set.npz"
    generator = np.random.default_rng(0)
    np.savez(path, images=generator.random((10, 1, 8, 8), np.float32), labels=np.arange(10))
    given = ["--methods", f"{path},dm(steps=40),random"]
    before = dry_run(*ACCURACY, *given)
    assert f"--methods '{path},random'" in options_of(before)
    for cut in before["cuts"]:
        assert dry_run(*ACCURACY, *given, *shlex.split(cut["option"]))["seconds"] < before["seconds"], cut


@pytest.mark.parametrize("value", ["none", ""])
def test_a_recipe_may_be_left_out(value: str, dry_run: DryRun) -> None:
    named = {part["method"] for part in dry_run(*ACCURACY, "--set", f"full_recipe={value}")["by_method"]}
    assert "random" in named and "full" not in named


def test_of_a_setting_that_comes_twice_the_last_one_counts(dry_run: DryRun) -> None:
    once = dry_run(*ACCURACY, "--set", "seeds=1")
    assert dry_run(*ACCURACY, "--set", "seeds=3", "--set", "seeds=1")["seconds"] == once["seconds"]
    assert "--set seeds=1 takes the place of --set seeds=3\n" in dry_run.said


def test_the_first_line_is_about_all_real_images(dry_run: DryRun) -> None:
    lines = dry_run.lines(*ACCURACY, "--methods", "random")
    assert re.match(
        r"all real images \(full\): \d+ % of the time, about \d+ s; --set full_recipe=none saves \d+ %$", lines[0]
    )
    lines = dry_run.lines("dd-ranking", "--dataset", "digits", "--scale", "smoke")
    assert lines[0].endswith("; without them HLR and LRS are missing")
    assert "of the time" not in dry_run.lines(*ACCURACY, "--set", "full_recipe=none")[0]
