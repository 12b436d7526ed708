"""All attacks of all libraries that are installed."""

from __future__ import annotations

from stillproof.attack.base.norms import Norm
from stillproof.attack.bench.contestant import Contestant
from stillproof.attack.bench.libraries.adv_lib import adv_lib
from stillproof.attack.bench.libraries.art import art
from stillproof.attack.bench.libraries.foolbox import foolbox
from stillproof.attack.bench.libraries.torchattacks import torchattacks
from stillproof.attack.foreign.installed import PACKAGES, version_of


def theirs(norm: Norm) -> list[Contestant]:
    """Return the attacks of installed libraries that have a norm."""
    found = [*adv_lib(norm), *foolbox(norm), *torchattacks(norm), *art(norm)]
    versions = {library: version_of(library) for library in PACKAGES}
    return [
        Contestant(one.name, one.source, one.free, one.within, version)
        for one in found
        if (version := versions[one.source]) is not None
    ]
