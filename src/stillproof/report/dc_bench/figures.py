"""All figures of a run of dc-bench, section by section."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from matplotlib.figure import Figure

from stillproof.report.dc_bench.augmentation_bars import augmentation_figures
from stillproof.report.dc_bench.compression_curves import compression_figures
from stillproof.report.dc_bench.distribution_map import distribution_figures
from stillproof.report.dc_bench.initialisation_curves import initialisation_figures
from stillproof.report.dc_bench.rows import Rows
from stillproof.report.dc_bench.search_scatter import search_figures
from stillproof.report.dc_bench.transfer_map import transfer_figures

FIGURES: Mapping[str, Callable[[Rows], dict[str, Figure]]] = {
    "augmentation": augmentation_figures,
    "compression": compression_figures,
    "transfer": transfer_figures,
    "search": search_figures,
    "initialisation": initialisation_figures,
    "distribution": distribution_figures,
}
