"""What methods share that ask a teacher."""
