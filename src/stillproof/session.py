"""A session: what the command line does, for people who write Python."""

from __future__ import annotations

from stillproof.verbs.attack_benching import AttackBenching
from stillproof.verbs.attack_set_files import AttackSetFiles
from stillproof.verbs.comparing import Comparing
from stillproof.verbs.distilling import Distilling
from stillproof.verbs.pooling import Pooling
from stillproof.verbs.reading import Reading
from stillproof.verbs.running import Running


class Session(Distilling, Comparing, Pooling, AttackBenching, AttackSetFiles, Running, Reading):
    """A store, a data folder and a way to compute: distil, train, attack, compare, run and show like the command line.

    ``with Session("results.db") as session:`` closes the store at its end. What a method returns, others take:
    ``session.train(session.distill("digits", "random", 10))``.
    """
