"""Slips that beginners make, put into small programs of our own, and how many of them are healed."""
