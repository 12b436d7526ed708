"""What people try because other tools have it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from pathlib import Path

import pytest

from commands import ENVIRONMENT, SCRIPT, TINY, Commands, run
from stillproof.cli.command_group import HINTS


@pytest.mark.parametrize(
    ("verb", "hint"),
    [
        ("resume", "the same command again goes on where it stopped"),
        ("version", "`stillproof --version` prints it."),
        ("evaluate", "`stillproof train SET` scores a distilled set"),
        ("score", "`stillproof train SET` scores a distilled set"),
        ("download", "`stillproof data get NAME` fetches a data set"),
        ("tabel", "did you mean 'table'?"),
        ("qqq", "`stillproof --help` lists the verbs."),
    ],
)
def test_a_verb_that_is_called_otherwise_here_has_a_hint(
    tmp_path: Path, stillproof: Commands, verb: str, hint: str
) -> None:
    done = stillproof(verb, "--dataset", "digits", cwd=tmp_path)
    assert done.code == 2 and f"there is no verb {verb!r}: {hint}" in done.sentence()


def test_hints_are_for_what_is_no_verb_and_name_verbs_that_are(tmp_path: Path, stillproof: Commands) -> None:
    told = stillproof("--help", cwd=tmp_path).out
    verbs = {line.split()[0] for line in told.split("Commands:")[1].splitlines() if line[:3].strip()}
    assert "table" in verbs and not verbs & HINTS.keys()
    named = {part.split()[1] for hint in HINTS.values() for part in hint.split("`") if part.startswith("stillproof ")}
    assert named - {"--version", "--help", "VERB"} <= verbs


@pytest.mark.parametrize("group", [[], ["data"], ["pool"], ["db"], ["attack-set"]])
def test_help_is_not_cut_off(tmp_path: Path, stillproof: Commands, group: list[str]) -> None:
    told = stillproof(*group, "--help", cwd=tmp_path).out
    listed = told.split("Commands:")[1]
    assert "..." not in listed and listed.rstrip().endswith(".")
    assert max(map(len, told.splitlines())) <= 80


def test_a_shell_completes_verbs_and_options(tmp_path: Path) -> None:
    asked = {"_STILLPROOF_COMPLETE": "complete_bash", "COMP_WORDS": "stillproof attack-", "COMP_CWORD": "1"}
    assert run(cwd=tmp_path, env=asked).out.split() == ["attack-bench", "attack-set"]
    asked |= {"COMP_WORDS": "stillproof run --da", "COMP_CWORD": "2"}
    assert run(cwd=tmp_path, env=asked).out.split() == ["--dataset", "--data"]


def test_completion_is_installed_for_the_shell(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "SHELL": "/bin/bash", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = run("--install-completion", "bash", cwd=tmp_path, env=home)
    assert done.code == 0 and "installed" in done.out, done
    assert "_STILLPROOF_COMPLETE" in (tmp_path / ".bash_completions" / "stillproof.sh").read_text()


def test_the_device_is_chosen(tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof("train", "digits", "--recipe", "smoke", "--seeds", "1", "--device", "cpu", *TINY, cwd=tmp_path)
    assert done.code == 0 and done.out.startswith("accuracy ")


@pytest.mark.parametrize(
    "verb", ["distill", "train", "attack", "attack-bench", "attack-set build", "run", "compare", "pool score"]
)
def test_whatever_computes_takes_a_device(tmp_path: Path, stillproof: Commands, verb: str) -> None:
    told = stillproof(*verb.split(), "--help", cwd=tmp_path).out
    assert "--device" in told


def test_a_terminal_of_eighty_columns_shows_all_of_a_table(tmp_path: Path, stillproof: Commands) -> None:
    about = ["--dataset", "digits", "--methods", "random,dm", "--scale", "smoke", "--seeds", "2", *TINY]
    assert stillproof("run", "accuracy", *about, cwd=tmp_path).code == 0
    for verb in (["table", "accuracy"], ["status"], ["compare", "random", "dm"], ["list", "attacks"]):
        lines = [line for line in on_terminal(verb, 80, tmp_path) if not line.startswith("store /")]
        assert max(map(len, lines)) <= 80 and "…" not in "".join(lines), lines
        assert "Traceback" not in "".join(lines)


def on_terminal(verb: list[str], columns: int, folder: Path) -> list[str]:
    """Run a verb at a terminal of so many columns; return the lines that it printed."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.chdir(folder)
        environment = {**os.environ, **ENVIRONMENT, "STILLPROOF_DATA": str(folder)}
        del environment["COLUMNS"]
        os.execve(SCRIPT, [str(SCRIPT), *verb], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    said = b""
    while True:
        try:
            said += os.read(terminal, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
    os.waitpid(child, 0)
    os.close(terminal)
    return said.decode().splitlines()
