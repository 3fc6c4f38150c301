"""The language model as a healer: what it is sent, and how its answers are read."""
