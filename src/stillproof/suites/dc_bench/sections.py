"""The sections of suite dc-bench: the name of each, with its rows, its tables and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from stillproof.report.dc_bench.augmentation import augmentation_figures, augmentation_tables
from stillproof.report.dc_bench.compression import compression_figures, compression_tables
from stillproof.report.dc_bench.cost import cost_tables
from stillproof.report.dc_bench.distribution import distribution_figures, distribution_tables
from stillproof.report.dc_bench.initialisation import initialisation_figures, initialisation_tables
from stillproof.report.dc_bench.k_center import k_center_tables
from stillproof.report.dc_bench.optimiser import optimiser_tables
from stillproof.report.dc_bench.search import search_figures, search_tables
from stillproof.report.dc_bench.transfer import transfer_figures, transfer_tables
from stillproof.report.section import Section
from stillproof.suites.dc_bench.augmentation import augmentation_rows
from stillproof.suites.dc_bench.compression import compression_rows
from stillproof.suites.dc_bench.initialisation import initialisation_rows
from stillproof.suites.dc_bench.search import search_rows
from stillproof.suites.dc_bench.studies import cost_rows, distribution_rows, k_center_rows, optimiser_rows
from stillproof.suites.dc_bench.transfer import transfer_rows

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench
    from stillproof.suites.requests import Row
    from stillproof.suites.row_builder import RowBuilder

SECTIONS: tuple[Section[Callable[[DCBench, RowBuilder], Iterator[Row]]], ...] = (
    Section("augmentation", augmentation_rows, augmentation_tables, augmentation_figures),
    Section("compression", compression_rows, compression_tables, compression_figures),
    Section("transfer", transfer_rows, transfer_tables, transfer_figures),
    Section("search", search_rows, search_tables, search_figures),
    Section("initialisation", initialisation_rows, initialisation_tables, initialisation_figures),
    Section("k-center", k_center_rows, k_center_tables),
    Section("optimiser", optimiser_rows, optimiser_tables),
    Section("distribution", distribution_rows, distribution_tables, distribution_figures),
    Section("cost", cost_rows, cost_tables),
)
