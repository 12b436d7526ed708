from __future__ import annotations

import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign_files import CudaTensor, Foreigner, images, saved

from stillproof.core.errors import BadInput
from stillproof.importers.pickled_tensors import load_pickled_tensors
from stillproof.importers.torch_file import load_tensor, load_torch


@pytest.mark.parametrize("zipped", [True, False])
def test_tensors_and_numpy_numbers_come_back(tmp_path: Path, zipped: bool) -> None:
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    value = {"data": [[images(), torch.arange(20)]], "acc": [np.float64(0.5), np.int64(3), np.bool_(True)], "a": array}
    found = load_torch(saved(value, tmp_path / "a.pt", _use_new_zipfile_serialization=zipped))
    assert torch.equal(found["data"][0][0], images())
    assert found["acc"] == [0.5, 3, True]
    assert np.array_equal(found["a"], array) and found["a"].dtype == np.int16


@pytest.mark.parametrize("module", [b"numpy.core.multiarray", b"numpy._core.multiarray"])
def test_numbers_of_old_and_new_numpy_are_read(tmp_path: Path, module: bytes) -> None:
    path, older = saved([np.float64(0.125)], tmp_path / "a.pt"), tmp_path / "b.pt"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(older, "w") as changed:
        for name in archive.namelist():
            content = archive.read(name)
            for one in (b"numpy.core.multiarray", b"numpy._core.multiarray"):
                content = content.replace(b"c" + one + b"\n", b"c" + module + b"\n")
            changed.writestr(name, content)
    assert load_torch(older) == [0.125]


@pytest.mark.parametrize("zipped", [True, False])
def test_what_could_run_is_named_and_not_run(tmp_path: Path, zipped: bool) -> None:
    ruin = tmp_path / "ruin"
    bomb = {"data": Foreigner(os.system, f"touch {ruin}")}
    path = saved(bomb, tmp_path / "bomb.pt", _use_new_zipfile_serialization=zipped)
    with pytest.raises(BadInput, match=r"refused: it asks for (posix|os|nt)\.system, and only tensors"):
        load_torch(path)
    assert not ruin.exists()


def test_a_pickle_bomb_is_named_and_not_run(tmp_path: Path) -> None:
    ruin, path = tmp_path / "ruin", tmp_path / "bomb.pkl"
    path.write_bytes(pickle.dumps((Foreigner(os.system, f"touch {ruin}"), 1)))
    with pytest.raises(BadInput, match=r"it asks for (posix|nt)\.system"):
        load_pickled_tensors(path)
    assert not ruin.exists()


def test_a_name_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "rude.pkl"
    path.write_bytes(b"\x80\x04\x8c\x05a\nb\x1bc\x8c\x01d\x93.")
    with pytest.raises(BadInput) as refused:
        load_pickled_tensors(path)
    assert r"asks for a\nb\x1bc.d," in str(refused.value) and str(refused.value).isprintable()


def test_a_pickle_hidden_in_a_tensor_is_not_run(tmp_path: Path) -> None:
    ruin, path, inner = tmp_path / "ruin", tmp_path / "bomb.pkl", tmp_path / "inner.pt"
    saved(Foreigner(os.system, f"touch {ruin}"), inner, _use_new_zipfile_serialization=False)
    load = torch.storage._load_from_bytes
    path.write_bytes(pickle.dumps(Foreigner(load, inner.read_bytes())))
    with pytest.raises(BadInput, match=r"it asks for (posix|nt)\.system"):
        load_pickled_tensors(path)
    assert not ruin.exists()


def test_a_tensor_of_a_gpu_is_read_on_the_cpu(tmp_path: Path) -> None:
    path = tmp_path / "a.pkl"
    view = images()[2:9].transpose(2, 3)
    path.write_bytes(pickle.dumps((CudaTensor(view), torch.arange(7), np.arange(3))))
    found = load_pickled_tensors(path)
    assert found[0].device.type == "cpu" and torch.equal(found[0], view)
    assert torch.equal(found[1], torch.arange(7)) and found[2].tolist() == [0, 1, 2]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.95])
@pytest.mark.parametrize("zipped", [True, False])
def test_files_cut_short_are_refused(tmp_path: Path, share: float, zipped: bool) -> None:
    path = saved([images(), torch.arange(20)], tmp_path / "a.pt", _use_new_zipfile_serialization=zipped)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(BadInput, match=r"empty|cut short"):
        load_torch(path)


def unpacks_to_more(path: Path) -> None:
    whole = saved(torch.zeros(1_000_000), path.with_name("whole.pt"))
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in archive.namelist():
            packed.writestr(name, archive.read(name))


def repeats_one_number(path: Path) -> None:
    saved(torch.zeros(1).expand(10**12), path)


def declares_more_than_it_stores(path: Path) -> None:
    storage = torch.storage.TypedStorage(  # type: ignore[no-untyped-call]
        wrap_storage=torch.zeros(4).untyped_storage(), dtype=torch.float32, _internal=True
    )
    saved([Foreigner(torch._utils._rebuild_tensor_v2, storage, 0, (10**7,), (1,), False, {})], path)


def holds_no_numbers(path: Path) -> None:
    saved(torch.zeros(3, device="meta"), path)


@pytest.mark.parametrize("write", [unpacks_to_more, repeats_one_number, declares_more_than_it_stores, holds_no_numbers])
def test_files_that_claim_more_than_they_hold_are_refused(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "bomb.pt"
    write(path)
    with pytest.raises(BadInput, match=r"is refused|cut short") as refused:
        load_torch(path)
    assert "\n" not in str(refused.value)


def test_lists_of_lists_of_lists_take_no_time(tmp_path: Path) -> None:
    value: list[Any] = [1]
    for _ in range(60):
        value = [value] * 10
    found = load_torch(saved(value, tmp_path / "laughs.pt"))
    while isinstance(found, list):
        found = found[0]
    assert found == 1


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04", b"\x80\x02.", b"\0" * 100])
def test_files_of_something_else_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(content)
    for load in (load_torch, load_pickled_tensors):
        with pytest.raises(BadInput, match="cut short, damaged"):
            load(path)


def test_only_a_tensor_is_a_tensor(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds a dict where a tensor is expected"):
        load_tensor(saved({"a": 1}, tmp_path / "a.pt"))
    assert float(load_tensor(saved(np.float32(0.5), tmp_path / "b.pt"))) == 0.5
    with pytest.raises(BadInput, match="cannot be read"):
        load_tensor(tmp_path / "absent.pt")
