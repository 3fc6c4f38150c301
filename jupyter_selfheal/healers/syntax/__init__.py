"""A search over tokens for cells that do not parse: best first, from the place where the parser gives up outwards."""
