"""What a check stands on."""

from jupyter_selfheal.scoring.review.context.check import Check, ReviewedCell, ReviewedNotebook

__all__ = ["Check", "ReviewedCell", "ReviewedNotebook"]
