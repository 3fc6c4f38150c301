"""Forking a kernel: freezing its state, trials forked from it, and the sandbox around them."""
