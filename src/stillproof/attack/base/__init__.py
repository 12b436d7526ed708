"""What every attack stands on: range checks, limits, random streams, bookkeeping and cost."""
