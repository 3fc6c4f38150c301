"""SYN107: what was pasted from a prompt or a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.code_lines import split_lines
from jupyter_selfheal.healers.rules.context.syntax import Mend, SyntaxRule
from jupyter_selfheal.healers.syntax.fault import Fault

PROMPT = re.compile(r"^(\s*)(?:>>> ?|\.\.\. ?|In ?\[\d*\]: ?|\s*\.\.\.: ?)")
MAGICS = frozenset({"pip", "conda", "cd", "pwd", "ls", "mkdir", "cat", "cp", "mv", "rm", "rmdir", "timeit", "time", "matplotlib",
                    "load_ext", "run", "who", "whos", "env", "pylab", "autoreload", "reload_ext", "store"})  # fmt: skip
SHELL = frozenset({"wget", "curl", "git", "apt", "apt-get", "sudo", "python", "python3", "pip3", "jupyter", "unzip", "tar", "head",
                   "tail", "wc", "echo", "grep", "touch", "chmod", "export", "brew", "npm", "docker", "kaggle", "find", "ssh",
                   "gunzip", "make", "gcc", "which", "nvidia-smi", "du", "df", "tree", "sed", "awk"})  # fmt: skip

SHELL_LIKE = frozenset({"ls", "mkdir", "cat", "cp", "mv", "rm", "rmdir"})
"""Commands that ``!`` runs everywhere; as magics they exist on some systems only."""


class Pasted(SyntaxRule):
    """Make a cell of what was copied from an interpreter or a shell.

    **Failure** `invalid syntax` at `>>> `, `In [1]:`, `$ ls`, `pip install pandas`, `cd data`.

    **Fix** Prompts go, and what an interpreter had printed becomes a comment; shell commands get IPython's `%` (what is also a
    magic: `%pip`, `%cd`) or `!`.

    **Fix safety** Safe: prompts are no code, and the lines cannot be Python. Silent where code stands above the first prompt: it is then in a docstring's example.
    """

    code = "SYN107"
    name = "pasted prompt or shell command"
    why = "The line is no Python; it is a prompt or a command for the shell."

    def mends(self, source: str, fault: Fault) -> Iterator[Mend]:
        lines = split_lines(source)
        # where a paste does not begin with its prompt, the prompts are those of an example in a text
        first_line = next((t for t in lines if t.strip() and not t.lstrip().startswith("#")), "")
        if re.match(r"\s*(>>>|In ?\[\d*\]:)", first_line) and fault.line <= len(lines):
            yield Mend("\n".join(_strip_prompts(lines)), "Remove the prompts", prior=0.95)
        done, first = list(lines), ""
        masked = src.mask(source).split("\n")
        for n, line in enumerate(lines):
            if line == masked[n] and (n + 1 == fault.line or first):
                text = _find_command(line)
                if text:
                    done[n], first = text, first or text.strip()
        if first:
            yield Mend("\n".join(done), f"Run `{first}` as a command", prior=0.9)


def _strip_prompts(lines: list[str]) -> list[str]:
    matches = []
    for line in lines:
        if PROMPT.match(line):
            matches.append(PROMPT.sub(r"\1", line, count=1))
        elif line.strip() and not line.lstrip().startswith("#"):
            matches.append("# " + line)
        else:
            matches.append(line)
    return matches


def _find_command(line: str) -> str:
    """The line as a magic or a shell escape, empty where it does not look like a command."""
    match = re.match(r"^(\s*)(?:\$ +|# *\$ +)?([A-Za-z][\w-]*)(\s+.*)?$", line)
    if not match:
        return ""
    indent, word, rest = match[1], match[2], match[3] or ""
    if re.match(r"\s*([=.(\[,]|in\b|is\b|and\b|or\b|if\b|[+*/%<>!]=?\s*\w)", rest):
        return ""
    if word in MAGICS and (rest or word not in ("time", "timeit", "run")):
        return f"{indent}{'!' if word in SHELL_LIKE else '%'}{word}{rest}"
    if word in SHELL:
        return f"{indent}!{word}{rest}"
    return ""
