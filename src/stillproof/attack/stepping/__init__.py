"""Attacks that go step by step up a gradient, and the parts that several of them share."""
