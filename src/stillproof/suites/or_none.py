"""A parameter of a suite that may be ``none``: what it names is then left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from stillproof.core.given_params import NONE

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class _NoneIsEmpty:
    """Keeps ``none`` as an empty text, so that a run has one name however it is asked for."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return how a value is checked."""
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(_emptied, handler(source))


def _emptied(value: Any) -> Any:
    return "" if value == NONE else value


OrNone = Annotated[str, _NoneIsEmpty()]
