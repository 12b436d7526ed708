"""What methods that choose real images share."""
