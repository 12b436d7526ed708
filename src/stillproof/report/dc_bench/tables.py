"""All tables of a run of dc-bench, section by section."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stillproof.report.dc_bench.augmentation import augmentation_tables
from stillproof.report.dc_bench.compression import compression_tables
from stillproof.report.dc_bench.cost import cost_tables
from stillproof.report.dc_bench.distribution import distribution_tables
from stillproof.report.dc_bench.initialisation import initialisation_tables
from stillproof.report.dc_bench.k_center import k_center_tables
from stillproof.report.dc_bench.optimiser import optimiser_tables
from stillproof.report.dc_bench.rows import Rows
from stillproof.report.dc_bench.search import search_tables
from stillproof.report.dc_bench.transfer import transfer_tables
from stillproof.report.table import Table

TABLES: Mapping[str, Callable[[Rows], list[Table]]] = {
    "augmentation": augmentation_tables,
    "compression": compression_tables,
    "transfer": transfer_tables,
    "search": search_tables,
    "initialisation": initialisation_tables,
    "k-center": k_center_tables,
    "optimiser": optimiser_tables,
    "distribution": distribution_tables,
    "cost": cost_tables,
}
