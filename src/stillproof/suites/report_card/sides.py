"""All sides of a report card, in their order."""

from __future__ import annotations

from stillproof.suites.report_card.of_beard import SIDES as OF_BEARD
from stillproof.suites.report_card.of_dc_bench import PLAIN
from stillproof.suites.report_card.of_dc_bench import SIDES as OF_DC_BENCH
from stillproof.suites.report_card.of_dd_ranking import SIDES as OF_DD_RANKING
from stillproof.suites.report_card.of_mad import SIDES as OF_MAD

SIDES = (PLAIN, *OF_DC_BENCH, *OF_DD_RANKING, *OF_BEARD, *OF_MAD)
