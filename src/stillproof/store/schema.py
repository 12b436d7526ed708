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
    Column("kind", String(64)),  # hash of what cells have in common that the same compiled code serves
    Column("alone", Integer),  # 1 if it measures time, so that no other may run beside it
    Column("machine", Text),  # JSON of the machine that it measures, where only that one can
    Index("ix_cells_status_lease_until", "status", "lease_until"),
)

# Which cells a cell waits for; a row for each, so that a database can say which ones are ready.
cell_needs = Table(
    "cell_needs",
    metadata,
    Column("cell", String(64), ForeignKey("cells.id", ondelete="CASCADE"), primary_key=True),
    Column("need", String(64), primary_key=True),
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

# What workers are to compute: the cells of a run, or of a single call, as far as they are known.
plans = Table(
    "plans",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),  # hash of the run and of which of its cells are asked for
    Column("run", Integer, ForeignKey("runs.id", ondelete="CASCADE")),  # nothing for a single call
    Column("question", Text),  # what is planned again once the answers are there that it depends on; nothing if none is
    Column("plugins", Text, nullable=False),  # hashes of the plug-ins that it was planned with, a list as JSON
    Column("created", Double, nullable=False),
    Column("open", Integer, nullable=False),  # 1 while some of its cells wait for it to be planned again
    Column("owner", Text),  # who plans it again
    Column("lease_until", Double),
    Column("trouble", Text),  # why it could not be planned again
    Index("ix_plans_key", "key", unique=True),
    Index("ix_plans_run", "run"),
)

plan_cells = Table(
    "plan_cells",
    metadata,
    Column("plan", Integer, ForeignKey("plans.id", ondelete="CASCADE"), primary_key=True),
    Column("cell", String(64), ForeignKey("cells.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, nullable=False),  # in order of need
    Column("last", Integer, nullable=False),  # 1 if it measures time, or needs a cell that does
    Index("ix_plan_cells_cell", "cell"),
    Index("ix_plan_cells_plan_place", "plan", "place"),
)

plugins = Table(
    "plugins",
    metadata,
    Column("hash", String(64), primary_key=True),  # of the content
    Column("name", Text, nullable=False),
    Column("content", Text, nullable=False),  # the file and what it imports, as JSON
)

workers = Table(
    "workers",
    metadata,
    Column("name", Text, primary_key=True),  # as it owns cells
    Column("node", Text, nullable=False),
    Column("job", Text),  # what started it, such as a job of Slurm
    Column("plan", Integer),  # the one plan that it works on; nothing for all
    Column("started", Double, nullable=False),
    Column("seen", Double, nullable=False),
    Column("ended", Double),
)
