from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from commands import TINY, Commands, query
from stillproof.store.store import open_store

RUN = ["run", "accuracy", "--dataset", "digits", "--scale", "smoke", *TINY]
DISTILL = ["distill", "digits", "random", "--ipc", "1", *TINY]

BAD = [
    (["distill", "digits", "herdin", "--ipc", "1"], 2, "unknown distiller 'herdin'; did you mean 'herding'?"),
    (["distill", "digit", "random", "--ipc", "1"], 2, "unknown data set 'digit'; did you mean 'digits'"),
    (["distill", "./shpaes", "random", "--ipc", "1"], 2, "there is no folder ./shpaes: name the one that has train/"),
    (["distill", "of/leaves:split=0.2", "random", "--ipc", "1"], 2, "there is no folder of/leaves"),
    ([*DISTILL[:5], "--network", "convnet3"], 2, "unknown network 'convnet3'; did you mean 'convnet"),
    (
        [*DISTILL[:5], "--network", "convnet-1:widht=8"],
        2,
        "unknown parameter 'widht' of network 'convnet-1'; did you mean 'width'?",
    ),
    ([*DISTILL[:5], "--network", "convnet-1:width=wide"], 2, "width = 'wide' is not allowed"),
    (
        ["distill", "digits", "dm", "--ipc", "1", "--set", "step=3"],
        2,
        "unknown parameter 'step' of distiller 'dm'; did you mean 'steps'?",
    ),
    (["distill", "digits", "dm:lr=1", "--ipc", "1", "--set", "lr=2"], 2, "'dm:lr=1:lr=2' sets lr twice"),
    (["distill", "digits", "dm", "--ipc", "1", "--set", "steps"], 2, "--set 'steps' is not of the form key=value."),
    (["distill", "digits", "random", "--ipc", "0"], 2, "ipc = 0 is not allowed: at least 1 image per class is needed."),
    (
        ["distill", "digits", "random", "--ipc", "9999"],
        2,
        "ipc = 9999 is not allowed: the smallest class of digits has",
    ),
    ([*DISTILL, "--scale", "huge"], 2, "unknown scale 'huge'"),
    ([*DISTILL, "--snapshots", "a"], 2, "--snapshots 'a' is not a comma-separated list of whole numbers."),
    ([*DISTILL, "--snapshots", "every=x"], 2, "--snapshots 'every=x' is not of the form every=N"),
    ([*DISTILL, "--snapshots", "every=5"], 2, "needs a method that works in steps, which 'random' does not."),
    (["distill", "mnist", "random", "--ipc", "1"], 3, "stillproof data get mnist"),
    (["train", "digits", "--recipe", "smok"], 2, "unknown recipe 'smok'; did you mean 'smoke'?"),
    (
        ["train", "digits", "--recipe", "smoke:objective=hinge"],
        2,
        "unknown objective 'hinge'; choose one of cross-entropy,",
    ),
    (["train", "digits", "--recipe", "smoke:objective=kl(temperature=0)"], 2, "temperature must be positive, not 0.0."),
    (["train", "digits", "--recipe", "smoke:augment=dsa(strategy=crop"], 2, "lacks a closing bracket."),
    (["train", "digits", "--selection", "best"], 2, "unknown selection 'best'"),
    (["train", "digits", "--seeds", "0", "--recipe", "smoke"], 2, "seeds = 0 is not allowed"),
    (["train", "cifar10", "--recipe", "smoke"], 3, "stillproof data get cifar10"),
    (["train", "mnits"], 2, "unknown set or data set 'mnits'; did you mean 'mnist'"),
    (["train", "nothing-like-this"], 2, "unknown artifact 'nothing-like-this'"),
    (["train", "sets/mine.pt"], 2, "sets/mine.pt is not there: there is no such file or folder."),
    (["train", "mine.pt", "--dataset", "digits"], 2, "mine.pt is not there: there is no such file or folder."),
    (["attack", "net.pth", "--dataset", "digits", "--attack", "fgsm"], 2, "net.pth is not there: there is no such"),
    (["train", "digits", "--device", "gpu"], 2, "device 'gpu' is not there: this machine has cpu"),
    (["train", "digits", "--device", "cuda:99"], 2, "device 'cuda:99' is not there: this machine has cpu"),
    (["run", "acuracy"], 2, "unknown suite 'acuracy'; did you mean 'accuracy'?"),
    ([*RUN, "--methods", "random,herdnig"], 2, "unknown distiller or set 'herdnig'; did you mean 'herding'?"),
    ([*RUN, "--methods", "random,nothing.py"], 2, "nothing.py has no known format: is it a distilled set"),
    ([*RUN, "--methods", "random,dm(steps=3"], 2, "'random,dm(steps=3' lacks a closing bracket."),
    ([*RUN, "--ipc", "1,x"], 2, "--ipc '1,x' is not a comma-separated list of whole numbers."),
    ([*RUN, "--ipc", "1,,10"], 2, "'1,,10' has a comma with nothing before or after it"),
    ([*RUN, "--methods", "random,"], 2, "'random,' has a comma with nothing before or after it"),
    ([*RUN, "--ipc", "0"], 2, "ipc = 0 is not allowed"),
    ([*RUN, "--set", "seeds"], 2, "--set 'seeds' is not of the form key=value."),
    (
        [*RUN, "--seeds", "1", "--set", "seeds=2"],
        2,
        "--seeds and --set seeds=2 both set seeds: leave one of them out.",
    ),
    ([*RUN, "--methods", "dm:lr=1:lr=2"], 2, "'dm:lr=1:lr=2' sets lr twice: leave one of them out."),
    ([*RUN, "--dry-run", "--assume", "fast"], 2, "--assume 'fast' is not the speed of a machine"),
    (
        [*RUN, "--config", "twice.toml"],
        2,
        "configuration twice.toml cannot be read: it is not valid TOML: cannot overwrite a value",
    ),
    ([*RUN, "--set", "sedes=3"], 2, "unknown parameter 'sedes' of suite 'accuracy'; did you mean 'seeds'?"),
    ([*RUN, "--seeds", "0"], 2, "seeds must be at least 1"),
    ([*RUN, "--protocol", "mine"], 2, "protocol = 'mine' is not allowed"),
    ([*RUN, "--scale", "quik"], 2, "unknown scale 'quik'; did you mean 'quick'?"),
    ([*RUN, "--config", "absent.toml"], 2, "configuration absent.toml cannot be read: it does not exist."),
    ([*RUN, "--config", "broken.toml"], 2, "configuration broken.toml cannot be read: it is not valid TOML"),
    ([*RUN, "--config", "."], 2, "configuration . cannot be read: it is a folder, not a file."),
    ([*RUN, "--config", "latin.toml"], 2, "configuration latin.toml cannot be read: it is not UTF-8 text."),
    ([*RUN, "--set", "seeds=many"], 2, "seeds = 'many' is not allowed: give a whole number."),
    ([*RUN, "--selection", "best"], 2, "selection = 'best' is not allowed: choose 'last', 'heldout' or 'oracle'."),
    ([*RUN, "--workers", "many"], 2, "Invalid value for '--workers': give a whole number."),
    ([*RUN, "--config", "unknown.toml"], 2, "unknown parameter 'seed' of suite 'accuracy'; did you mean 'seeds'?"),
    ([*RUN, "--config", "other.toml"], 2, "configuration other.toml is for suite 'beard', not 'accuracy'."),
    ([*RUN, "--workers", "0"], 2, "--workers"),
    ([*RUN, "--plugin", "absent.py"], 2, "plug-in absent.py cannot be read: it does not exist."),
    (["run", "accuracy", "--dataset", "svhn", "--scale", "smoke"], 3, "stillproof data get svhn"),
    ([*RUN, "--name", "12"], 2, "'12' cannot be the name of a run: write one with a letter in it."),
    ([*RUN, "--name", "accuracy"], 2, "'accuracy' is the name of a suite: choose another for the run."),
    (
        [*RUN, "--only", "mtt"],
        2,
        "--only 'mtt' matches no cell of this plan, whose methods are: full, random, k-center",
    ),
    (["table", "accuracy", "--store", "fresh.db"], 4, "fresh.db"),
    (["table", "--store", "empty.db"], 2, "name a suite, or a run with --run"),
    (["table", "--run", "3", "--store", "empty.db"], 2, "this store has no run '3'; `stillproof status`"),
    (["plot", "--run", "3", "--store", "empty.db"], 2, "this store has no run '3'; `stillproof status`"),
    (
        ["db", "merge", "newer.db"],
        4,
        "newer.db was written by a newer version of Stillproof (schema 9999, this version",
    ),
    (["db", "merge", "other.txt"], 4, "other.txt is not a database"),
    (["db", "merge", "absent.db"], 4, "absent.db: name the file or the URL of one."),
    (["db", "merge", "empty.db", "--store", "empty.db"], 2, "empty.db is this store itself: name another."),
    (["db", "merge", "postgresql://me:secret@host/x"], 2, "//me:***@host/x has no folder beside it: name that of its"),
    (["db", "rm", "3", "--store", "empty.db"], 2, "this store has no run '3'"),
    (["db", "rm", "3", "--store", "fresh.db"], 4, "fresh.db"),
    (["db", "prune", "--store", "fresh.db"], 4, "fresh.db"),
    (["table", "accuracy", "--store", "empty.db"], 2, "suite 'accuracy' was never run on this store; `stillproof run"),
    (["table", "accuracy", "--format", "excel"], 2, "unknown format 'excel'"),
    (["plot", "accuracy", "--store", "fresh.db"], 4, "fresh.db"),
    (["plot", "accuracy", "--store", "empty.db"], 2, "suite 'accuracy' was never run on this store; `stillproof run"),
    (["plot", "accuracy", "--format", "gif"], 2, "unknown format 'gif'"),
    (["status", "--store", "other.txt"], 4, "other.txt is not a database"),
    ([*DISTILL, "--store", "other.txt"], 4, "other.txt is not a database"),
    ([*DISTILL, "--store", "newer.db"], 4, "was written by a newer version of Stillproof (schema 9999"),
    (["status", "--store", "newer.db"], 4, "was written by a newer version of Stillproof"),
    ([*DISTILL, "--store", "/proc/nowhere/s.db"], 4, "/proc/nowhere"),
    (["gallery", "--store", "empty.db"], 2, "name at least one artifact"),
    (["gallery", "--run", "accuracy", "--store", "empty.db"], 2, "this store has no run 'accuracy'"),
    (["gallery", "--ipc", "1", "--store", "empty.db"], 2, "--ipc 1 selects sets of a run"),
    (["gallery", "x", "--out", "g.xyz", "--store", "empty.db"], 2, "g.xyz cannot be written as a picture"),
    (["gallery", "x", "--animate", "--out", "g.png", "--store", "empty.db"], 2, "end its name in one of .gif, .webp."),
    (["gallery", "x", "--out", "g.gif", "--store", "empty.db"], 2, "(with --animate, it can)"),
    (["gallery", "x", "--out", "g", "--store", "empty.db"], 2, "end its name in one of .png"),
    (["show", "herdin"], 2, "unknown component 'herdin'; did you mean 'herding' or 'here'?"),
    (["show", "dm", "--config"], 2, "'dm' is not a suite"),
    (["list", "distiller"], 2, "unknown kind of component 'distiller'; did you mean 'distillers'?"),
    (["data", "get", "mnits"], 2, "unknown data set 'mnits'; did you mean 'mnist'"),
    (["check", "absent.py"], 2, "plug-in absent.py cannot be read: it does not exist."),
    (["check", "nothing.py"], 2, "nothing.py registers nothing that can be checked."),
    (["dance"], 2, "dance"),
]


@pytest.fixture(scope="module")
def folder(stillproof: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bad")
    (made / "broken.toml").write_text("seeds = = 3")
    (made / "latin.toml").write_bytes(b"name = 'caf\xe9'")
    (made / "unknown.toml").write_text("seed = 3")
    (made / "twice.toml").write_text("seeds = 3\nseeds = 4")
    (made / "other.toml").write_text('suite = "beard"')
    (made / "nothing.py").write_text("x = 1\n")
    (made / "other.txt").write_text("this is a letter, and no database\n" * 100)
    open_store(str(made / "empty.db")).close()
    shutil.copy(made / "empty.db", made / "newer.db")
    with sqlite3.connect(made / "newer.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    return made


@pytest.mark.parametrize(("argv", "code", "words"), BAD, ids=[" ".join(argv)[:60] for argv, _, _ in BAD])
def test_one_sentence_and_the_right_code(
    folder: Path, stillproof: Commands, argv: list[str], code: int, words: str
) -> None:
    letter = (folder / "other.txt").read_text()
    done = stillproof(*argv, cwd=folder)
    assert done.code == code, done.err
    sentence = done.sentence()
    assert sentence.startswith("stillproof: ") and words in sentence
    assert len(done.err.splitlines()) == 1
    assert (folder / "other.txt").read_text() == letter
    assert query(folder / "stillproof.db", "SELECT id FROM cells UNION SELECT id FROM runs") == []
    assert not (folder / "fresh.db").exists()


def test_a_corrupt_artifact_is_refused(tmp_path: Path, stillproof: Commands) -> None:
    made = stillproof(*DISTILL, "--out", "mine", "--json", cwd=tmp_path).json()
    stored = tmp_path / "stillproof-artifacts" / made["artifact"][:2] / made["artifact"] / "tensors.safetensors"
    whole = stored.read_bytes()
    for broken in (whole[:-1] + bytes([whole[-1] ^ 1]), whole[:-7]):
        for path, target in ((tmp_path / "mine" / "tensors.safetensors", "mine"), (stored, made["artifact"])):
            path.unlink()
            path.write_bytes(broken)
            done = stillproof("train", target, "--recipe", "smoke", "--seeds", "1", *TINY, cwd=tmp_path)
            assert done.code == 4 and done.sentence().startswith("stillproof: "), done.err
        assert query(tmp_path / "stillproof.db", "SELECT status FROM cells WHERE stage = 'distill'") == [("pending",)]
        assert stillproof(*DISTILL, cwd=tmp_path).code == 0, "the cell that made it is open again"
        assert stored.read_bytes() == whole


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, 250_000))
from stillproof.cli.main import main
main()
"""


def test_a_full_disk_stops_the_run_and_loses_nothing(tmp_path: Path, stillproof: Commands) -> None:
    command = ["distill", "digits", "full", "--ipc", "1", *TINY]
    done = stillproof.python(FULL, *command, cwd=tmp_path)
    assert done.code == 4 and "no space left" in done.sentence()
    assert query(tmp_path / "stillproof.db", "SELECT status, owner, attempts FROM cells") == [("pending", None, 0)]
    assert [path for path in (tmp_path / "stillproof-artifacts").rglob("*") if path.is_file()] == []
    assert stillproof(*command, cwd=tmp_path).code == 0


@pytest.mark.slow
def test_an_artifact_folder_that_cannot_be_written_stops_a_pool_with_one_sentence(
    tmp_path: Path, stillproof: Commands
) -> None:
    (tmp_path / "stillproof-artifacts").write_text("in the way")
    few = ["--methods", "random", "--seeds", "1", "--set", "full_recipe="]
    done = stillproof(*RUN, *few, "--workers", "2", cwd=tmp_path)
    assert done.code == 4, done.err
    assert "stillproof-artifacts" in done.sentence()
    assert query(tmp_path / "stillproof.db", "SELECT status FROM cells WHERE status <> 'pending'") == []


def test_usage_errors_are_not_json(tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof("distill", "digits", "nope", "--ipc", "1", "--json", cwd=tmp_path)
    assert done.code == 2 and done.sentence()
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.err)
