"""Suite beard: adversarial robustness of models trained on distilled data."""
