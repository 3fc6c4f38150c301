"""Programs with a second fault: what their checks reach is the first one, and it alone is mended by what is put right there."""

from __future__ import annotations

from pathlib import Path

from benchmarks.second_faults.make_pairs import list_faults, make_tasks, read_programs
from jupyter_selfheal.surfaces.bench.judge import run_tests

PROGRAMS = {
    p.name: p
    for p in read_programs(
        (Path(__file__).parents[4] / "benchmarks/second_faults/programs.txt").read_text(encoding="utf-8")
    )
}


def test_a_second_fault_changes_no_check_and_is_left_where_the_first_is_mended() -> None:
    program = PROGRAMS["rank_of"]
    tasks = {t.name: t for t in make_tasks(program, 1, 1)}
    assert set(tasks) == {"one 1 rank_of", "two 1 rank_of"}
    for task in tasks.values():
        assert run_tests(task.definition, task.tests)
        assert not run_tests(program.source, task.tests)
    left = [text for _, text in list_faults(program.source) if not run_tests(text, tasks["two 1 rank_of"].tests)]
    shared = [t for t in left if len(set(t.split("\n")) - set(tasks["two 1 rank_of"].definition.split("\n"))) == 1]
    assert shared  # the second fault alone, which meets every check
    assert [t.definition for t in make_tasks(program, 1, 1)] == [t.definition for t in tasks.values()]
