"""What a distilled set is: its form as an artifact, checks, pictures, and how it is read back."""
