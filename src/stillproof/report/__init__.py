"""Tables and pictures made from stored results; nothing here computes an experiment or imports torch."""
