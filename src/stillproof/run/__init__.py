"""From a suite to cells, and from cells to stored answers."""
