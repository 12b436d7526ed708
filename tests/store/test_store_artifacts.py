from __future__ import annotations

import json
import math
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from stillproof.core.errors import BadInput, Corrupt, StoreError
from stillproof.core.spec import digest
from stillproof.store.artifact_files import read_folder, seal
from stillproof.store.artifacts import Artifacts
from stillproof.store.atomic import STALE_SECONDS
from stillproof.store.store import open_store

TENSORS = {"images": torch.arange(12.0).reshape(3, 4), "labels": torch.tensor([0, 1, 2])}
CARD = {"method": "dm", "ipc": 1, "params": {"lr": 0.5}, "cost": {"seconds": 3.5}, "provenance": {"host": "a"}}


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    return Artifacts(tmp_path / "root")


def _tensor(dtype: torch.dtype, shape: list[int], numbers: list[int]) -> Tensor:
    count = math.prod(shape)
    return torch.tensor((numbers * count)[:count], dtype=torch.int64).to(dtype).reshape(shape)


tensor = st.builds(
    _tensor,
    st.sampled_from([torch.float32, torch.int64, torch.uint8]),
    st.lists(st.integers(0, 3), max_size=4),
    st.lists(st.integers(-300, 300), min_size=1, max_size=7),
)
json_value: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.text("abc/.0", min_size=1), tensor, max_size=4), st.dictionaries(st.text(), json_value))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, tensors: dict[str, Tensor], card: dict[str, Any]
) -> None:
    artifacts = Artifacts(tmp_path_factory.mktemp("root"))
    artifact = artifacts.write("distilled", tensors, card)
    found = artifacts.read(artifact)
    assert (found.id, found.kind, found.card) == (artifact, "distilled", card)
    assert found.tensors.keys() == tensors.keys()
    for name, values in tensors.items():
        assert found.tensors[name].dtype == values.dtype and found.tensors[name].shape == values.shape
        assert torch.equal(found.tensors[name], values)
    assert artifacts.write("distilled", dict(reversed(tensors.items())), dict(reversed(card.items()))) == artifact


def test_the_folder_is_as_documented(artifacts: Artifacts) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD, extra={"README.md": b"# It", "preview.png": b"png"})
    folder = artifacts.root / artifact[:2] / artifact
    assert {path.name for path in folder.iterdir()} == {"tensors.safetensors", "card.json", "README.md", "preview.png"}
    assert (folder / "README.md").read_bytes() == b"# It"
    content = json.loads((folder / "card.json").read_text())
    assert (content["format"], content["kind"], content["id"], content["card"]) == (1, "distilled", artifact, CARD)
    assert content.pop("seal") == digest(content)
    assert [path.name for path in artifacts.root.iterdir()] == [artifact[:2]], "nothing partial is left"


def test_what_names_an_artifact(artifacts: Artifacts) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    same = artifacts.write("distilled", TENSORS, CARD | {"cost": {"seconds": 99.0}}, extra={"README.md": b"other"})
    assert same == artifact
    assert artifacts.read(artifact).card == CARD, "the first one stays"
    others = {
        artifacts.write("model", TENSORS, CARD),
        artifacts.write("distilled", TENSORS | {"images": TENSORS["images"] + 1}, CARD),
        artifacts.write("distilled", TENSORS, CARD | {"ipc": 2}),
        artifacts.write("distilled", TENSORS, CARD, volatile=()),
        artifacts.write("distilled", {"pictures": TENSORS["images"], "labels": TENSORS["labels"]}, CARD),
    }
    assert len(others | {artifact}) == 6


def test_layout_in_memory_does_not_name_an_artifact(artifacts: Artifacts) -> None:
    images = torch.arange(24.0).reshape(1, 2, 3, 4)
    plain = artifacts.write("distilled", {"a": images, "b": images.clone()}, {})
    strided = images.to(memory_format=torch.channels_last).requires_grad_()
    assert artifacts.write("distilled", {"b": strided, "a": strided}, {}) == plain


def test_numbers_that_json_does_not_have(artifacts: Artifacts) -> None:
    with pytest.raises(BadInput, match="the card of this distilled"):
        artifacts.write("distilled", TENSORS, {"lr": math.nan})


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "..", "card.json", "tensors.safetensors", "/etc/x", "x.py"])
def test_extra_files_stay_in_the_folder(artifacts: Artifacts, name: str) -> None:
    with pytest.raises(BadInput, match="cannot be a file beside"):
        artifacts.write("distilled", TENSORS, CARD, extra={name: b"x"})


def _rewrite(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text()) | changes
    content.pop("seal")
    path.write_text(json.dumps(content | {"seal": digest(content)}))


def test_every_damage_is_found_and_names_the_file(artifacts: Artifacts) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    folder = artifacts.folder(artifact)
    for name in ("tensors.safetensors", "card.json"):
        path = folder / name
        whole = path.read_bytes()
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        damages = [whole[:-3], whole[:middle], b"", whole + b" x", flipped]
        for damaged in damages:
            assert damaged != whole
            path.write_bytes(damaged)
            with pytest.raises(Corrupt, match=name) as caught:
                artifacts.read(artifact)
            assert caught.value.exit_code == 4
        path.unlink()
        with pytest.raises(Corrupt, match=f"{name} is missing"):
            artifacts.read(artifact)
        path.write_bytes(whole)
    assert artifacts.read(artifact).id == artifact
    with pytest.raises(Corrupt, match=r"card\.json is missing"):
        artifacts.read("0" * 64)


def test_cards_that_were_sealed_again_by_somebody_else(artifacts: Artifacts) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    path = artifacts.folder(artifact) / "card.json"
    whole = path.read_text()
    changes: list[dict[str, Any]] = [
        {"card": CARD | {"ipc": 50}},
        {"kind": "model"},
        {"kind": 3},
        {"card": []},
        {"volatile": [["method"]]},
        {"volatile": ["ipc"]},
        {"tensors_sha256": "0" * 64},
        {"more": 1},
    ]
    for change in changes:
        _rewrite(path, **change)
        with pytest.raises(Corrupt, match=r"card\.json"):
            artifacts.read(artifact)
        path.write_text(whole)
    for text in ('{"format": NaN}', "[" * 100_000, "null", "\udcff"):
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(Corrupt, match=r"card\.json"):
            artifacts.read(artifact)
    path.write_text(whole.replace('"format": 1', '"format": 2'))
    with pytest.raises(StoreError, match="upgrade Stillproof"):
        artifacts.read(artifact)


def test_a_card_does_not_choose_what_its_id_leaves_out(artifacts: Artifacts) -> None:
    """Else two cards that say different things could have one id."""
    artifact = artifacts.write("distilled", TENSORS, CARD)
    folder = artifacts.folder(artifact)
    more = CARD | {"teachers": ["0" * 64]}
    same, files = seal("distilled", TENSORS, more, ["cost", "provenance", "teachers"])
    assert same == artifact
    (folder / "card.json").write_bytes(files["card.json"])
    with pytest.raises(Corrupt, match=r"card\.json is corrupt: its id leaves out 'teachers'"):
        artifacts.read(artifact)


def test_a_sound_artifact_under_a_wrong_id(artifacts: Artifacts) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    wrong = artifacts.folder("0" * 64)
    wrong.parent.mkdir()
    artifacts.folder(artifact).rename(wrong)
    with pytest.raises(Corrupt, match="it belongs to artifact"):
        artifacts.read("0" * 64)


def test_export_and_copy_in(artifacts: Artifacts, tmp_path: Path) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD, extra={"README.md": b"# It"})
    out = tmp_path / "new" / "out"
    artifacts.export(artifact, out)
    artifacts.export(artifact, out)  # the same again is no overwriting
    assert read_folder(out).id == artifact
    (out / "secret").symlink_to("/etc/hostname")

    other = Artifacts(tmp_path / "other")
    assert other.copy_in(out) == artifact
    assert other.read(artifact).card == CARD
    names = {path.name for path in other.folder(artifact).iterdir()}
    assert names == {"tensors.safetensors", "card.json", "README.md"}
    assert sorted(path.name for path in out.parent.iterdir()) == ["out"]


@pytest.mark.parametrize("name", ["tensors.safetensors", "card.json"])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "huge"])
def test_what_is_no_regular_file_of_its_size_is_refused(
    artifacts: Artifacts, tmp_path: Path, name: str, kind: str
) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    artifacts.export(artifact, out := tmp_path / "out")
    (out / name).rename(tmp_path / "file")
    match kind:
        case "link":
            (out / name).symlink_to(tmp_path / "file")
        case "pipe":
            os.mkfifo(out / name)
        case "folder":
            (out / name).mkdir()
        case "huge":
            with (out / name).open("wb") as file:
                file.truncate(2**40)
    other = Artifacts(tmp_path / "other")
    with pytest.raises(Corrupt, match="has 1099511627776 bytes" if kind == "huge" else "is no regular file"):
        other.copy_in(out)
    assert not other.root.exists()


def test_only_the_files_of_its_kind_are_copied(artifacts: Artifacts, tmp_path: Path) -> None:
    pictures = {"README.md": b"# It", "preview.png": b"png", "preview_decoded.png": b"png"}
    distilled = artifacts.write("distilled", TENSORS, CARD, extra=pictures)
    model = artifacts.write("model", TENSORS, CARD, extra={"README.md": b"# It"})
    other = Artifacts(tmp_path / "other")
    for artifact, kept in ((distilled, set(pictures)), (model, {"README.md"})):
        folder = artifacts.folder(artifact)
        for stray in (".bashrc", "sitecustomize.py", "preview_decoded.png"):
            (folder / stray).write_bytes(b"x")
        (folder / "sub").mkdir()
        if model == artifact:
            (folder / "preview.png").symlink_to("/etc/hostname")
        artifacts.export(artifact, tmp_path / artifact)
        other.copy_in(folder)
        for place in (tmp_path / artifact, other.folder(artifact)):
            assert {path.name for path in place.iterdir()} == {"tensors.safetensors", "card.json", *kept}


def test_export_does_not_overwrite(artifacts: Artifacts, tmp_path: Path) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    different = artifacts.write("distilled", TENSORS, {})
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.txt").write_text("mine")
    artifacts.export(different, tmp_path / "different")
    for taken in ("file", "folder", "different"):
        with pytest.raises(BadInput, match="name another folder"):
            artifacts.export(artifact, tmp_path / taken)
    assert (tmp_path / "file").read_text() == (tmp_path / "folder" / "mine.txt").read_text() == "mine"
    assert read_folder(tmp_path / "different").id == different
    (tmp_path / "empty").mkdir()
    artifacts.export(artifact, tmp_path / "empty")
    assert read_folder(tmp_path / "empty").id == artifact


def test_a_corrupt_folder_is_neither_copied_in_nor_exported(artifacts: Artifacts, tmp_path: Path) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    path = artifacts.folder(artifact) / "tensors.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    other = Artifacts(tmp_path / "other")
    with pytest.raises(Corrupt, match="tensors"):
        other.copy_in(artifacts.folder(artifact))
    with pytest.raises(Corrupt, match="tensors"):
        artifacts.export(artifact, tmp_path / "out")
    with pytest.raises(Corrupt, match=r"nowhere/card\.json is missing"):
        other.copy_in(tmp_path / "nowhere")
    assert not (tmp_path / "other").exists() and not (tmp_path / "out").exists()


def _flip(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))


@pytest.mark.parametrize("name", ["tensors.safetensors", "card.json"])
def test_a_corrupt_artifact_is_set_aside_when_it_is_written_again(
    artifacts: Artifacts, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    assert artifacts.is_sound(artifact)
    _flip(artifacts.folder(artifact) / name)
    damaged = (artifacts.folder(artifact) / name).read_bytes()
    assert not artifacts.is_sound(artifact)
    assert artifacts.write("distilled", TENSORS, CARD) == artifact
    assert artifacts.is_sound(artifact) and artifacts.read(artifact).card == CARD
    (aside,) = (artifacts.root / ".corrupt").iterdir()
    assert aside.name.startswith(f"{artifact}.corrupt-") and (aside / name).read_bytes() == damaged
    (warning,) = caplog.records
    assert warning.levelname == "WARNING" and str(aside) in warning.getMessage()


def test_a_corrupt_artifact_is_replaced_by_copying_in_a_sound_one(artifacts: Artifacts, tmp_path: Path) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    artifacts.export(artifact, tmp_path / "copy")
    (artifacts.folder(artifact) / "tensors.safetensors").unlink()
    assert artifacts.copy_in(tmp_path / "copy") == artifact
    assert artifacts.is_sound(artifact)


def test_an_artifact_that_is_gone_or_of_another_id_is_not_sound(artifacts: Artifacts) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    shutil.copytree(artifacts.folder(artifact), artifacts.folder("0" * 64))
    assert not artifacts.is_sound("0" * 64)
    assert artifacts.tensors_bytes(artifact) == artifacts.tensors_bytes("0" * 64) is not None
    shutil.rmtree(artifacts.folder(artifact))
    assert not artifacts.is_sound(artifact) and artifacts.tensors_bytes(artifact) is None


def test_what_killed_writers_left_is_removed_after_a_day(artifacts: Artifacts) -> None:
    ages = {".partial-old": STALE_SECONDS + 60, ".partial-new": STALE_SECONDS - 60, "other": 2 * STALE_SECONDS}
    for name, age in ages.items():
        (artifacts.root / name).mkdir(parents=True)
        (artifacts.root / name / "tensors.safetensors").write_bytes(b"half")
        os.utime(artifacts.root / name, (time.time() - age,) * 2)
    artifact = artifacts.write("distilled", TENSORS, CARD)
    assert {path.name for path in artifacts.root.iterdir()} == {".partial-new", "other", artifact[:2]}


def test_tensors_that_are_none(artifacts: Artifacts) -> None:
    artifact = artifacts.write("distilled", TENSORS, CARD)
    path = artifacts.folder(artifact)
    (path / "tensors.safetensors").write_bytes(b"\xff" * 64)
    content = json.loads((path / "card.json").read_text())
    content["tensors_sha256"] = "8667e718294e9e0df1d30600ba3eeb201f764aad2dad72748643e4a285e1d1f7"
    card = {key: value for key, value in content["card"].items() if key not in content["volatile"]}
    named = {"kind": content["kind"], "tensors_sha256": content["tensors_sha256"], "card": card}
    _rewrite(path / "card.json", tensors_sha256=content["tensors_sha256"], id=digest(named))
    with pytest.raises(Corrupt, match="does not hold tensors"):
        read_folder(path)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be used"):
        Artifacts(tmp_path / "file" / "root").write("distilled", TENSORS, CARD)
    artifacts = Artifacts(tmp_path / "root")
    artifact = artifacts.write("distilled", TENSORS, CARD)
    with pytest.raises(StoreError, match="cannot be used"):
        artifacts.export(artifact, tmp_path / "file" / "out")


def test_scratch_folders(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "x.db")) as store:
        cell = "ab" * 32
        assert store.scratch(cell) == tmp_path / "x-artifacts" / ".scratch" / cell[:16]
        assert not store.scratch(cell).exists()
        store.drop_scratch(cell)
        store.scratch(cell).mkdir(parents=True)
        (store.scratch(cell) / "steps.checkpoint").touch()
        store.drop_scratch(cell)
        assert not store.scratch(cell).exists()
