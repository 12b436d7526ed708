"""A session: everything that the command line does, from Python."""

from __future__ import annotations

from stillproof.verbs.attack_benching import AttackBenching
from stillproof.verbs.attack_set_files import AttackSetFiles
from stillproof.verbs.bundling import Bundling
from stillproof.verbs.comparing import Comparing
from stillproof.verbs.distilling import Distilling
from stillproof.verbs.keeping_zoo import Zoo
from stillproof.verbs.loading import Loading
from stillproof.verbs.merging import Merging
from stillproof.verbs.pooling import Pooling
from stillproof.verbs.publishing import Publishing
from stillproof.verbs.reading import Reading
from stillproof.verbs.verifying import Verifying
from stillproof.verbs.working import Working


class Session(
    Distilling,
    Comparing,
    Publishing,
    Pooling,
    AttackBenching,
    AttackSetFiles,
    Verifying,
    Working,
    Reading,
    Loading,
    Bundling,
    Merging,
    Zoo,
):
    """A store, a data folder and a way to compute: distil, train, attack, compare, run and show like the command line.

    ``with Session("results.db") as session:`` closes the store at its end. What one method returns, others accept:
    ``session.train(session.distill("digits", "random", 10))``.
    """
