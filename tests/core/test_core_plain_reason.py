"""Reasons in our own words: no error numbers, and nothing of a library's."""

from __future__ import annotations

import errno
import json
import os
import tomllib
from pathlib import Path

import pytest
import torch

from stillproof.core.errors import Corrupt, UnknownName
from stillproof.core.plain_reason import plain_reason
from stillproof.core.tensor_bytes import from_bytes, to_bytes


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EISDIR, errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EDQUOT])
def test_errors_of_the_system_have_no_number_and_no_path(number: int) -> None:
    said = plain_reason(OSError(number, os.strerror(number), "a/path"))
    assert "Errno" not in said and "path" not in said and not said.endswith(".") and said[0].islower()


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(OSError) as missing:
        (tmp_path / "absent").read_text()
    with pytest.raises(OSError) as folder:
        tmp_path.read_text()
    assert (plain_reason(missing.value), plain_reason(folder.value)) == (
        "it does not exist",
        "it is a folder, not a file",
    )


def test_text_that_cannot_be_parsed_says_where() -> None:
    with pytest.raises(json.JSONDecodeError) as no_json:
        json.loads('{"a": 1,\n b}')
    assert plain_reason(no_json.value) == "line 2, column 2 is not valid JSON"
    with pytest.raises(tomllib.TOMLDecodeError) as no_toml:
        tomllib.loads("a = = 3")
    assert plain_reason(no_toml.value) == "it is not valid TOML: invalid value (at line 1, column 5)"
    with pytest.raises(UnicodeDecodeError) as no_text:
        b"\xff".decode()
    assert plain_reason(no_text.value) == "it is not UTF-8 text"


def test_other_errors_speak_for_themselves() -> None:
    assert plain_reason(ValueError("the header is broken.")) == "the header is broken"


def test_what_a_library_says_of_a_file_is_short_and_can_be_shown() -> None:
    assert plain_reason(ValueError("unknown \ufeff\x1b[2J\nthing.")) == "unknown \\ufeff\\x1b[2J\\nthing"
    assert len(plain_reason(ValueError("x" * 5000))) == 300


def test_a_name_that_nobody_knows_is_short_however_it_is_written() -> None:
    said = str(UnknownName("network", "\0" * 150, ["convnet"]))
    assert said.isprintable() and len(said) < 300
    assert "unknown network 'abc'; " in str(UnknownName("network", "abc", ["convnet"]))


def test_tensors_that_are_none_are_named_in_one_line(tmp_path: Path) -> None:
    content = to_bytes({"a": torch.zeros(2)}).replace(b'"F32"', b'"F\\n"')
    with pytest.raises(Corrupt, match="does not hold tensors") as refused:
        from_bytes(content, tmp_path / "x")
    assert "\n" not in str(refused.value)
