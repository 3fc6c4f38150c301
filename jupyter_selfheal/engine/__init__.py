"""The composition root: the only place that knows every part. What a heal runs on is put together here."""

from jupyter_selfheal.engine.healers import build_diagnoser, build_healers
from jupyter_selfheal.engine.heals import (
    build_facts,
    build_questioner,
    format_event,
    heal,
    open_dependencies,
    open_run_fixes,
    preview_request,
    prove_patch,
)
from jupyter_selfheal.engine.kernels import (
    build_installer,
    connect_state,
    describe_crash,
    find_kernel_python,
    find_project,
    move_state,
    open_environments,
    open_replayed_state,
    open_state,
)
from jupyter_selfheal.engine.models import (
    build_cell_judge,
    build_critic,
    build_free_scorer,
    build_judged_scorer,
    build_provider,
    choose_judging_provider,
    import_in_background,
    open_cell_judge,
    why_no_model,
)
from jupyter_selfheal.engine.secrets import build_redactor

__all__ = [
    "build_cell_judge",
    "build_critic",
    "build_diagnoser",
    "build_facts",
    "build_free_scorer",
    "build_healers",
    "build_installer",
    "build_judged_scorer",
    "build_provider",
    "build_questioner",
    "build_redactor",
    "choose_judging_provider",
    "connect_state",
    "describe_crash",
    "find_kernel_python",
    "find_project",
    "format_event",
    "heal",
    "import_in_background",
    "move_state",
    "open_cell_judge",
    "open_dependencies",
    "open_environments",
    "open_replayed_state",
    "open_run_fixes",
    "open_state",
    "preview_request",
    "prove_patch",
    "why_no_model",
]
