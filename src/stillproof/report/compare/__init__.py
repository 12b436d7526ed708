"""Are two sets, models or methods different? What the stored predictions of their networks say."""
