"""Answers of other stores, counted again from the outcomes that they stand on."""
