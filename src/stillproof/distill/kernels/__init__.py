"""Kernels that a distiller can regress with, and the regression itself."""
