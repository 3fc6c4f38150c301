"""What a failure comes from, and whether it must be left alone."""
