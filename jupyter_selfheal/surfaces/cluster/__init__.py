"""Notebooks healed by workers elsewhere: any executor, a cluster."""
