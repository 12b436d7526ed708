"""A protocol names its origin, and the plain word is enough where it is asked for."""

from __future__ import annotations

import pytest

from stillproof.core.errors import UnknownName
from stillproof.core.protocol import Protocol, protocol_meant


class Rome(Protocol):
    origin = "rome"
    plain = True


class Other(Rome):
    origin = "other"
    plain = False


KNOWN = (Protocol(), Rome(), Other())


@pytest.mark.parametrize(
    ("name", "full", "written"),
    [
        ("fair", "fair", "fair"),
        ("faithful", "faithful:rome", "faithful"),
        ("faithful:rome", "faithful:rome", "faithful"),
        ("faithful:other", "faithful:other", "faithful:other"),
    ],
)
def test_a_protocol_has_a_name_in_full_and_one_that_is_written(name: str, full: str, written: str) -> None:
    found = protocol_meant(name, KNOWN)
    assert (found.name, found.written) == (full, written)


def test_another_origin_is_refused_with_what_comes_closest() -> None:
    with pytest.raises(UnknownName, match="unknown protocol 'faithful:roma'; did you mean 'faithful:rome'"):
        protocol_meant("faithful:roma", KNOWN)
