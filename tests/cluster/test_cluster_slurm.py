"""Slurm: what is submitted, by a fake ``sbatch``; and that it computes, by submitit's local executor."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from commands import TINY, Commands, query
from postgres_server import Server

SUITE = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", *TINY, "--methods", "random", "--seeds", "2"]
FAKE = """#!/bin/sh
cp "$1" {folder}/submitted-$$.sh
echo "Submitted batch job 4711"
"""

submitit = pytest.importorskip("submitit", reason="needs submitit: pip install 'stillproof[slurm]'")
pytestmark = pytest.mark.cluster


@pytest.fixture
def fake_slurm(tmp_path: Path) -> dict[str, str]:
    """An environment whose sbatch only writes down what it was given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (("sbatch", FAKE.format(folder=tmp_path)), ("srun", "#!/bin/sh\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_a_file_of_this_machine_is_no_store_for_a_cluster(
    tmp_path: Path, stillproof: Commands, fake_slurm: dict[str, str]
) -> None:
    done = stillproof.finish(stillproof.start(*SUITE, "--executor", "slurm", cwd=tmp_path, env=fake_slurm))
    assert done.code == 2 and "name a PostgreSQL store with --store" in done.sentence()
    assert not list(tmp_path.glob("submitted*"))


def test_without_slurm_that_is_said(tmp_path: Path, server: Server, stillproof: Commands) -> None:
    postgres_url = server.fresh_url()
    env = {"STILLPROOF_ARTIFACTS": str(tmp_path / "artifacts"), "PATH": "/nowhere"}
    asked = [*SUITE, "--executor", "slurm", "--store", postgres_url]
    done = stillproof.finish(stillproof.start(*asked, cwd=tmp_path, env=env))
    assert done.code == 2 and "finds no Slurm here" in done.sentence()


def test_what_is_submitted(tmp_path: Path, server: Server, stillproof: Commands, fake_slurm: dict[str, str]) -> None:
    postgres_url = server.fresh_url()
    engine = "slurm:jobs=40:hours=4:partition=gpu:gpus=1:cpus=3:options=account=mine;qos=long"
    env = {**fake_slurm, "STILLPROOF_ARTIFACTS": str(tmp_path / "artifacts")}
    asked = [*SUITE, "--name", "big", "--executor", engine, "--store", postgres_url]
    done = stillproof.finish(stillproof.start(*asked, cwd=tmp_path, env=env))
    assert done.code == 0, done.err
    assert "run big is planned" in done.err and "40 jobs" in done.err
    (script,) = [file.read_text() for file in tmp_path.glob("submitted*")]
    asked_for = dict(re.findall(r"#SBATCH --([a-z-]+)=(.*)", script))
    expected = {"array": "0-39%40", "time": "240", "partition": "gpu", "gpus-per-node": "1", "cpus-per-task": "3"}
    assert expected.items() <= asked_for.items()
    assert {"account": "mine", "qos": "long", "signal": "USR2@120"}.items() <= asked_for.items()
    assert re.fullmatch(r"\d+GB", asked_for["mem"]) and "big" in asked_for["job-name"]
    written = {file: file.read_bytes() for file in (tmp_path / "artifacts/.jobs").rglob("*") if file.is_file()}
    jobs = [content for file, content in written.items() if file.suffix == ".pkl"]
    assert len(jobs) == 40 and all(b"work" in content and b"235m" in content for content in jobs)
    assert not any(postgres_url.encode() in content for content in (*written.values(), script.encode()))


def test_the_same_command_on_jobs_of_this_machine_gives_the_same_table(tmp_path: Path, stillproof: Commands) -> None:
    assert stillproof(*SUITE, "--executor", "slurm:jobs=2:cluster=local", cwd=tmp_path).code == 0
    assert stillproof("work", cwd=tmp_path).code == 0  # and one by hand, which may be the quicker
    states = query(tmp_path / "stillproof.db", "SELECT DISTINCT status FROM cells")
    assert states == [("done",)]
    assert stillproof(*SUITE, "--store", "plain.db", cwd=tmp_path).code == 0
    stores = ("stillproof.db", "plain.db")
    tables = [stillproof("table", "accuracy", "--format", "json", "--store", s, cwd=tmp_path).out for s in stores]
    assert tables[0] == tables[1]
    assert any((tmp_path / "stillproof-artifacts/.jobs").iterdir())
