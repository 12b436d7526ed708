"""How attacks are made and judged: correctly, or as a benchmark that came before does, one origin per file."""
