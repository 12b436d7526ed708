"""Whatever happens to a command from outside ends in a sentence and an exit code, with nothing raw on the terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from commands import ENVIRONMENT, SCRIPT, TINY, Commands, Done, descendants, query, wait_until
from stillproof.core.printable import printable

TINY_RUN = ["run", "accuracy", "--dataset", "digits", "--methods", "random", "--ipc", "1", "--seeds", "1"]
TINY_RUN += ["--scale", "smoke", *TINY]
ESCAPES = "\x1b[2J\x1b]0;t\x07\u202eevil"
STOPPED = "stillproof: stopped"


def shell(line: str, cwd: Path, **environment: str) -> Done:
    """Run a line of shell, in which ``stillproof`` is the command; give up after a while."""
    script = f'stillproof() {{ {sys.executable} {SCRIPT} "$@"; }}; {line}'
    variables = {**os.environ, **ENVIRONMENT, "STILLPROOF_DATA": str(cwd), **environment}
    done = subprocess.run(["sh", "-c", script], cwd=cwd, env=variables, capture_output=True, text=True, timeout=120)
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("verb", ["list", "--help", "list --json"])
def test_a_full_disk_behind_standard_output_is_a_sentence(verb: str, tmp_path: Path) -> None:
    done = shell(f"stillproof {verb} > /dev/full", tmp_path)
    assert (done.code, done.out) == (4, "") and done.err.count("\n") == 1, done.err
    assert done.err.startswith("stillproof: ") and done.err.endswith(": the disk is full.\n")


@pytest.mark.parametrize("away", [">&-", "| head -0", "| true", "2>&-", "2>/dev/full", ">&- 2>&- <&-"])
@pytest.mark.parametrize("verb", ["list", pytest.param("--help", marks=pytest.mark.slow)])
def test_a_stream_that_nobody_reads_is_no_error(verb: str, away: str, tmp_path: Path) -> None:
    inside, outside = ("", away) if "|" in away else (away, "")
    done = shell(f"{{ stillproof {verb} {inside}; echo code $? >&9; }} 9>code {outside}", tmp_path)
    assert ((tmp_path / "code").read_text(), done.err) == ("code 0\n", "")


@pytest.mark.parametrize("away", ["2>/dev/full", ">&- 2>&- <&-"])
def test_bad_usage_stays_bad_usage_where_nobody_listens(away: str, tmp_path: Path) -> None:
    assert shell(f"stillproof tabel {away}", tmp_path).code == 2


def test_a_run_whose_messages_go_nowhere_goes_on(tmp_path: Path) -> None:
    done = shell(f"stillproof {' '.join(TINY_RUN)} --json 2>/dev/full >out", tmp_path)
    assert done.code == 0 and json.loads((tmp_path / "out").read_text())
    assert query(tmp_path / "stillproof.db", "SELECT count(*) FROM cells WHERE status <> 'done'") == [(0,)]


def test_a_store_is_never_taken_for_a_closed_stream(tmp_path: Path) -> None:
    assert shell("stillproof distill digits random --ipc 1 >&- 2>&- <&-", tmp_path).code == 0
    assert query(tmp_path / "stillproof.db", "PRAGMA integrity_check") == [("ok",)]


def test_letters_that_a_terminal_does_not_know_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "é").mkdir()
    done = shell("stillproof status --store é/none.db; stillproof list", tmp_path, PYTHONIOENCODING="ascii")
    assert "Traceback" not in done.err and r"\xe9/none.db" in done.err and done.code == 0


def started(argv: Sequence[str], cwd: Path) -> subprocess.Popen[str]:
    """Start a command as a terminal does; a process in the background may have Ctrl-C ignored."""
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *argv],
        cwd=cwd,
        env={**os.environ, **ENVIRONMENT, "STILLPROOF_DATA": str(cwd)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def loaded(pid: int, part: str) -> bool:
    return part in Path(f"/proc/{pid}/maps").read_text()


def has_begun(pid: int) -> bool:
    """Say whether a process handles SIGTERM, which Python alone does not."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    caught = next(int(line.split()[1], 16) for line in lines if line.startswith("SigCgt"))
    return bool(caught >> (signal.SIGTERM - 1) & 1)


@pytest.mark.parametrize(
    ("number", "later"),
    [
        (signal.SIGINT, 0.0),
        (signal.SIGTERM, 0.1),
        (signal.SIGINT, 0.5),
        *(
            pytest.param(number, later, marks=pytest.mark.slow)
            for number, later in ((signal.SIGTERM, 0.0), (signal.SIGINT, 0.1), (signal.SIGTERM, 0.5))
        ),
    ],
)
def test_a_command_can_be_stopped_from_its_first_moment_on(
    number: signal.Signals, later: float, tmp_path: Path
) -> None:
    process = started(["status"], tmp_path)
    wait_until(lambda: has_begun(process.pid))
    time.sleep(later)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("", 130) and err.startswith(STOPPED) and err.count("\n") == 1, err


@pytest.mark.parametrize(
    ("number", "seconds"),
    [
        (signal.SIGTERM, 0.0),
        (signal.SIGINT, 1.0),
        pytest.param(signal.SIGINT, 0.0, marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, 1.0, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_is_stopped_while_it_plans_says_so(number: signal.Signals, seconds: float, tmp_path: Path) -> None:
    process = started(["run", "beard", "--dataset", "digits", "--seeds", "200", "--dry-run"], tmp_path)
    wait_until(lambda: loaded(process.pid, "libtorch_cpu"))
    time.sleep(seconds)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("", 130) and err.startswith(STOPPED) and err.count("\n") == 1, err


def test_a_background_job_is_spared_by_ctrl_c_as_before(stillproof: Commands, tmp_path: Path) -> None:
    running = stillproof.start(*TINY_RUN, cwd=tmp_path, background=True)
    wait_until((tmp_path / "stillproof.db").exists)
    os.kill(running.pid, signal.SIGINT)
    assert stillproof.finish(running).code == 0
    assert not descendants(running.pid)


@pytest.mark.slow  # tests/suites/test_suites_request_limit.py asks for fewer
def test_no_number_of_seeds_takes_all_memory(tmp_path: Path) -> None:
    # Where there is no limit of ours, this limit of the system's ends it.
    done = shell("ulimit -v 6000000; stillproof train digits --seeds 1000000000000", tmp_path)
    said = "this asks more than 2,000,000 questions, which is the most of one command: lower --seeds, or split it."
    assert done.code == 2 and done.sentence() == f"stillproof: {said}"


@pytest.fixture(scope="module")
def ran(stillproof: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ran")
    done = stillproof(*TINY_RUN, "--name", f"name{ESCAPES}", "--note", f"note\n{ESCAPES}", cwd=folder)
    assert done.code == 0, done.err
    return folder


@pytest.mark.parametrize(
    "argv",
    [
        ["status"],
        ["table", "--run", f"name{ESCAPES}"],
        ["table", "--run", f"other{ESCAPES}"],
        ["pool", "add", f"pool{ESCAPES}", "--run", "1"],
        ["pool", "show", f"pool{ESCAPES}"],
        ["pool", "list"],
        ["import", f"gone{ESCAPES}", "--dataset", "digits"],
        ["import", f"broken{ESCAPES}.pt", "--dataset", "digits"],
        ["train", f"none{ESCAPES}"],
        ["run", f"suite{ESCAPES}"],
        ["run", "accuracy", "--config", f"config{ESCAPES}.toml"],
        [f"verb{ESCAPES}"],
        ["list", "distillers", "--plugin", f"broken{ESCAPES}.py"],
        ["show", f"none{ESCAPES}"],
        ["why", f"none{ESCAPES}"],
        ["table", f"--{ESCAPES}"],
    ],
)
def test_names_never_reach_the_terminal_raw(stillproof: Commands, ran: Path, argv: list[str]) -> None:
    (ran / f"broken{ESCAPES}.pt").write_bytes(b"nothing")
    (ran / f"broken{ESCAPES}.py").write_text("1 / 0")
    (ran / f"config{ESCAPES}.toml").write_text(f"suite = 'x'\n{ESCAPES}")
    done = stillproof(*argv, cwd=ran)
    assert "Traceback" not in done.err
    for text in (done.out, done.err):
        assert printable(text) == text
    if any(ESCAPES in part for part in argv) or argv == ["status"]:
        assert "evil" in done.out + done.err, "it is shown, but not raw"


def test_a_name_that_is_no_text_is_no_error(tmp_path: Path) -> None:
    name = os.fsdecode(b"bad\xff.db")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "import", name, "--dataset", "digits"],
        cwd=tmp_path,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2 and rb"bad\udcff.db" in done.stderr and b"Traceback" not in done.stderr
