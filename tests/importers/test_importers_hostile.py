"""Files that mean harm: each ends in one sentence, at once, without taking memory, and leaves nothing behind."""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign_files import INFO, LABELS, Foreigner, images, results, saved, trajectory

from stillproof.core.errors import BadInput
from stillproof.core.file_limits import VARIABLE
from stillproof.importers.beard_config import read_config
from stillproof.importers.beard_log import read_log
from stillproof.importers.checkpoints import read_model
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import read_sets
from stillproof.importers.torch_file import load_torch

MOST_BYTES = 10**9  # resident, torch and all of its libraries among them


class Raw:
    """Something that pickles as these instructions."""

    def __init__(self, content: bytes) -> None:
        self.content = content


def archive(folder: Path, pickled: bytes, **records: bytes) -> Path:
    """Write a file of ``torch.save`` with this pickle."""
    path = folder / "a.pt"
    with zipfile.ZipFile(path, "w") as whole:
        for name, content in {"data.pkl": pickled, "version": b"3\n", **records}.items():
            whole.writestr(f"archive/{name}", content)
    return path


def plain(folder: Path, pickled: bytes) -> Path:
    path = folder / "a.pkl"
    path.write_bytes(pickled)
    return path


def npy(folder: Path, descr: Any, shape: Any, content: bytes = b"") -> Path:
    np.save(folder / "labels.npy", LABELS)
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": descr, "fortran_order": False, "shape": shape})
    (folder / "images.npy").write_bytes(buffer.getvalue() + content)
    return folder / "images.npy"


def zipped(folder: Path, method: int) -> Path:
    """Write an ``.npz`` whose records say that they are packed by this method."""
    path = folder / "a.npz"
    np.savez(path, images=images(), labels=LABELS)
    content = bytearray(path.read_bytes())
    for place in (found for mark in (b"PK\x03\x04", b"PK\x01\x02") for found in places(content, mark)):
        at = place + (8 if content[place + 2] == 3 else 10)
        content[at : at + 2] = struct.pack("<H", method)
    path.write_bytes(content)
    return path


def places(content: bytearray, mark: bytes) -> list[int]:
    found, at = [], content.find(mark)
    while at >= 0:
        found.append(at)
        at = content.find(mark, at + 1)
    return found


def written_twice(folder: Path) -> Path:
    path = results(folder)
    with zipfile.ZipFile(path) as whole:
        name = next(one for one in whole.namelist() if one.endswith("/data/0"))
        content = whole.read(name)
    with zipfile.ZipFile(path, "a") as whole, pytest.warns(UserWarning, match="Duplicate"):
        whole.writestr(name, content[::-1])
    return path


def tensor_with(folder: Path, new: bytes) -> Path:
    """Write tensors that are described with other bytes where it says that no gradient is wanted."""
    path = saved({"images": images(), "labels": LABELS}, folder / "b.pt")
    with zipfile.ZipFile(path) as whole:
        records = {name.partition("/")[2]: whole.read(name) for name in whole.namelist()}
    pickled = records.pop("data.pkl")
    assert pickled.count(b"\x89") == 2
    return archive(folder, pickled.replace(b"\x89", new), **records)


def one_store_of_two_types(folder: Path) -> Path:
    path = saved([torch.zeros(20), torch.zeros(20, dtype=torch.int32)], folder / "b.pt")
    with zipfile.ZipFile(path) as whole:
        records = {name.partition("/")[2]: whole.read(name) for name in whole.namelist()}
    pickled = records.pop("data.pkl")
    assert b"X\x01\0\0\x001" in pickled
    return archive(folder, pickled.replace(b"X\x01\0\0\x001", b"X\x01\0\0\x000"), **records)


def arrays_with(folder: Path, old: bytes, new: bytes) -> Path:
    """Write a dictionary of arrays, in whose pickle some bytes are others."""
    content = pickle.dumps({"images": images().numpy(), "labels": LABELS.numpy()}, 2)
    assert old in content
    return plain(folder, content.replace(old, new))


def of_type(folder: Path, kind: str) -> Path:
    return saved({"images": torch.zeros(20, 1, 8, 8).to(getattr(torch, kind))}, folder / "a.pt")


def same_experiment(folder: Path) -> Path:
    """Write a file of half a megabyte that holds one experiment half a million times."""
    again = b"}X\x04\0\0\0data](]q\x01(K\x01K\x02e" + b"h\x01" * 499_999 + b"es."
    return archive(folder, b"\x80\x02" + again)


# A tuple of twice the last one, 64 times over; each is remembered by its number.
DOUBLED = b"Nq\0" + b"".join(b"h%c\x86q%c" % (n, n + 1) for n in range(64))
SET = b"cbuiltins\nset\n"
BOMBS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "five gigabytes of zeros": (
        lambda f: archive(f, b"\x80\x02cbuiltins\nbytearray\n\x8a\x05" + struct.pack("<Q", 5 * 10**9)[:5] + b"\x85R."),
        r"asks for builtins\.bytearray",
    ),
    "doubled tuples as a key": (lambda f: archive(f, b"\x80\x02}" + DOUBLED + b"Ns."), "it enters a tuple into"),
    "doubled tuples in a set": (
        lambda f: archive(f, b"\x80\x02" + SET + b"](" + DOUBLED + b"e\x85R."),
        "no known form",
    ),
    "doubled tuples in a pickle": (lambda f: plain(f, b"\x80\x02}" + DOUBLED + b"Ns."), "it enters a tuple into"),
    "numbers with one hash": (
        lambda f: archive(
            f,
            b"\x80\x02}(" + b"".join(pickle.dumps(n * (2**61 - 1), 2)[2:-1] + b"N" for n in range(1, 60_000)) + b"u.",
        ),
        "more than 60 bits",
    ),
    "a number of 5,000 digits": (
        lambda f: archive(f, b"\x80\x02" + pickle.dumps(10**5000, 2)[2:]),
        "a whole number of more than",
    ),
    "one experiment half a million times": (same_experiment, "holds 500000 experiments, and 1000 are the most"),
    "no size at all": (lambda f: npy(f, "|V0", (20,)), "not numbers of the types"),
    "a negative size": (lambda f: npy(f, "<f4", (-20, 1, 8, 8)), "cut short or damaged"),
    "more than there is": (lambda f: npy(f, "<f4", (2**40, 2**40)), "its header declares"),
    "a size that is no number": (lambda f: npy(f, "<f4", ("20",)), "cut short, damaged"),
    "records of a type of two": (lambda f: npy(f, [("a", "<f4"), ("b", "O")], (20,)), "not numbers of the types"),
    "complex numbers": (lambda f: npy(f, "<c8", (20, 1, 8, 8), b"\0" * 10240), "not numbers of the types"),
    "times": (lambda f: npy(f, "<M8[s]", (20, 1, 8, 8), b"\0" * 10240), "not numbers of the types"),
    **{f"a zip packed by method {n}": (partial(zipped, method=n), f"method {n}") for n in (12, 14, 93, 97, 99)},
    "an array of another version": (
        partial(arrays_with, old=b"(K\x01(K\x14", new=b"(K\x02(K\x14"),
        "numpy did not write",
    ),
    "a type of another version": (partial(arrays_with, old=b"(K\x03X", new=b"(K\x02X"), "as numpy does not"),
    "a type with parts": (partial(arrays_with, old=b"NNNJ", new=b"NK\x01NJ"), "as numpy does not"),
    "an order of bytes that is none": (
        partial(arrays_with, old=b"X\x01\0\0\0<", new=b"X\x01\0\0\0!"),
        "order of the bytes of its numbers is !",
    ),
    "one store of two types": (one_store_of_two_types, "describes one store of numbers in two ways"),
    "a function as a value": (
        lambda f: archive(f, b"\x80\x02]ctorch._utils\n_rebuild_tensor_v2\na."),
        "holds a function where a value is expected",
    ),
    "tensors of eight parts": (partial(tensor_with, new=b"\x89\x89\x89"), "cut short, damaged"),
    "tensors that may be learned or not": (partial(tensor_with, new=b"K\x01"), "as torch does not write it"),
    "classes that were learned": (partial(tensor_with, new=b"\x88"), r"type torch\.int64 were learned"),
    "two records of one name": (written_twice, "two of its records have one name"),
    **{
        f"{kind} numbers": (partial(of_type, kind=kind), f"type {kind}, and only float16")
        for kind in ("float8_e4m3fn", "complex64", "uint16")
    },
}


@pytest.mark.parametrize(("write", "words"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_one_sentence_at_once(tmp_path: Path, write: Callable[[Path], Path], words: str) -> None:
    path, started = write(tmp_path), time.thread_time()
    with pytest.raises(BadInput, match=words) as refused:
        read_sets(path, INFO, "digits", ImportOptions())
    assert "\n" not in str(refused.value) and len(str(refused.value)) < len(str(path)) + 400
    assert time.thread_time() - started < 30


def peak_of(code: str, *arguments: Path) -> tuple[int, str]:
    """Run Python code and return its peak of resident memory, as its parent sees it, and what it printed."""
    waiting = f"{textwrap.dedent(code)}\nprint(flush=True)\nimport sys; sys.stdin.read()"
    command = [sys.executable, "-c", waiting, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = []
        while (line := child.stdout.readline()) not in ("\n", ""):
            said.append(line)
        assert line, "it died"
        status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024, "".join(said)


READ_ALL = """
import sys
from pathlib import Path
from stillproof.core.errors import BadInput
from stillproof.data.load import source
from stillproof.importers.import_options import ImportOptions
from stillproof.importers.import_sets import read_sets
for name in sys.argv[1:]:
    try:
        read_sets(Path(name), source("digits").info, "digits", ImportOptions())
        print("taken", name)
    except BadInput as error:
        print("refused", error)
"""


def test_no_bomb_takes_memory(tmp_path: Path) -> None:
    files = []
    for number, (write, _) in enumerate(BOMBS.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        files.append(write(folder))
    peak, said = peak_of(READ_ALL, *files)
    assert [line.partition(" ")[0] for line in said.splitlines()] == ["refused"] * len(files)
    assert peak < MOST_BYTES


def test_what_lies_beside_a_set_is_not_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", images=images(), labels=LABELS)
    whole = results(tmp_path)
    for name in ("extra.npz", "extra.pt", "README.md"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(3 * 10**9)
    peak, said = peak_of(READ_ALL, tmp_path / "a.npz", whole)
    assert [line.partition(" ")[0] for line in said.splitlines()] == ["taken"] * 2 and peak < MOST_BYTES


@pytest.mark.parametrize("ending", ["npz", "pt"])
@pytest.mark.slow
def test_a_gigabyte_of_zeros_in_an_archive_takes_no_memory(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    if ending == "npz":
        np.savez(path, images=images(), labels=LABELS)
    else:
        saved((images(), LABELS), path)
    with zipfile.ZipFile(tmp_path / f"bomb.{ending}", "w", zipfile.ZIP_DEFLATED) as bomb:
        with zipfile.ZipFile(path) as whole:
            for name in whole.namelist():
                bomb.writestr(name, whole.read(name))
        with bomb.open("archive/data/99", "w", force_zip64=True) as record:
            for _ in range(100):
                record.write(b"\0" * 10**7)
    peak, said = peak_of(READ_ALL, tmp_path / f"bomb.{ending}")
    assert "claim to unpack to" in said and peak < MOST_BYTES


def test_every_flipped_pixel_of_a_pt_is_seen(tmp_path: Path) -> None:
    path = results(tmp_path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as whole:
        entry = next(one for one in whole.infolist() if one.filename.endswith("/data/0"))
    start = entry.header_offset + 30 + sum(struct.unpack("<HH", content[entry.header_offset + 26 :][:4]))
    draw = np.random.default_rng(0)
    for number in range(200):
        damaged = bytearray(content)
        damaged[start + int(draw.integers(entry.file_size))] ^= 1 << int(draw.integers(8))
        path.write_bytes(damaged)
        os.utime(path, ns=(number, number))
        with pytest.raises(BadInput, match="checksum"):
            load_torch(path)


def state_of_process() -> tuple[object, ...]:
    descriptors = {link.name for link in Path("/proc/self/fd").iterdir() if link.exists()}
    return descriptors, torch.serialization.get_safe_globals(), dict(os.environ)


def test_a_refused_file_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    files = [write for write, _ in BOMBS.values()]
    before = state_of_process()
    for number, write in enumerate(files):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(BadInput):
            read_sets(write(folder), INFO, "digits", ImportOptions())
    assert state_of_process() == before
    assert not list((tmp_path / "temporary").iterdir())


def test_the_limits_can_be_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path, b"\x80\x02](" + b"}" * 100_000 + b"e.")
    monkeypatch.setenv(VARIABLE, "0.02")
    with pytest.raises(BadInput, match=rf"more than 0\.04 GB .*{VARIABLE}=0\.04 allows") as refused:
        load_torch(path)
    assert "or 0.6 seconds of computing" in str(refused.value)
    monkeypatch.setenv(VARIABLE, "1")
    assert len(load_torch(path)) == 100_000
    for wrong in ("0", "much", "nan", "-1"):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(BadInput, match="a number above 0 is needed"):
            load_torch(results(tmp_path, "DC", len(wrong)))


def test_what_torch_reads_is_read_as_torch_reads_it(tmp_path: Path) -> None:
    base = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
    marked = torch.ones(3)
    marked.origin = "elsewhere"  # type: ignore[attr-defined]
    network = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    optimiser = torch.optim.SGD(network.parameters(), 0.1, momentum=0.9)
    plan = torch.optim.lr_scheduler.MultiStepLR(optimiser, [3, 5])
    network(base[0]).sum().backward()
    optimiser.step()
    value = {
        "views": [base, base[:, 1], base.transpose(0, 2), base[:0], base[1, 1, 1], base.expand(1, 2, 3, 4)],
        "types": [base.to(kind) for kind in (torch.half, torch.bfloat16, torch.double, torch.int16, torch.bool)],
        "grown": [torch.nn.Parameter(base), marked, base.requires_grad_()],
        "model": network.state_dict(),
        "optimiser": optimiser.state_dict(),
        "plan": plan.state_dict(),
        "plain": [1, 0.5, "ü", None, True, b"\xff", torch.Size([1, 2]), {3: []}],
    }
    for options in ({}, {"_use_new_zipfile_serialization": False}):
        path = saved(value, tmp_path / "a.pt", **options)
        assert same(load_torch(path), torch.load(path, weights_only=True))


def same(ours: Any, theirs: Any) -> bool:
    """Say whether two values are equal, but that tuples are lists."""
    if isinstance(theirs, torch.Tensor):
        return ours.dtype == theirs.dtype and ours.stride() == theirs.stride() and torch.equal(ours, theirs)
    if isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(same(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


def test_numbers_of_another_order_of_bytes_are_turned(tmp_path: Path) -> None:
    path = saved([torch.arange(5.0), torch.arange(5)], tmp_path / "a.pt")
    with zipfile.ZipFile(path) as whole:
        records = {name.partition("/")[2]: whole.read(name) for name in whole.namelist()}
    records |= {"byteorder": b"big", "data/0": np.arange(5, dtype=">f4").tobytes()}
    records |= {"data/1": np.arange(5, dtype=">i8").tobytes()}
    other = archive(tmp_path, records.pop("data.pkl"), **records)
    assert [one.tolist() for one in load_torch(other)] == [[0, 1, 2, 3, 4]] * 2


def test_a_checkpoint_with_a_number_of_thousands_of_digits_is_refused(tmp_path: Path) -> None:
    state = torch.nn.Linear(4, 3).state_dict()
    path = saved({"state_dict": state, "epoch": 10**5000}, tmp_path / "a.pt")
    with pytest.raises(BadInput, match="a whole number of more than"):
        read_model(path, INFO)


LINE = (
    " PGD_L2 attack on DC: final acc is: target_attack: 10.0 +- 0.0, attack time is 1.0, "
    "non_target_attack: 5.0 +- 0.0, attack time is {}, dataset: CIFAR10, IPC: {}, model: ConvNet, {}"
)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "\n".join(LINE.format("1.0", 1, "").replace("on DC", f"on {name}") for name in ("\x1b[2JDC", "D" * 3000)),
            r"mixes method \\x1b\[2JDC and D+:",
        ),
        (LINE.format("1e999", 1, ""), "impossible"),
        (LINE.format("1.0", "9" * 5000, ""), "lacks IPC"),
        (LINE.format("1.0", 1, "eval_accuracies_target: {[{" * 100_000), "letters"),
        (
            LINE.format(
                "1.0",
                1,
                "eval_accuracies_target: {[{'a': " + "-" * 9000 + "1}]} eval_accuracies_non_target: {[{'a': 1}]}",
            ),
            "cannot be read",
        ),
        (
            LINE.format(
                "1.0",
                1,
                "eval_accuracies_target: {[{'a': 1" + "0" * 4000 + "}]} eval_accuracies_non_target: {[{'a': 1}]}",
            ),
            "cannot be read",
        ),
    ],
)
def test_a_line_of_a_log_that_means_harm_is_one_sentence(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "DC_evaluation_log.txt"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match=words) as refused:
        read_log(path)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < len(str(path)) + 400


CONFIG = {"dataset": "CIFAR10", "model": "ConvNet", "method": "DC", "ipc": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "within each other"),
        ('{"a":' * 100_000, "within each other"),
        (json.dumps(CONFIG).replace("1}", "9" * 5000 + "}"), "thousands of digits"),
        (json.dumps(CONFIG).replace("1}", "9" * 4000 + "}"), "ipc is"),
        (json.dumps(CONFIG).replace("1}", "1e999}"), "ipc is"),
        (json.dumps({**CONFIG, "method": 10}), "10"),
        (json.dumps({**CONFIG, "dataset": [[]]}), "data set"),
        (json.dumps({**CONFIG, "test_attack": [{"a": 1}]}), "attack"),
        (json.dumps({**CONFIG, "load_file": "a\nattacks = []"}), "load_file has letters that cannot be shown"),
    ],
)
def test_a_configuration_that_means_harm_is_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=words) as refused:
        read_config(path)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < len(str(path)) + 400


def test_nothing_is_called_on_the_way(tmp_path: Path) -> None:
    ruin = tmp_path / "ruin"
    for call in (Foreigner(os.mkdir, str(ruin)), Foreigner(Raw, b""), Foreigner(torch.load, str(ruin))):
        with pytest.raises(BadInput, match="it asks for"):
            load_torch(saved([call], tmp_path / f"{call.call.__name__}.pt"))
    assert not ruin.exists()


def test_names_of_weights_are_shown_as_people_can_read_them(tmp_path: Path) -> None:
    state = {"layers.0.weight": torch.randn(4, 1, 3, 3), "\x1b[2J" + "a" * 3000 + ".bias": torch.randn(4)}
    with pytest.raises(BadInput, match=r"\\x1b\[2Ja+\.\.\. \(4,\)") as refused:
        read_model(saved(state, tmp_path / "a.pt"), INFO, "convnet-1:width=4")
    assert str(refused.value).isprintable() and len(str(refused.value)) < len(str(tmp_path)) + 400


@pytest.mark.parametrize("part", ["images", "labels"])
def test_a_trajectory_of_a_single_number_is_refused(tmp_path: Path, part: str) -> None:
    alone: dict[str, Any] = {part: torch.tensor(1.0)}
    folder = trajectory(tmp_path, **alone)
    with pytest.raises(BadInput, match=f"{part}_best.pt holds a single number"):
        read_sets(folder, INFO, "digits", ImportOptions())
