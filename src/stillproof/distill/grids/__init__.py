"""Grids of four images in place of one, which IDM and BACON share."""
