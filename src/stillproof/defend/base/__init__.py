"""What all defences share."""
