"""Rules: offline, one a file, each matches a kind of failure and proposes patches with an applicability."""
