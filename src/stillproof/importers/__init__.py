"""Third-party distilled sets and models: one module per format, and one for plain formats of no method's own."""
