"""The zoo: what ships is whole, may be handed on, and is small; what is damaged is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tools import zoo as tool

from commands import Commands
from stillproof.core import shipped
from stillproof.core.errors import BadInput, Corrupt, StoreError, UnknownName
from stillproof.session import Session
from stillproof.store.zoo import INDEX, MOST_BYTES, zoo_files, zoo_folder, zoo_set, zoo_sets

NAME = "dm-digits-10ipc"


def test_what_ships_is_whole_and_small() -> None:
    found = zoo_sets()
    assert NAME in {one.name for one in found} and sum(one.bytes for one in found) <= MOST_BYTES
    for one in found:
        artifact, files = zoo_files(one)
        assert artifact.id == one.artifact and sum(map(len, files.values())) == one.bytes
        assert one.licence and one.command.startswith("stillproof ")
    there = {path.name for path in zoo_folder().iterdir()} - {INDEX}
    assert there == {f"{one.name}.{end}" for one in found for end in one.sha256}


def test_results_that_ship_are_bundles_under_their_names() -> None:
    from stillproof.store.read_bundle import read_bundle

    assert shipped.shipped_folder("results") is not None
    assert all(read_bundle(path).name == name for name, path in shipped.shipped_results().items())


def test_a_set_of_the_zoo_is_one_of_the_store(tmp_path: Path, stillproof: Commands) -> None:
    (one,) = [one for one in stillproof("zoo", "list", "--json", cwd=tmp_path).json()["sets"] if one["name"] == NAME]
    assert NAME in stillproof("zoo", "list", cwd=tmp_path).out
    done = stillproof("zoo", "get", NAME, "--out", "mine", cwd=tmp_path)
    assert done.code == 0 and "CC BY 4.0" in done.out and (tmp_path / "mine" / "preview.png").is_file()
    assert stillproof("zoo", "get", NAME, "--json", cwd=tmp_path).json()["artifact"] == one["artifact"]
    train = ["train", NAME, "--recipe", "smoke", "--seeds", "1", "--network", "convnet-1:width=4", "--json"]
    assert stillproof(*train, cwd=tmp_path).json()["trained_on"] == one["artifact"]
    done = stillproof("zoo", "get", "dm-digit", cwd=tmp_path)
    assert done.code == 2 and f"did you mean '{NAME}'" in done.sentence()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(zoo_folder(), tmp_path / "zoo")
    return tmp_path / "zoo"


@pytest.mark.parametrize("file", [f"{NAME}.safetensors", f"{NAME}.json"])
def test_a_damaged_file_is_named(copy: Path, file: str) -> None:
    data = bytearray((copy / file).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / file).write_bytes(bytes(data))
    with pytest.raises(Corrupt, match=f"{file} is damaged"):
        zoo_files(zoo_set(NAME, copy), copy)
    (copy / file).unlink()
    with pytest.raises(StoreError, match=file):
        zoo_files(zoo_set(NAME, copy), copy)


def test_a_damaged_index_and_a_zoo_that_is_not_there_are_named(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copy / INDEX).write_text('{"schema": 1, "sets": [{"name": 1}]}', encoding="utf-8")
    with pytest.raises(Corrupt, match=r"index\.json is damaged"):
        zoo_sets(copy)
    (copy / INDEX).write_text('{"schema": 2}', encoding="utf-8")
    with pytest.raises(StoreError, match="another version of Stillproof"):
        zoo_sets(copy)
    monkeypatch.setattr("stillproof.store.zoo.shipped_folder", lambda what: None)
    with pytest.raises(StoreError, match="did not come with this copy"):
        zoo_sets()


def test_an_installed_copy_finds_its_files_beside_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "share" / "stillproof" / "zoo").mkdir(parents=True)
    monkeypatch.setattr(shipped, "ROOT", tmp_path / "lib" / "site-packages" / "stillproof")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    assert shipped.shipped_folder("zoo") == tmp_path / "share" / "stillproof" / "zoo"
    assert shipped.shipped_folder("results") is None and shipped.shipped_results() == {}


def test_only_what_may_be_handed_on_gets_in(tmp_path: Path, copy: Path) -> None:
    with Session(str(tmp_path / "x.db")) as session:
        artifact = session.distill("digits", "random", 1).artifact
        about = ("made by Stillproof", "stillproof distill digits random --ipc 1")
        for licence in ("", "none stated"):
            with pytest.raises(BadInput, match="without a licence"):
                tool.add(session.store, artifact, "mine", licence, *about, copy)
        one = tool.add(session.store, artifact, "mine", "CC BY 4.0", *about, copy)
        assert zoo_files(zoo_set("mine", copy), copy)[0].id == one.artifact == artifact
        assert len(zoo_sets(copy)) == len(zoo_sets()) + 1
        tool.add(session.store, artifact, "mine", "CC0", *about, copy)
        assert zoo_set("mine", copy).licence == "CC0" and len(zoo_sets(copy)) == len(zoo_sets()) + 1
        with pytest.raises(UnknownName):
            zoo_set("yours", copy)


def test_the_zoo_stays_small(tmp_path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "MOST_BYTES", 30_000)
    with Session(str(tmp_path / "x.db")) as session:
        artifact = session.distill("digits", "random", 10).artifact
        with pytest.raises(BadInput, match="30000 are the most"):
            tool.add(session.store, artifact, "mine", "CC0", "us", "stillproof distill", copy)
    assert len(zoo_sets(copy)) == len(zoo_sets())
