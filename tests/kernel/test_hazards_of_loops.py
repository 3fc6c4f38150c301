"""Event loops, tasks and context variables in forked trials: a cell is called as in the user's kernel."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.forking import User, printed, tried
from tests.waiting import wait_until

pytestmark = pytest.mark.kernel


def test_running_tasks_go_on_in_the_trial_and_in_the_kernel(user: User, freeze: Any) -> None:
    user.run(
        "import asyncio\nticks = []\nasync def tick(count):\n    for n in range(count):\n        ticks.append(n)\n"
        "        await asyncio.sleep(0.01)\n    return 'done'\n"
        "long, short = asyncio.create_task(tick(100_000)), asyncio.create_task(tick(30)); await asyncio.sleep(0.05)"
    )
    trial = tried(
        freeze(),
        "had = len(ticks)\nprint(await short, long.done(), len(ticks) > had, await asyncio.to_thread(int, '4'))",
    )
    assert printed(trial) == "done False True 4\n"
    had = user.value("len(ticks)")
    assert wait_until(lambda: user.value("len(ticks)") > had)
    user.run("_ = long.cancel(); await asyncio.sleep(0)")


@pytest.mark.parametrize(
    "code",
    [
        "async def f(): return 5\ntry:\n    asyncio.run(f())\nexcept RuntimeError as e:\n    print(e)",
        "print(asyncio.get_running_loop() is asyncio.get_event_loop(), asyncio.get_event_loop().is_running())",
        "async def f(): return 5\ntry:\n    asyncio.get_event_loop().run_until_complete(f())\nexcept RuntimeError as e:\n    print(e)",
        "%%time\ntry:\n    asyncio.run(asyncio.sleep(0))\nexcept RuntimeError as e:\n    print(e)",
        "print(await asyncio.sleep(0, 6))",
    ],
    ids=["run", "running loop", "until complete", "in a magic", "await"],
)
def test_a_cell_is_called_from_a_running_loop_as_in_the_kernel(user: User, freeze: Any, code: str) -> None:
    user.run("import asyncio")
    state = freeze()
    first = [text.splitlines()[0] for text in (printed(tried(state, code)), user.text(code))]
    assert first[0] == first[1]


def test_tasks_made_in_a_trial(freeze: Any) -> None:
    made = "import asyncio\nasync def f(): return 5\ntask = asyncio.create_task(f())"
    assert printed(tried(freeze(), made, "print(await task)")) == "5\n"


def test_nested_loops(user: User, freeze: Any) -> None:
    if not user.value("bool(__import__('importlib.util').util.find_spec('nest_asyncio'))"):
        pytest.skip("nest_asyncio is not installed")
    nested = "import nest_asyncio; nest_asyncio.apply()\nasync def f(): return 7\nprint(asyncio.run(f()))"
    code = "import asyncio, " + nested.removeprefix("import ")
    assert printed(tried(freeze(), code, "print(asyncio.run(f()) + 1)", "print(await f())")) == "7\n8\n7\n"


def test_context_variables_last_from_cell_to_cell(freeze: Any) -> None:
    state = freeze()
    made = "import contextvars, numpy as np; v = contextvars.ContextVar('v', default=0); _ = v.set(1); _ = np.seterr(all='raise')"
    trial = tried(state, made, "print(v.get(), np.geterr()['divide'])")
    assert printed(trial) == "1 raise\n"
