"""Tables for pandas, where it is installed; nothing here needs it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from stillproof.core.errors import BadInput


def dataframe(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Any:
    """Return a ``pandas.DataFrame``.

    Raises:
        BadInput: pandas is not installed.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise BadInput("a data frame needs pandas, which is not installed here: `pip install pandas`.") from None
    return pandas.DataFrame(list(rows), columns=list(header))
