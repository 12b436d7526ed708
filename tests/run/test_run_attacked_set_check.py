from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stillproof.core.errors import BadInput
from stillproof.run.attacked_set_check import check_values

N = 6
SOUND: dict[str, Any] = {
    "images": np.zeros((N, 1, 8, 8), np.uint8),
    "labels": np.arange(N) % 2,
    "sources": np.arange(N),
    "roles": np.zeros(N, np.int8),
    "predictions": np.zeros(N, np.int32),
    "forwards": np.ones(N, np.int32),
    "backwards": np.ones(N, np.int32),
    "linf": np.zeros(N, np.float32),
}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"labels": None}, "it has no labels"),
        ({"images": np.zeros((N, 1, 8, 8))}, "and no bytes of shape"),
        ({"sources": np.arange(N - 1)}, r"values of shape \(5,\) as sources"),
        ({"roles": np.zeros(N)}, "its roles are no whole numbers"),
        ({"roles": np.full(N, 3)}, "roles go from 3 to 3"),
        ({"sources": np.full(N, -2)}, "negative sources"),
        ({"labels": np.array([0] * 5 + [1])}, "one class has 1"),
        ({"backwards": None}, "it has forwards alone of its passes"),
        ({"forwards": None}, "it has backwards alone of its passes"),
        ({"predictions": np.zeros((N, 2), np.int32)}, "its predictions are no whole numbers, one of each image"),
        ({"predictions": np.zeros(N)}, "its predictions are no whole numbers"),
        ({"linf": np.zeros((N, 2), np.float32)}, "its linf are no numbers, one of each image"),
        ({"linf": np.zeros(N, np.bool_)}, "its linf are no numbers"),
    ],
)
def test_values_that_do_not_fit_are_refused_in_one_sentence(changed: dict[str, Any], words: str) -> None:
    check_values({"per_class": 3}, SOUND, "a" * 64)
    values = {name: one for name, one in (SOUND | changed).items() if one is not None}
    with pytest.raises(BadInput, match=words):
        check_values({"per_class": 3}, values, "a" * 64)
