"""How far the estimate of a text's tokens is from what public tokenizers count.

    npm install --prefix FOLDER gpt-tokenizer @anthropic-ai/tokenizer
    python benchmarks/token_error.py FOLDER

What a call can cost is set aside before it is made, so tokens are counted high (``providers/token_count.py``). Counted are the first requests
and the hand-written replies of the recorded sets, the golden notebooks, and texts that are made on purpose to be counted low. Writes
benchmarks/rows/scripts/token-error.jsonl, of which `make figures` makes the section "Counting tokens" of benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import string
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402
from jupyter_selfheal.config import HealConfig  # noqa: E402
from jupyter_selfheal.healers.model.healer import LanguageModelHealer  # noqa: E402
from jupyter_selfheal.journal.redact import Redactor  # noqa: E402
from jupyter_selfheal.providers.partial_reply import list_request_texts  # noqa: E402
from jupyter_selfheal.providers.prompts import read_prompt  # noqa: E402
from jupyter_selfheal.providers.scripted import ScriptedProvider  # noqa: E402
from jupyter_selfheal.providers.token_count import estimate_text_tokens  # noqa: E402
from tests.unit.healers.test_recorded_models import CASES, KNOWLEDGE, ONE_VALUE, build_case  # noqa: E402

TOKENIZERS = ("Claude 2's", "o200k", "cl100k")
SEED = 14

_COUNT = """
import {countTokens as claude} from '@anthropic-ai/tokenizer';
import {countTokens as o200k} from 'gpt-tokenizer/encoding/o200k_base';
import {countTokens as cl100k} from 'gpt-tokenizer/encoding/cl100k_base';
import {readFileSync} from 'node:fs';
const texts = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify([claude, o200k, cl100k].map(count => texts.map(text => count(text)))));
"""


def list_requests() -> list[str]:
    """What the first call of each recorded case sends, as one text."""
    healer = LanguageModelHealer(ScriptedProvider([]), HealConfig(), Redactor(), read_prompt)
    with contextlib.redirect_stdout(io.StringIO()):  # the cells of the cases are run, and some print
        requests = [healer.build_request(build_case(raw), (), "") for raw in (*CASES, *KNOWLEDGE, *ONE_VALUE)]
    return ["\n".join(list_request_texts(request)) for request in requests]


def list_replies() -> list[str]:
    """The hand-written replies to these, as a model would send them."""
    said = [raw["strong"] for raw in (*CASES, *KNOWLEDGE, *ONE_VALUE) if raw["strong"] != "stop"]
    return [
        json.dumps({"hypotheses": [{"title": "By hand", "edits": [{"cell": f"cell-{n}", "source": source}]}]})
        for n, source in said
    ]


def list_notebooks() -> list[str]:
    """The golden notebooks of all rules, as text."""
    return [path.read_text(encoding="utf-8") for path in sorted((HERE.parent / "tests" / "golden").glob("*.txt"))]


def list_hard_texts() -> list[str]:
    """Texts that take more tokens than their length says."""
    draw = random.Random(SEED)
    rows = "\n".join(f"{n},{draw.random():.3f},{draw.choice('wkc')}{draw.randrange(99)}" for n in range(60))
    return [
        rows,
        rows.replace(",", ";").replace(".", ","),
        "".join(draw.choices("0123456789abcdef", k=640)),
        "".join(draw.choices(string.ascii_letters + string.digits + "+/", k=640)),
        "😀🚀📈🧪" * 40,
        "数据分析笔记本中的单元格失败了" * 20,
        "Ячейка не выполнилась, потому что имя столбца написано с ошибкой. " * 10,
        "खाना नहीं मिला। " * 30,
        "SHOUTING_CONSTANT_NAMES = OTHER_CONSTANTS\n" * 20,
        "{[(" * 100 + ")]}" * 100,
    ]


def list_random_letters() -> list[str]:
    """Letters in no order, which nobody writes: the one kind that is counted low."""
    draw = random.Random(SEED)
    return ["".join(draw.choices(string.ascii_lowercase, k=300)) for _ in range(5)]


def count_tokens(texts: list[str], modules: Path) -> list[list[int]]:
    """What each of :data:`TOKENIZERS` counts of each text, by the packages in this folder."""
    ran = subprocess.run(
        ["node", "--input-type=module", "-e", _COUNT],
        input=json.dumps(texts), capture_output=True, text=True, check=True, cwd=modules,
    )  # fmt: skip
    counted: list[list[int]] = json.loads(ran.stdout)
    return counted


def main() -> None:
    """Count, write the rows and print their section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", type=Path, metavar="FOLDER", help="where npm installed the two tokenizers")
    chosen = parser.parse_args()
    script = Script(
        "Counting tokens",
        "The estimate that money is set aside by, as a multiple of what a public tokenizer counts: 1 would be exact, below 1 a call could cost more than was set aside. "
        "Claude's newest tokenizer is not public.",
        "python benchmarks/token_error.py FOLDER",
    )
    groups = {
        "first requests of the recorded sets": list_requests(),
        "hand-written replies to them": list_replies(),
        "golden notebooks": list_notebooks(),
        "made to be counted low": list_hard_texts(),
        "random letters": list_random_letters(),
    }
    for group, texts in groups.items():
        estimates = [estimate_text_tokens(text) for text in texts]
        for tokenizer, counts in zip(TOKENIZERS, count_tokens(texts, chosen.modules), strict=True):
            ratios = [estimate / count for estimate, count in zip(estimates, counts, strict=True)]
            row, table = f"{group} ({len(texts)})", f"estimate over {tokenizer}"
            script.add(table, row, "lowest", min(ratios), digits=2)
            script.add(table, row, "median", ratios, digits=2)
            script.add(table, row, "highest", max(ratios), digits=2)
    print(format_script(script.write(FOLDER / "token-error.jsonl")))


if __name__ == "__main__":
    main()
