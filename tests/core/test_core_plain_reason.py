"""Reasons in our own words: no error numbers, and nothing of a library's."""

from __future__ import annotations

import errno
import json
import os
import tomllib
from pathlib import Path

import pytest

from stillproof.core.plain_reason import plain_reason


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
