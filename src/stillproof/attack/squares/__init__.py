"""What the Square attack proposes: squares of one colour in Linf, pyramids in L2."""
