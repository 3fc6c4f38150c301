"""What was spent."""

from __future__ import annotations

from dataclasses import dataclass

from jupyter_selfheal.numbers import read_count, read_number


@dataclass(frozen=True, slots=True)
class Cost:
    """What was spent: US dollars (``unknown`` where no price is known), tokens, calls."""

    usd: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    unknown: bool = False

    def __post_init__(self) -> None:
        """A sum that holds no number would pass every limit. Raises ValueError."""
        counts = (self.input_tokens, self.output_tokens, self.calls)
        if read_number(self.usd, 0) is None or any(read_count(count) is None for count in counts):
            raise ValueError(f"no cost: {self.usd!r} dollars, {counts} tokens and calls")

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.usd + other.usd,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
            self.unknown or other.unknown,
        )
