"""Questions to the live state in which a cell failed; each module defines ``probe(shell, last, argument)``."""
