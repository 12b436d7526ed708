"""Pickles that mean harm, against the one place that reads pickles, under the lists of all of its users."""

from __future__ import annotations

import os
import pickle
import re
import struct
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from stillproof.core import safe_pickle
from stillproof.core.errors import BadInput
from stillproof.core.safe_pickle import Allowed, read_pickle
from stillproof.core.stand_ins import MOST_SHOWN, StandIn, shown
from stillproof.data import pickled_dict
from stillproof.data.pickled_numpy import PickledArray, PickledDtype, PickledScalar
from stillproof.importers import pickled_tensors

USERS = {"data": pickled_dict.ALLOWED, "tensors": pickled_tensors.ALLOWED}
every_user = pytest.mark.parametrize("allowed", USERS.values(), ids=USERS)


def read(content: bytes, folder: Path, allowed: Allowed) -> Any:
    path = folder / "a.pkl"
    path.write_bytes(content)
    return read_pickle(path, allowed, reads="plain values")


class Call:
    """Pickles as a call of ``function``, followed by a state if there is one."""

    def __init__(self, function: Callable[..., Any], *arguments: Any, state: Any = None) -> None:
        self.parts = (function, arguments, state)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.parts


def text(value: str) -> bytes:
    return b"\x8c" + bytes([len(value)]) + value.encode()


def name(module: str, attribute: str) -> bytes:
    return text(module) + text(attribute) + b"\x93"


def pickled(body: bytes) -> bytes:
    return b"\x80\x04" + body + b"."


@every_user
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_command_of_the_system_is_named_and_not_run(tmp_path: Path, allowed: Allowed, protocol: int) -> None:
    ruin = tmp_path / "ruin"
    with pytest.raises(BadInput, match=r"refused: it asks for (posix|nt)\.system, and only plain values are read"):
        read(pickle.dumps(Call(os.system, f"touch {ruin}"), protocol), tmp_path, allowed)
    assert not ruin.exists()


@every_user
@pytest.mark.parametrize("function", [eval, exec, __import__, getattr, setattr, open, compile, type])
def test_what_python_itself_can_do_is_refused(tmp_path: Path, allowed: Allowed, function: Callable[..., Any]) -> None:
    for content in (pickle.dumps(Call(function, "1"), 4), pickle.dumps([function], 2)):
        with pytest.raises(BadInput, match=r"it asks for (builtins|__builtin__|io|_io)\."):
            read(content, tmp_path, allowed)


@every_user
@pytest.mark.parametrize(
    ("module", "attribute"),
    [
        ("numpy.core.multiarray", "_reconstruct.__globals__"),
        ("numpy", "dtype.__class__.__subclasses__"),
        ("_codecs", "encode.__self__"),
        ("_codecs.encode", "__call__"),
        ("numpy", "core.multiarray._reconstruct.__init__"),
        ("numpy.ndarray", "__reduce__"),
        ("stillproof.core.stand_ins", "StandIn"),
        ("", ""),
    ],
)
def test_no_chain_of_attributes_leads_out(tmp_path: Path, allowed: Allowed, module: str, attribute: str) -> None:
    for content in (pickled(name(module, attribute)), b"c" + f"{module}\n{attribute}\n.".encode()):
        with pytest.raises(BadInput, match="it asks for"):
            read(content, tmp_path, allowed)


@pytest.mark.parametrize("code", ["O8", "O", "V8", "S100", "U10", "M8", "f16", "c8", "object", "f8,O8", "(2,)f8", ""])
def test_a_number_of_a_hostile_type_is_refused(tmp_path: Path, code: str) -> None:
    kind = name("numpy", "dtype") + text(code) + b"\x89\x88\x87R"
    scalar = name("numpy.core.multiarray", "scalar") + kind + b"C\x08" + b"\1" * 8 + b"\x86R"
    with pytest.raises(BadInput, match="refused: it holds numbers of numpy's type"):
        read(pickled(scalar), tmp_path, pickled_tensors.ALLOWED)


@pytest.mark.parametrize("kind", [text("O8"), b"N", name("numpy", "dtype"), b")", b"]"])
def test_a_number_needs_a_type_and_its_own_bytes(tmp_path: Path, kind: bytes) -> None:
    head = name("numpy.core.multiarray", "scalar")
    with pytest.raises(BadInput, match="where a type of numpy's is expected"):
        read(pickled(head + kind + b"C\x08" + b"\1" * 8 + b"\x86R"), tmp_path, pickled_tensors.ALLOWED)
    with pytest.raises(BadInput, match="declares a float64 that it does not hold"):
        float64 = name("numpy", "dtype") + text("f8") + b"\x85R"
        read(pickled(head + float64 + b"C\x01a\x86R"), tmp_path, pickled_tensors.ALLOWED)


@pytest.mark.parametrize("code", ["i1", "u2", "f4", "f8", "O8"])
def test_data_sets_are_bytes_alone(tmp_path: Path, code: str) -> None:
    with pytest.raises(BadInput, match=code):
        read(pickled(name("numpy", "dtype") + text(code) + b"\x89\x88\x87R"), tmp_path, pickled_dict.ALLOWED)
    with pytest.raises(BadInput, match=r"asks for numpy\.core\.multiarray\.scalar"):
        read(pickled(name("numpy.core.multiarray", "scalar")), tmp_path, pickled_dict.ALLOWED)


@pytest.mark.parametrize(
    "shape",
    [
        b"J\xff\xff\xff\xff\x85",  # (-1,)
        b"K\x02]\x86",  # (2, [])
        b"J\xff\xff\xff\x7f(K\x01t\x86",  # (2147483647, (1,)), whose product is a long tuple
        text("aa"),
        b"N",
        b"(" + b"K\1" * 99 + b"t",
    ],
)
def test_an_array_has_a_shape_of_whole_numbers(tmp_path: Path, shape: bytes) -> None:
    array = name("numpy.core.multiarray", "_reconstruct") + b")R"
    kind = name("numpy", "dtype") + text("u1") + b"\x85R"
    state = b"(K\x01" + shape + kind + b"\x89C\x04abcdtb"
    for allowed in USERS.values():
        with pytest.raises(BadInput, match="is refused: it declares an array"):
            read(pickled(array + state), tmp_path, allowed)


@every_user
def test_what_a_call_returns_cannot_be_called(tmp_path: Path, allowed: Allowed) -> None:
    made = name("numpy.core.multiarray", "_reconstruct") + b")R"
    with pytest.raises(BadInput, match="refused: it calls a PickledArray"):
        read(pickled(made + b")R"), tmp_path, allowed)
    with pytest.raises(BadInput, match=r"refused: it calls os\.system"):
        read(pickled(text("os.system") + b")R"), tmp_path, allowed)
    inner = name("_codecs", "encode") + text("id") + text("latin1") + b"\x86R"
    with pytest.raises(BadInput, match="refused: it calls a PickledBytes"):
        read(pickled(inner + b")R)R"), tmp_path, allowed)


@every_user
def test_calls_within_calls_within_calls_end_in_a_sentence(tmp_path: Path, allowed: Allowed) -> None:
    head = name("_codecs", "encode")
    depth = 3000
    body = head * depth + text("x") + text("latin1") + b"\x86R" + (text("latin1") + b"\x86R") * depth
    with pytest.raises(BadInput, match="asks for the text encoding"):
        read(pickled(body), tmp_path, allowed)


STATES = {
    "attributes": b"}" + text("value") + b"K\x01s",
    "a method": b"}" + text("__setstate__") + name("numpy", "dtype") + b"s",
    "slots": b"N}" + text("value") + name("numpy", "dtype") + b"s\x86",
    "a list": b"]",
    "nothing": b"N",
}


@every_user
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_no_state_changes_what_a_name_stands_for(tmp_path: Path, allowed: Allowed, state: bytes) -> None:
    kinds = (PickledArray, PickledDtype, PickledScalar, StandIn)
    before = [dict(vars(kind)) for kind in kinds]
    for target in (name("numpy", "ndarray"), name("numpy", "dtype"), name("_codecs", "encode")):
        with pytest.raises(BadInput, match="it changes a "):
            read(pickled(target + state + b"b"), tmp_path, allowed)
    made = name("_codecs", "encode") + text("a") + text("latin1") + b"\x86R"
    with pytest.raises(BadInput, match="it changes a PickledBytes"):
        read(pickled(made + state + b"b"), tmp_path, allowed)
    assert [dict(vars(kind)) for kind in kinds] == before


def test_a_state_of_a_dictionary_is_dropped_and_that_of_a_tensor_refused(tmp_path: Path) -> None:
    ordered = name("collections", "OrderedDict") + b")R"
    body = ordered + text("a") + b"K\x01s" + b"}" + text("items") + name("numpy", "dtype") + b"sb"
    assert read(pickled(body), tmp_path, pickled_tensors.ALLOWED) == {"a": 1}
    reduced: Any = torch.zeros(1).__reduce_ex__(2)  # type: ignore[no-untyped-call]
    rebuild, arguments = reduced[:2]
    hostile = Call(rebuild, *arguments, state=(arguments[0], 0, (10**9,), (1,)))
    with pytest.raises(BadInput, match="it changes a PickledTensor"):
        read(pickle.dumps(hostile, 2), tmp_path, pickled_tensors.ALLOWED)


@pytest.mark.parametrize(
    "make",
    [
        lambda: name("collections", "OrderedDict") + b")\x81",  # NEWOBJ
        lambda: name("collections", "OrderedDict") + b")}\x92",  # NEWOBJ_EX
        lambda: b"(" + name("collections", "OrderedDict") + b"o",  # OBJ
        lambda: b"(icollections\nOrderedDict\n",  # INST
        lambda: b"\x82\x01",  # EXT1
        lambda: b"Pid\n",  # PERSID
        lambda: b"NQ",  # BINPERSID
        lambda: b"\x8f",  # EMPTY_SET
        lambda: b"\x96" + struct.pack("<Q", 2**40),  # BYTEARRAY8
        lambda: b"\x97",  # NEXT_BUFFER
    ],
)
def test_objects_that_are_made_in_another_way_are_refused(tmp_path: Path, make: Callable[[], bytes]) -> None:
    with pytest.raises(BadInput, match="is cut short, damaged or no pickle"):
        read(pickled(make()), tmp_path, pickled_tensors.ALLOWED)


BOMBS = {  # with the sentence that they end in
    "a memo of four thousand million entries": (b"Nr\xff\xff\xff\xff", "holds a NoneType"),
    "the same by its old name": (b"Np4294967295\n", "holds a NoneType"),
    "a text of many gigabytes": (b"\x8d" + struct.pack("<Q", 2**40) + b"a", "cut short"),
    "bytes of many gigabytes": (b"\x8e" + struct.pack("<Q", 2**40) + b"a", "cut short"),
    "a frame of many gigabytes": (b"\x95" + struct.pack("<Q", 2**40) + b"N", "cut short"),
    "lists of lists of lists": (b"]q\0" + b"](h\0h\0eq\0" * 200, "holds a list"),
    "a key of tuples of tuples": (b"}" + b"N" + b"2\x86" * 64 + b"Ns", "it enters a tuple into a dict"),
    "a number of too many digits": (b"L" + b"9" * 10**6 + b"L\n", "cut short"),
}


@pytest.mark.parametrize(("bomb", "sentence"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_takes_neither_memory_nor_time(tmp_path: Path, bomb: bytes, sentence: str) -> None:
    path = tmp_path / "bomb.pkl"
    path.write_bytes(pickled(bomb))
    code = f"""
import resource
from pathlib import Path
from stillproof.core.errors import BadInput
from stillproof.data.pickled_dict import read_pickled_dict
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
try:
    read_pickled_dict(Path({str(path)!r}))
except BadInput as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True).stdout
    assert sentence in told and len(told) < len(str(path)) + 200


def test_content_that_is_named_a_thousand_times_is_not_made_a_thousand_times(tmp_path: Path) -> None:
    letters = b"X" + struct.pack("<I", 10**6) + b"a" * 10**6 + b"\x94"
    encode = name("_codecs", "encode") + b"\x94"
    again = b"h\x01h\x00" + text("latin1") + b"\x86R"
    for allowed in USERS.values():
        with pytest.raises(BadInput, match="is refused: it declares more than it holds"):
            read(pickled(letters + b"0" + encode + b"0](" + again * 1000 + b"e"), tmp_path, allowed)


def test_tuples_of_tuples_are_not_written_out(tmp_path: Path) -> None:
    endless = b"N" + b"2\x86" * 64
    for body in (
        name("numpy", "dtype") + endless + b"\x85R",
        name("_codecs", "encode") + text("a") + endless + b"\x86R",
        endless + b")R",
    ):
        for allowed in USERS.values():
            with pytest.raises(BadInput, match=r"a tuple"):
                read(pickled(body), tmp_path, allowed)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_values_and_arrays_come_back(tmp_path: Path, protocol: int) -> None:
    plain = {"a": [1, -(2**70), 0.5, None, True], b"b": {"c": "ü", 3: [b"\xff\0", ""]}, 1.5: [], "d": [{}, [[]]]}
    array = np.arange(6, dtype=np.uint8).reshape(2, 3)
    for allowed in USERS.values():
        assert read(pickle.dumps(plain, protocol), tmp_path, allowed) == plain
        for layout in (array, np.asfortranarray(array), array[:, ::-1]):
            found = read(pickle.dumps([layout], min(protocol, 4)), tmp_path, allowed)[0]
            assert np.array_equal(found, layout) and found.dtype == np.uint8
    numbers = [np.float32(0.5), np.int64(-3), np.bool_(True), np.dtype(">i4").type(7)]
    assert read(pickle.dumps(numbers, protocol), tmp_path, pickled_tensors.ALLOWED) == [0.5, -3, True, 7]
    big_endian = np.array([1, 2], ">i4")
    assert read(pickle.dumps(big_endian, min(protocol, 4)), tmp_path, pickled_tensors.ALLOWED).tolist() == [1, 2]


def test_tensors_parameters_and_dictionaries_of_them_come_back(tmp_path: Path) -> None:
    base = torch.arange(1000.0)
    value = [base, base[10:20], torch.nn.Parameter(base[::2].clone()), OrderedDict(a=base[:0], b=base.view(10, 100).T)]
    first, part, own, named = read(pickle.dumps(value, 2), tmp_path, pickled_tensors.ALLOWED)
    assert torch.equal(first, base) and torch.equal(part, base[10:20]) and torch.equal(own, base[::2])
    assert named["a"].shape == (0,) and torch.equal(named["b"], base.view(10, 100).T)


def test_every_list_of_names_is_written_out() -> None:
    assert set(pickled_dict.ALLOWED) == {
        "numpy.core.multiarray._reconstruct",
        "numpy._core.multiarray._reconstruct",
        "numpy.ndarray",
        "numpy.dtype",
        "_codecs.encode",
    }
    assert set(pickled_tensors.ALLOWED) - set(pickled_dict.ALLOWED) == {
        "numpy.core.multiarray.scalar",
        "numpy._core.multiarray.scalar",
        "torch._utils._rebuild_tensor_v2",
        "torch._utils._rebuild_parameter",
        "torch.storage._load_from_bytes",
        "collections.OrderedDict",
    }


def test_only_one_file_unpickles() -> None:
    root = Path(safe_pickle.__file__).parents[1]
    texts = {path.name: path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    assert [file for file, code in texts.items() if re.search(r"pickle\.(loads?|_?Unpickler)\b", code)] == [
        "safe_pickle.py"
    ]


def test_a_name_is_shown_in_plain_letters() -> None:
    assert shown("a\nb\x1bc") == r"a\nb\x1bc" and shown(b"\xff") == r"\xff" and shown((1, 2)) == "a tuple"
    assert len(shown("x" * 1000)) == MOST_SHOWN + 3
