"""Figures of suites as values: what is shown, with every interval, label and unit; renderers draw them."""
