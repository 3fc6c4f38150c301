"""A failing cell, and what a model says of it: for the live tests and those in a browser."""

from __future__ import annotations

import json

CELL = "prices = {'apple': 2}\nprint('total', prices['apple'] * prices['discount'])"
FIXED = CELL.replace(" * prices['discount']", " * prices.get('discount', 1)")


def reply(cell: str) -> str:
    """Two hypotheses about the cell of that name in the request, one of which is the fix."""

    def hypothesis(title: str, source: str) -> dict[str, object]:
        edits = [{"cell": cell, "action": "replace", "source": source}]
        return {"title": title, "cause": "no discount is given", "risk": "a discount was meant", "edits": edits}

    diagnosis = {"cause": "the key is missing", "cell": cell, "class": "code", "confidence": 90}
    both = [hypothesis("No discount", FIXED), hypothesis("Only the apple", CELL.replace(" * prices['discount']", ""))]
    return json.dumps({"diagnosis": diagnosis, "hypotheses": both})
