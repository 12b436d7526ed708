"""Files of the wrong kind, where the command line takes one: one sentence, exit code 2, at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from commands import Commands

CONFIGS = {
    "brackets": ("methods = " + "[" * 5000 + "]" * 5000, "within each other"),
    "tables": ("[" + ".".join("a" * 5000) + "]\nb = 1\n", "values within values within values"),
    "dotted keys": (".".join("a" * 5000) + " = 1\n", "values within values within values"),
    "a number of 5,000 digits": ("seeds = " + "9" * 5000, "thousands of digits"),
    "a number of 4,000 digits": ("seeds = " + "9" * 4000, "more than 64 bits"),
    "a hexadecimal one": ("seeds = 0x" + "f" * 5000, "more than 64 bits"),
    "no number": ("seeds = nan", "seeds"),
    "a day": ("seeds = 2020-01-01", "seeds"),
    "a table": ("[seeds]\na = 1", "seeds"),
    "a list of a list": ("ipc = [[[[1]]]]", "ipc"),
    "a long text": ("scale = '" + "x" * 10**6 + "'", "scale"),
    "another suite": ("suite = '" + "9" * 4000 + "'", "is for suite"),
    "escape codes": ('scale = "\\u001b[2J"', "scale"),
}


@pytest.mark.parametrize(("text", "words"), CONFIGS.values(), ids=CONFIGS)
def test_a_configuration_that_means_harm(stillproof: Commands, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    done = stillproof("run", "accuracy", "--config", "a.toml", "--dry-run", cwd=tmp_path)
    said = done.sentence()
    assert done.code == 2 and words in said and len(said) < 1000 and said.isprintable()


COMMANDS = {
    "a configuration": ["run", "accuracy", "--dry-run", "--config"],
    "results": ["db", "import-results"],
    "a set": ["import", "--dataset", "digits"],
    "BEARD's configuration": ["import", "--format", "beard-config"],
    "a model": ["attack", "--dataset", "digits", "--attack", "fgsm"],
}
NAMES = {"run": "a.toml", "db": "a.json", "import": "a.pt", "attack": "./a.pt"}


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_what_is_no_file(stillproof: Commands, tmp_path: Path, arguments: list[str], kind: str) -> None:
    name = NAMES[arguments[0]]
    if kind == "pipe":
        os.mkfifo(tmp_path / name)
    else:
        (tmp_path / name).symlink_to("/dev/zero")
    done = stillproof(*arguments, name, cwd=tmp_path)
    said = done.sentence()
    assert done.code == 2 and Path(name).name in said and len(said) < 1000


def test_results_that_mean_harm(stillproof: Commands, tmp_path: Path) -> None:
    head = {"kind": "stillproof results", "schema": 1}
    for text in (
        "[" * 100_000,
        json.dumps(head)[:-1] + ', "name": ' + "9" * 5000 + "}",
        json.dumps(head)[:-1] + ', "name": ' + '{"a":' * 50_000,
        json.dumps({**head, "name": ["x" * 10**6]}),
        '"\\ud800"',
    ):
        (tmp_path / "a.json").write_text(text, encoding="utf-8")
        done = stillproof("db", "import-results", "a.json", cwd=tmp_path)
        said = done.sentence()
        assert done.code == 2 and "a.json" in said and len(said) < 1000 and said.isprintable()
