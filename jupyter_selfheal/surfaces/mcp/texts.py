"""What a model reads: the instructions of the server, what each tool is for, and the prompt."""

from __future__ import annotations

INSTRUCTIONS = """\
Proves edits of Jupyter notebooks before the file is touched. Cells are named by cell_id; a number in a sentence ("cell 2") is
for people, and names no cell in a call.
1. check_notebook: what fails, which cell is the root cause, what is only a consequence, what must be left alone.
2. propose_fixes: free, proven fixes for one failing cell. Or diagnose and run_in_copy, then try_patch with your own edit.
3. apply_fix writes a proven fix (fix_id) after the whole notebook ran with it; revert_fix takes it out again.
Say what is right by expect and checks if you know it from the task: running is not being right. Never edit around a
refusal; tell the user what `leave_alone` or `why_not` says. A result with state "running" goes on: ask run_status."""

TOOLS = {
    "check_notebook": (
        "Run a notebook from the top in isolation (its file and folder stay untouched) and say which cells fail, which failure "
        "is a root cause, which is only a consequence, and what must be left alone. Run once for each version of the file."
    ),
    "diagnose": (
        "One cell in detail: its present source, the failure with lines and frames, the live variables (types, shapes), and the "
        "sources of the cells that it depends on. Read this before you write an edit."
    ),
    "run_in_copy": (
        "Run code in a copy of the live state right before (or after) a cell, to read a value, for example 'df.dtypes'. The copy "
        "is thrown away; nothing of the notebook or of your files changes."
    ),
    "run_status": "Wait for a run that takes long, see how far it is, get its result, or cancel it.",
    "try_patch": (
        "Prove your own edit in the exact state before the failing cell, without touching the file: whether it runs, what it puts "
        "out, whether it hides the failure instead of mending it, what cells below and earlier calls do with it, and a score. "
        "Costs milliseconds once the notebook was run. Gives a fix_id only if the edit may be applied."
    ),
    "propose_fixes": (
        "Let jupyter-selfheal find and prove fixes for a failing cell, free of charge and without a model unless budget_usd is "
        "given and the user allowed one. Say by expect, stdout or checks what the cell must do, if you know."
    ),
    "apply_fix": (
        "Write a proven fix into the notebook's file, in one step: only after the whole notebook ran with it in a clean kernel, and "
        "only if the file is still what it was proven on."
    ),
    "revert_fix": "Put the file back, byte by byte, as it was before a fix of this session, if nobody changed it since.",
}

PROMPT = """\
Heal the notebook {path} with the tools of jupyter-selfheal.
- Call check_notebook first. Work on the first root failure only; consequences go away with it.
- Call propose_fixes for its cell. If there is a fix_id and the fix does what the notebook is for, apply it.
- Otherwise call diagnose, look at values by run_in_copy, and prove an edit of your own by try_patch. Give expect or checks
  where the task, a text cell or a docstring says what is right. Never weaken an assert, swallow an exception or write the
  expected value into the code.
- After apply_fix call check_notebook again, until every cell runs or what is left must be left alone.
- Do not edit the file by other means while you do this. In the end tell the user what was changed, what proves it, and
  what was not proven."""

LIVE_INSTRUCTIONS = """\
Looks into the Jupyter session of a user, and proves edits in a copy of its present state. Cells are named by cell_id.
1. check_notebook: which cells failed when the user last ran them. Nothing is run.
2. propose_fixes: free, proven fixes for one of them. Or diagnose and run_in_copy, then try_patch with your own edit.
3. apply_fix asks the user, on the card under the failed cell; it changes nothing by itself, and tells you what was decided.
Everything but apply_fix reads from copies that are thrown away. Running is not being right: say what is right by expect or checks
if you know it from the task. The user's word is final: do not offer a rejected edit again. A kernel that runs a cell cannot
answer: call again later. A result with state "running" goes on: ask run_status."""

LIVE_TOOLS = {
    "check_notebook": (
        "Say which cells of the user's session failed when they were last run, which ran, and which were not run as they stand. "
        "Nothing is run."
    ),
    "diagnose": (
        "One cell in detail: its present source, its failure in a copy of the present state, the live variables (types, shapes), "
        "and the sources of the cells that it depends on. Read this before you write an edit."
    ),
    "run_in_copy": (
        "Run code in a copy of the session's present state, to read a value, for example 'df.dtypes'. The copy is thrown away; "
        "nothing of the user's changes."
    ),
    "try_patch": (
        "Prove your own edit in a copy of the session's present state: whether the cell runs, what it puts out, whether the edit "
        "hides the failure instead of mending it, what cells below and earlier calls do with it, and a score. Gives a fix_id if "
        "the user may be asked to apply it."
    ),
    "propose_fixes": (
        "Let jupyter-selfheal find and prove fixes for a failed cell in a copy of the present state, free of charge and without a "
        "model. Say by expect, stdout or checks what the cell must do, if you know."
    ),
    "apply_fix": (
        "Ask the user to apply a fix: it is tried once more in the user's own session and shown on the card under the failed cell. "
        "The call ends when the user has approved or rejected it; until then run_status waits."
    ),
}

LIVE_PROMPT = """\
Heal what fails in the user's Jupyter session with the tools of jupyter-selfheal.
- Call check_notebook first. Work on the first root failure only.
- Call propose_fixes for its cell. Otherwise call diagnose, look at values by run_in_copy, and prove an edit of your own by
  try_patch. Give expect or checks where the task, a text cell or a docstring says what is right. Never weaken an assert,
  swallow an exception or write the expected value into the code.
- Call apply_fix: the user decides. Where the edit is rejected, ask what is wanted, and do not offer it again.
- In the end tell the user what was changed, what proves it, and what was not proven."""
