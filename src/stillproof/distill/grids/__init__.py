"""Grids of four images in the place of one, which IDM and BACON share."""
