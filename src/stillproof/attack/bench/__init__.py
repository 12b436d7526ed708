"""How strong attacks are, ours and other libraries', each on the same images at the same number of passes."""
