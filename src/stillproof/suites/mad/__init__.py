"""Suite mad: which defence adapts to an attack that it has never seen, and at what cost on clean images?"""
