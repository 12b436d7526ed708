"""The plain word ``faithful`` means a suite's own origin, which may also be named; another one's is refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.core.presets import preset_params
from stillproof.suites.requests import Row

ORIGINS = {"accuracy": "dc-bench", "dc-bench": "dc-bench", "dd-ranking": "dd-ranking", "beard": "beard"}


def rows(suite: str, protocol: str) -> Sequence[Row]:
    options = preset_params(suites.get(suite), "smoke", "", 1) | {"protocol": protocol}
    found: Sequence[Row] = suites.build(suite, options).rows()
    return found


@pytest.mark.parametrize("suite", ORIGINS)
def test_faithful_is_faithful_to_the_suites_own_origin(suite: str) -> None:
    assert rows(suite, "faithful") == rows(suite, f"faithful:{ORIGINS[suite]}") != rows(suite, "fair")


@pytest.mark.parametrize("suite", ORIGINS)
@pytest.mark.parametrize("origin", sorted({*ORIGINS.values(), "mine"}))
def test_another_origin_is_refused_in_a_sentence(suite: str, origin: str) -> None:
    if origin == ORIGINS[suite]:
        return
    with pytest.raises(BadInput, match=f"protocol = 'faithful:{origin}' is not allowed: .*'faithful:{ORIGINS[suite]}'"):
        rows(suite, f"faithful:{origin}")
