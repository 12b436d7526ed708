from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from commands import ENVIRONMENT, TINY, Commands
from damaged_files import damaged_files
from older_schema import downgrade
from stillproof.cli.main import main

READING = (
    ["status", "--json"],
    ["table", "accuracy"],
    ["table", "accuracy", "--by-class", "--format", "csv"],
    ["compare", "random", "herding"],
    ["card", "random"],
    ["why", "CELL"],
    ["cite", "accuracy"],
    ["pool", "show", "p"],
    ["pool", "list"],
    ["db", "export-results", "--run", "accuracy", "--out", "OUT/out.json"],
    ["db", "backup", "OUT/copy.db"],
    ["pool", "export", "p", "--out", "OUT/pool"],
    ["gallery", "--run", "accuracy", "--out", "OUT/gallery.png"],
    ["plot", "accuracy", "--out", "OUT/figures"],
    ["site", "OUT/site"],
)
MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'
EVERY = """
import json, sys
from stillproof.cli.main import main

codes = []
for verb in json.loads(sys.argv[1]):
    sys.argv = ["stillproof", *verb]
    try:
        main()
    except SystemExit as done:
        codes.append(done.code)
print()
print(json.dumps(codes))
"""
FIRST = 11  # those that take no time


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, stillproof: Commands) -> Path:
    """A folder with a store that has a run and a pool."""
    folder = tmp_path_factory.mktemp("made") / "disk"
    folder.mkdir()
    suite = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--methods", "random,herding", *TINY]
    assert stillproof(*suite, "--seeds", "2", cwd=folder).code == 0
    assert stillproof("pool", "add", "p", "--run", "1", cwd=folder).code == 0
    return folder


def cell_of(store: Path) -> str:
    with closing(sqlite3.connect(store)) as connection:
        return str(connection.execute("SELECT id FROM cells WHERE stage = 'train'").fetchone()[0])


def filled_in(verb: Sequence[str], cell: str, out: Path) -> list[str]:
    return [cell if word == "CELL" else word.replace("OUT", str(out)) for word in verb]


def here(argv: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """Run a command in this process."""
    monkeypatch.setattr(sys, "argv", ["stillproof", *argv])
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as done:
            return int(done.code or 0), out.getvalue(), err.getvalue()
        except BaseException:
            return -1, out.getvalue(), traceback.format_exc()
    raise AssertionError("a command ends by exiting")


@pytest.mark.parametrize(
    "older", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["this schema", "an older one"]
)
def test_everything_that_reads_works_on_a_read_only_disk(made: Path, tmp_path: Path, older: bool) -> None:
    disk, out = tmp_path / "disk", tmp_path / "out"
    shutil.copytree(made, disk)
    out.mkdir()
    if older:
        downgrade(disk / "stillproof.db", "0005")
    verbs = [filled_in(verb, cell_of(disk / "stillproof.db"), out) for verb in READING]
    environment = {**os.environ, **ENVIRONMENT, "STILLPROOF_DATA": str(disk), "MPLCONFIGDIR": str(out)}
    mounted = ["unshare", "--mount", "sh", "-c", MOUNTED, str(disk)]
    if subprocess.run([*mounted, "sh", "-c", "! touch x"], capture_output=True).returncode:
        pytest.skip("mounting a file system is not permitted here")
    command = [*mounted, sys.executable, "-c", EVERY, json.dumps(verbs)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    codes = json.loads(done.stdout.splitlines()[-1])
    assert codes == [0] * len(verbs), (list(zip(codes, verbs, strict=True)), done.stderr)
    assert (out / "figures").is_dir() and (out / "site/index.html").is_file() and (out / "gallery.png").is_file()


def test_reading_commands_change_nothing_and_upgrade_nothing(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = tmp_path / "disk"
    shutil.copytree(made, disk)
    monkeypatch.chdir(disk)
    monkeypatch.setenv("STILLPROOF_DATA", str(disk))
    file = disk / "stillproof.db"
    cell = cell_of(file)
    downgrade(file, "0005")
    before = file.read_bytes()
    for number, verb in enumerate(READING[:FIRST]):
        (tmp_path / str(number)).mkdir()
        code, _, err = here(filled_in(verb, cell, tmp_path / str(number)), monkeypatch)
        assert code == 0, (verb, err)
        assert file.read_bytes() == before and list(disk.glob("stillproof.db-*")) == [], verb
    code, out, _ = here(["doctor", "--json"], monkeypatch)
    assert code == 0 and sqlite3.sqlite_version in out and "no damage, of an older schema" in out
    code, out, _ = here(["db", "upgrade"], monkeypatch)
    assert code == 0 and f"as it was, it is kept in {disk}/stillproof-schema-0005.db" in out
    code, out, _ = here(["db", "upgrade", "--json"], monkeypatch)
    assert code == 0 and '"backup": null' in out


@pytest.mark.parametrize(
    ("each", "every"),
    [(1, 2), pytest.param(FIRST, 1, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])],
    ids=["one command for every second file", "all commands for each file"],
)
def test_a_damaged_store_is_a_sentence_for_everything_that_reads(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, each: int, every: int
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STILLPROOF_DATA", str(tmp_path))
    monkeypatch.setenv("STILLPROOF_ARTIFACTS", str(made / "stillproof-artifacts"))
    whole, file = (made / "stillproof.db").read_bytes(), tmp_path / "stillproof.db"
    verbs = [filled_in(verb, cell_of(made / "stillproof.db"), tmp_path) for verb in READING[:FIRST]]
    file.write_bytes(whole)
    sound = {tuple(verb): _said(verb, tmp_path, monkeypatch) for verb in verbs}
    assert all(code == 0 for code, _ in sound.values())
    refused = count = 0
    for what, damaged in islice(damaged_files(whole), 0, None, every):
        count += 1
        file.write_bytes(damaged)
        for verb in (verbs * 2)[count % FIRST :][:each]:
            code, said = _said(verb, tmp_path, monkeypatch)
            assert code in (0, 2, 4) and "Traceback" not in said, (what, verb, said)
            if "bytes flipped" not in what:  # what changes inside a text is still a database
                assert code == 4 or (code, said) == sound[tuple(verb)], (what, verb, said)
            refused += code == 4
        assert file.read_bytes() == damaged, what
    assert count > 60 / every and refused > count * each / 2


def _said(verb: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    for made in (folder / "out.json", folder / "copy.db"):
        made.unlink(missing_ok=True)
    code, out, err = here(verb, monkeypatch)
    for left in folder.glob("stillproof.db-*"):
        left.unlink()
    assert code != 4 or (len(err.splitlines()) == 1 and err.startswith("stillproof: ") and err[:-1].isprintable()), err
    return code, out if code == 0 else err
