"""What an audit of a distilled set found, for people and programs."""
