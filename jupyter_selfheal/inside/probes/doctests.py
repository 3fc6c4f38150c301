"""Run doctest examples inside the trial kernel.

Sent there as source (see :class:`jupyter_selfheal.model.Probe`): standard library only.
"""

from __future__ import annotations

import doctest
from typing import Any

from jupyter_selfheal.inside.comparator import is_equal_text


class _Meaning(doctest.OutputChecker):
    """Compares what an example means: ``"21"`` and ``'21'`` are one text, an example without a result only must not be False, and
    who writes None as a result means it, though nothing is shown."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if not want.strip():
            return got.strip() != "False"
        if not got and want.strip() == "None":
            return True
        return super().check_output(want, got, optionflags) or is_equal_text(want, got)


def probe(shell: Any, last: Any, argument: Any) -> dict[str, Any]:
    """Run the examples of ``argument``, a list of {"name", "docstring", "but"}, in a copy of the user's namespace.

    ``but`` are the sources of examples that are left out; ``was`` is the definition before the patch, where it matters whether an example
    failed with it (``mended`` counts those definitions). The docstrings are those of the notebook as it was, so that a patch cannot pass by changing them. Returns
    {"ok", "tried", "failed", "mended", "why"}.
    """
    parser, report = doctest.DocTestParser(), []
    runner = doctest.DocTestRunner(
        checker=_Meaning(),
        verbose=False,
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL,
    )
    tried = failed = mended = 0
    for entry in argument:
        test = parser.get_doctest(entry["docstring"], dict(shell.user_ns), entry["name"], None, 0)
        test.examples = [e for e in test.examples if e.source.strip() not in entry.get("but", ())]
        mended += _fails_as_it_was(entry, test, runner)
        lines: list[str] = []
        result = runner.run(test, out=lines.append, clear_globs=True)
        tried += result.attempted
        failed += result.failed
        report += lines
    why = _find_first_failure("".join(report))
    return {"ok": failed == 0, "tried": tried, "failed": failed, "mended": mended, "why": why}


def _fails_as_it_was(entry: dict[str, Any], test: doctest.DocTest, runner: doctest.DocTestRunner) -> bool:
    """Whether an example fails with the definition as it was before the patch; False where that is not asked."""
    if not entry.get("was"):
        return False
    names = dict(test.globs)
    try:
        exec(entry["was"], names)
    except Exception:
        return False
    old = doctest.DocTest(test.examples, names, test.name, None, 0, test.docstring)
    return runner.run(old, out=lambda line: None, clear_globs=True).failed > 0


def _find_first_failure(report: str) -> str:
    """The first failure of doctest's report, without its frame of asterisks."""
    parts = [part.strip() for part in report.split("*" * 70) if part.strip()]
    return parts[0][:600] if parts else ""
