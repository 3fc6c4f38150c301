"""DebugBench's records as tasks, and how a program is judged: on records of our own in its published form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import debugbench, measure_tasks, run
from jupyter_selfheal.surfaces.bench.constraints import read_domain
from jupyter_selfheal.surfaces.bench.judge import find_failing_tests, judge
from jupyter_selfheal.surfaces.bench.rows import Setup
from jupyter_selfheal.surfaces.bench.tasks import Task

TOTAL: dict[str, Any] = {
    "slug": "add-up", "description": "Add up a list. Return the sum.", "constraints": "1 <= nums.length <= 105\n-100 <= nums[i] <= 100", "level": "easy",
    "examples": ["Input: nums = [1,2]\nOutput: 3\nExplanation: 1 + 2 = 3.", "Input: nums = [5]\nOutput: 5"],
    "oracle_code": "class Solution:\n    def addUp(self, nums: List[int]) -> int:\n        return sum(nums)\n",
    "buggy_code": "\nclass Solution:\n    def addUp(self, nums: List[int]) -> int:\n        return sum(nums[1:])\n",
}  # fmt: skip
DEEPEST: dict[str, Any] = {
    "slug": "leftmost", "examples": ["Input: root = [3,9,20,null,null,15]\nOutput: [9]"],
    "oracle_code": "class Solution:\n    def first(self, root: Optional[TreeNode]) -> Optional[TreeNode]:\n        return root and root.left\n",
    "buggy_code": "class Solution:\n    def first(self, root: Optional[TreeNode]) -> Optional[TreeNode]:\n        return root and root.right\n",
}  # fmt: skip
UNREADABLE = {**TOTAL, "slug": "picture", "examples": ["Input: see the picture\nOutput: 3"]}


def write_set(folder: Path, *records: object) -> Path:
    (folder / "benchmark").mkdir()
    (folder / "benchmark" / "python3_faulty indexing.json").write_text(json.dumps(records))
    (folder / "benchmark" / "java_double.json").write_text("[]")
    return folder


def test_examples_of_the_text_become_tests_that_the_reference_passes(tmp_path: Path) -> None:
    title, (total, first) = debugbench.load(write_set(tmp_path, TOTAL, UNREADABLE, DEEPEST))
    assert title == "DebugBench, Python, 1 of 3 records left out"
    assert total.name == "faulty-indexing/0/add-up (faulty indexing)"
    assert total.tests == ("assert Solution().addUp([1, 2]) == 3\n", "assert Solution().addUp([5]) == 5\n")
    assert total.domain == "len(nums) >= 1"
    assert "list_tree(Solution().first(build_tree([3, 9, 20, None, None, 15]))) == [9]" in first.tests[0]
    for task in (total, first):
        assert not find_failing_tests(f"{task.ahead}\n{task.reference}", task.tests)
        assert find_failing_tests(f"{task.ahead}\n{task.definition}", task.tests)


def test_a_solution_is_compared_with_the_reference_on_generated_inputs(tmp_path: Path) -> None:
    _, (total, first) = debugbench.load(write_set(tmp_path, TOTAL, DEEPEST))
    assert judge(total, total.reference, inputs=60).correct
    fitted = total.definition.replace("sum(nums[1:])", "nums[0] + (nums[1] if len(nums) == 2 else 0)")
    judged = judge(total, fitted, inputs=100)
    assert (judged.failed, judged.correct) == ((), False)
    assert judge(first, first.reference, inputs=60).compared > 20


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"examples": ["Input: nums = [1,2]\nOutput: 4"]}, "the reference fails an example of its own"),
        ({"buggy_code": TOTAL["oracle_code"]}, "no example shows the fault"),
    ],
)
def test_a_record_that_says_nothing_is_counted_apart(change: dict[str, Any], why: str, tmp_path: Path) -> None:
    _, (task,) = debugbench.load(write_set(tmp_path, {**TOTAL, **change}))
    (row,) = measure_tasks.measure([(task, 1)], Setup("", "all"))
    assert (row.exposed, row.why) == (False, why)


def test_broken_data_gets_a_line_that_names_the_record(tmp_path: Path) -> None:
    place = write_set(tmp_path, TOTAL, {"slug": "x", "examples": []})
    with pytest.raises(UsageError, match=r"faulty indexing.json: record 1 has no field 'oracle_code'"):
        debugbench.load(place)
    (place / "benchmark" / "python3_faulty indexing.json").write_text("[")
    with pytest.raises(UsageError, match="is no JSON"):
        debugbench.load(place)
    (place / "benchmark" / "python3_faulty indexing.json").unlink()
    with pytest.raises(UsageError, match="give a clone"):
        debugbench.load(place)


def test_what_constraints_say_plainly_is_asked_of_generated_inputs() -> None:
    text = "1 <= nums.length <= 104\n-109 <= nums[i], k <= 109\n0 <= grid[i][j], m <= 9\n1 < n <= 5\nAll the integers of nums are unique.\ns consists of lowercase English letters."
    domain = read_domain(text, "nums is sorted in ascending order", ["nums", "grid", "n", "m", "s", "k"])
    assert domain.split(" and ") == [
        "len(nums) >= 1", "all(y >= 0 for x in grid for y in x)", "m >= 0", "n > 1", "set(s) <= set('abcdefghijklmnopqrstuvwxyz')", "list(nums) == sorted(nums)",
        "len(set(map(repr, nums))) == len(nums)",
    ]  # fmt: skip


def test_a_sample_is_drawn_by_the_seed() -> None:
    tasks = [Task(f"t{n}", "", "", (), "") for n in range(50)]

    def draw(seed: int) -> list[str]:
        words = ["debugbench", ".", "--sample", "5", "--seed", str(seed)]
        chosen = run._choose_tasks(tasks, run.build_parser().parse_args(words))
        return [task.name for task in chosen]

    assert len(draw(1)) == 5
    assert draw(1) == draw(1) != draw(2)
