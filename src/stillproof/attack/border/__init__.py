"""Attacks that walk along the border between classes, and the parts that several of them share."""
