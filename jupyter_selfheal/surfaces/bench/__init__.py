"""Benchmarks of the product's own loop: programs become notebooks, are healed, and are judged apart."""
