"""``jupyter selfheal bench resilience``: faults on purpose, and what came of each."""
