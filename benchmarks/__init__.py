"""Speed against references: ``python -m benchmarks`` prints one table."""
