"""How strong attacks are, beside each other: table and curves."""
