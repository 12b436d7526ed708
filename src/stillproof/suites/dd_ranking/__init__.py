"""Suite dd-ranking: how much of an accuracy is the data's own merit."""
