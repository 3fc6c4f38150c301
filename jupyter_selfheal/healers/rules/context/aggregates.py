"""What pandas aggregates by, and where it is told so."""

from __future__ import annotations

AGGREGATES = frozenset(
    {"sum", "mean", "median", "min", "max", "count", "std", "var", "first", "last", "nunique", "size", "prod", "sem"}
)
"""Names that a group gives one value for:
https://pandas.pydata.org/docs/user_guide/groupby.html#built-in-aggregation-methods."""

AGGREGATING = frozenset({"agg", "aggregate", "transform", "apply"})
"""Methods whose first argument says what to aggregate by."""
