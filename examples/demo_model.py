"""``make demo-model``: the same notebooks healed by a language model alone, without a model and without a key.

A server on this machine stands in for the model (``jupyter_selfheal.testing.fake_model_server``). To each failure it gives
three hypotheses in an order that helps nobody: one hides the exception, one deletes the code, one is right. Which one is
proposed is decided by what happens in the trials. Everything else is real: the SDK, the requests, prices, budget, journal.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Received, Says

HERE = Path(__file__).parent

KNOWS = (
    ("total_havest", "total_harvest"),
    ("for fruit in shelf:", "for fruit in list(shelf):"),
    ('encoding="utf-8"', 'encoding="latin-1"'),
    ("river_levles", "river_levels"),
    ("    values = np.asarray", "    import numpy as np\n\n    values = np.asarray"),
    ("range(len(counts))", "range(len(counts) - 1)"),
    ("        number // 10", "        number //= 10"),
    ('entry["cost"]', 'entry["costs"]'),
    ("hours / distance", "distance / hours"),
    ("    cleaned.sort()", "    cleaned.sort()\n    return cleaned"),
    ("range(1, rows)", "range(1, rows + 1)"),
    ("    return guests * orders", "    if guests == 0:\n        return 1\n    return guests * orders"),
    ("% name, points", "% (name, points)"),
    ("def cost(items, price_list)\n", "def cost(items, price_list):\n"),
    ("distance =+ day", "distance += day"),
    ('": " + fee +', '": " + str(fee) +'),
    ("    visitors += group", "    global visitors\n    visitors += group"),
    ("int(text)", "int(float(text))"),
    ("width + height", "width * height"),
    ("/ len(absent)", "/ len(values)"),
)
"""What the stand-in knows: the fault of each notebook, and the text that should be there."""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Heal the example notebooks with a stand-in for a language model.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: the twenty classic failures")
    parser.add_argument("--into", type=Path, default=HERE.parent / "healed" / "by-model", help="folder for the results")
    options = parser.parse_args(argv)
    notebooks = options.notebooks or sorted((HERE / "notebooks").glob("[012][0-9]_*.ipynb"))[:20]
    healed: Path = options.into
    shutil.rmtree(healed, ignore_errors=True)
    healed.mkdir(parents=True)
    page, report = healed / "report.html", healed / "report.json"
    command = [sys.executable, "-m", "jupyter_selfheal", "heal", *map(str, notebooks), "--output-dir", str(healed)]
    command += ["--healers", "language_model", "--budget", "1", "--timeout", "10"]
    command += ["--report", str(page), "--report", str(report)]
    with FakeModelServer(iter(lambda: answer, None)) as server:
        environment = {**os.environ, "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "no-key-is-needed"}
        code = subprocess.run(command, check=False, env=environment).returncode
        asked = len(server.requests)
    if not report.exists():
        print("the heal did not come to its end: see above", file=sys.stderr)
        return 2
    cost = json.loads(report.read_text())["cost_usd"]
    print(f"\n{asked} requests, priced as if a model had answered: ${cost:.4f}. A page worth a look: {page}")
    return code


def answer(received: Received) -> Says:
    """What the stand-in says to a request."""
    messages = received.body["messages"]
    text = "\n\n".join(part["text"] for message in messages for part in message["content"])
    wanted = json.dumps(received.body.get("output_config", {}))
    said = (
        write_judgement(text)
        if "score_a" in wanted
        else write_criticism(text)
        if "risks" in wanted
        else write_proposals(text)
    )
    tokens_in, out = len(json.dumps(received.body)) // 4, json.dumps(said, ensure_ascii=False)
    return Says(out, input_tokens=tokens_in, output_tokens=len(out) // 4)


def write_proposals(text: str) -> dict[str, Any]:
    """A diagnosis and three hypotheses, the right one last."""
    cells = re.findall(r"# (?:The failing cell, )?(cell-\d+)\n```python\n(.*?)\n```", text, re.DOTALL)
    failing, source = cells[0]
    fix = next(((c, s, a, b) for c, s in cells for a, b in KNOWS if a in s + "\n"), None)
    hypotheses = [
        hypothesis(
            "Go on in spite of the error",
            failing,
            f"try:\n{textwrap.indent(source, '    ')}\nexcept Exception:\n    pass",
        ),
        hypothesis("Leave the code out", failing, "pass"),
    ]
    if fix is not None:
        cell, old, wrong, right = fix
        hypotheses.append(hypothesis(f"Write `{right.strip()}`", cell, (old + "\n").replace(wrong, right).rstrip("\n")))
    kind = "code" if fix is None or fix[0] == failing else "elsewhere"
    diagnosis = {"cause": "The stand-in knows this notebook.", "cell": failing, "class": kind, "confidence": 90}
    return {"diagnosis": diagnosis, "hypotheses": hypotheses}


def hypothesis(title: str, cell: str, source: str) -> dict[str, Any]:
    edits = [{"cell": cell, "action": "replace", "source": source}]
    return {"title": title, "cause": title, "risk": "none that is known", "edits": edits}


def write_criticism(text: str) -> dict[str, Any]:
    """One line on each patch that touches another cell, before it is run."""
    names = re.findall(r"^# Patch (P\d+)$", text, re.MULTILINE)
    line = "Other cells that call the changed function may give other results."
    return {"risks": [{"patch": name, "risk": line} for name in names]}


def write_judgement(text: str) -> dict[str, Any]:
    """Eight for the version that holds what the stand-in knows to be right, three for the other."""
    first, second = text.split("# Version B")
    good = [any(right in part for _, right in KNOWS) for part in (first.split("# Version A")[1], second)]
    scores = [8 if is_good else 3 for is_good in good]
    better = "equal" if good[0] == good[1] else "A" if good[0] else "B"
    words = ["does what the cell is for" if is_good else "does not heal the cause" for is_good in good]
    return {
        "feedback_a": words[0],
        "feedback_b": words[1],
        "score_a": scores[0],
        "score_b": scores[1],
        "better": better,
    }


if __name__ == "__main__":
    sys.exit(main())
