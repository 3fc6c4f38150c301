"""What an agent waits for: the first look at a notebook, and its edits tried one after the other over the SDK's own client.

    python benchmarks/try_patch.py [--edits 20]

The server is a process of its own, and each edit another one. Writes benchmarks/rows/scripts/try-patch.jsonl, of which `make figures` makes the
section "An agent's edits" of benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measurements import FOLDER, Script, format_script  # noqa: E402
from tests.agent import connect  # noqa: E402
from tests.kernel.test_mcp import CELLS, MENDED, TOTAL, edit, write  # noqa: E402


def measure_seconds(agent: Any, tool: str, **arguments: Any) -> float:
    """How long a call takes, as its client sees it."""
    began = time.perf_counter()
    agent.call(tool, **arguments)
    return time.perf_counter() - began


def main() -> None:
    """Measure, write the rows and print their section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=20)
    chosen = parser.parse_args()
    script = Script(
        "An agent's edits",
        "Waited for by the MCP SDK's own client, over pipes: `check_notebook` of five small cells starts kernels; each `try_patch` after it is "
        "another edit of one function, tried with the failing cell and the cell below.",
        f"python benchmarks/try_patch.py --edits {chosen.edits}",
    )
    with tempfile.TemporaryDirectory() as folder:
        root, data = Path(folder) / "root", Path(folder) / "data"
        root.mkdir()
        write(root / "shop.ipynb", *CELLS)
        with connect(root, data, "--timeout", "3600") as (agent, _):
            checked = measure_seconds(agent, "check_notebook", path="shop.ipynb")
            tried = [
                measure_seconds(agent, "try_patch", path="shop.ipynb", expect="7.7", edits=[edit("c1", TOTAL, f"{MENDED}\n# {n}")])
                for n in range(chosen.edits)
            ]  # fmt: skip
    script.add("call", "check_notebook, the first", "waited", 1000 * checked, " ms")
    script.add("call", "try_patch, the first", "waited", 1000 * tried[0], " ms")
    script.add(
        "call", f"try_patch, the tenth to the last ({len(tried[9:])})", "waited", [1000 * t for t in tried[9:]], " ms"
    )
    print(format_script(script.write(FOLDER / "try-patch.jsonl")))


if __name__ == "__main__":
    main()
