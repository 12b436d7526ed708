"""Why a file could not be read or written, in our own words instead of the system's or a library's."""

from __future__ import annotations

import errno
import json
import tomllib

from stillproof.core.printable import one_line

MOST_SHOWN = 300  # letters of what a library says, which may be those of a file

_REASONS = {
    errno.ENOENT: "it does not exist",
    errno.EISDIR: "it is a folder, not a file",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EEXIST: "it exists already",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "its disk is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "it would be larger than its file system allows",
    errno.ENAMETOOLONG: "its name is too long",
    errno.EIO: "its disk does not work properly",
}


def plain_reason(error: Exception) -> str:
    """Return why something failed, as the end of a sentence without its full stop."""
    if isinstance(error, OSError) and error.errno in _REASONS:
        return _REASONS[error.errno]
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno} is not valid JSON"
    if isinstance(error, tomllib.TOMLDecodeError):
        return f"it is not valid TOML: {_lower_first(str(error))}"
    if isinstance(error, RecursionError):
        return "too many brackets in it are within each other"
    if isinstance(error, ValueError) and "int_max_str_digits" in str(error):
        return "a whole number in it has thousands of digits"
    return one_line(str(error)[:MOST_SHOWN]).rstrip(".")


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
