"""Attacks on models, one per file.

The package has the name of the function that attacks a model, ``stillproof.attack(model, images, labels)``, so that it
can be called like it.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    """A package that is called as a function."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Attack a model, as ``stillproof.own_model.attack`` does; it is above this package, and loaded when called."""
        return importlib.import_module("stillproof.own_model").attack(*given, **named)


sys.modules[__name__].__class__ = _CallablePackage
