"""Contract checks that ship with the package, for built-in and third-party components alike."""
