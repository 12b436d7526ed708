"""Gradient matching, which DC and DSA share."""
