"""The tables of the store, in the form that every supported database has; times are epoch seconds, JSON is text."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, MetaData, String, Table, Text

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

cells = Table(
    "cells",
    metadata,
    Column("id", String(64), primary_key=True),  # sha256 of the spec, in hexadecimal
    Column("stage", Text, nullable=False),
    Column("spec", Text, nullable=False),
    Column("where", Text, nullable=False),  # hints for execution that do not decide the number
    Column("status", String(16), nullable=False),
    Column("owner", Text),
    Column("lease_until", Double),
    Column("attempts", Integer, nullable=False),  # workers that died at it, and the one that runs it now
    Column("progress", Double, nullable=False),  # 0 to 1
    Column("created", Double, nullable=False),
    Column("started", Double),
    Column("finished", Double),
    Column("seconds", Double),
    Column("result", Text),
    Column("error", Text),
    Column("provenance", Text),
    Column("needs", Text),  # cells that it reads, a list as JSON, as are the two below
    Column("artifacts", Text),  # that its answer stands on
    Column("derived_from", Text),  # cells whose answers it repeats in part
    Column("origin", Text),  # the store that its answer was merged from; nothing if it was computed here
    Index("ix_cells_status_lease_until", "status", "lease_until"),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("id", String(64), primary_key=True),  # hash of the content
    Column("kind", String(32), nullable=False),
    Column("name", Text, unique=True),
    Column("cell", String(64), ForeignKey("cells.id")),
    Column("bytes", BigInteger, nullable=False),
    Column("created", Double, nullable=False),
    Column("tensors_bytes", BigInteger),  # size of its file of tensors; schema 0001 did not keep it
)

pool_members = Table(
    "pool_members",
    metadata,
    Column("pool", Text, primary_key=True),  # its name; a pool is there while something is in it
    Column("artifact", String(64), ForeignKey("artifacts.id"), primary_key=True),
    Column("added", Double, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("suite", Text, nullable=False),  # empty for a single call, which asks for no suite
    Column("created", Double, nullable=False),
    Column("config", Text, nullable=False),
    Column("rows", Text, nullable=False),
    Column("hash", String(64), nullable=False),  # of verb, suite, config and rows: its name in every store
    Column("asked", Double, nullable=False),  # when it was asked for last
    Column("name", Text),
    Column("note", Text),
    Column("verb", String(16), nullable=False),  # run, or that of a single call: train, distill, attack
    Index("ix_runs_suite", "suite"),
    Index("ix_runs_hash", "hash", unique=True),
    Index("ix_runs_name", "name", unique=True),
)

bundles = Table(
    "bundles",
    metadata,
    Column("name", Text, primary_key=True),
    Column("hash", String(64), nullable=False),  # of what it says
    Column("added", Double, nullable=False),
    Column("content", Text, nullable=False),
)
