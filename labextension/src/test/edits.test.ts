import assert from 'node:assert/strict';
import { test } from 'node:test';

import { holds, IEdit, IRequest, plan } from '../edits.js';

const CELLS = [
  { id: 'a', source: 'def f(): pass', editable: true },
  { id: 'b', source: 'f()\n', editable: true },
  { id: 'locked', source: 'x', editable: false }
];

const request = (edits: IEdit[], more: Partial<IRequest> = {}): IRequest => ({
  action: 'apply', heal: 'heal', patch: 'patch', run: true, resume: false, undo: false, edits, result: null, ...more
});

const replace = (cellId: string, old: string, source = 'new'): IEdit => ({ kind: 'replace', cellId, old, source });

test('a fix of the failing cell runs it', () => {
  assert.deepEqual(plan(CELLS, request([replace('b', 'f()')]), 'b'), { ok: true, message: 'Cell changed; running it.', toRun: ['b'] });
});

test('a fix in another cell runs that one first', () => {
  assert.deepEqual(plan(CELLS, request([replace('a', 'def f(): pass')]), 'b').toRun, ['a', 'b']);
});

test('approving without running runs nothing', () => {
  assert.deepEqual(plan(CELLS, request([replace('b', 'f()')], { run: false }), 'b'), { ok: true, message: 'Cell changed.', toRun: [] });
});

test('cells that must run first do', () => {
  assert.deepEqual(plan(CELLS, request([{ kind: 'run', cellIds: ['a'] }]), 'b').toRun, ['a', 'b']);
});

for (const [what, edit, said] of [
  ['edited', replace('b', 'f(1)'), /edited since it failed/],
  ['deleted', replace('gone', 'f()'), /no longer/],
  ['read-only', replace('locked', 'x'), /read-only/]
] as [string, IEdit, RegExp][]) {
  test(`a cell that is ${what} is refused, and nothing runs`, () => {
    const found = plan(CELLS, request([replace('a', 'def f(): pass'), edit]), 'b');
    assert.equal(found.ok, false);
    assert.match(found.message, said);
    assert.deepEqual(found.toRun, []);
  });
}

test('undo is refused over later edits', () => {
  assert.match(plan(CELLS, request([replace('b', 'what the fix was')], { undo: true }), 'b').message, /edited after the fix/);
});

test('undo runs nothing', () => {
  assert.deepEqual(plan(CELLS, request([replace('b', 'f()')], { undo: true }), 'b'), { ok: true, message: 'Undone.', toRun: [] });
});

test('a new cell goes into the notebook, a moved one runs before the failing one', () => {
  const found = plan(CELLS, request([{ kind: 'insert', cellId: 'new', source: 'import math' }, { kind: 'move', cellId: 'a', old: 'def f(): pass' }]), 'b');
  assert.deepEqual(found, { ok: true, message: '2 cells changed; running it.', toRun: ['a', 'b'] });
});

test('a notebook that may not be written is not changed, and its cells may run all the same', () => {
  assert.match(plan(CELLS, request([replace('b', 'f()')]), 'b', true).message, /notebook is read-only/);
  assert.match(plan(CELLS, request([{ kind: 'insert', source: 'x' }]), 'b', true).message, /notebook is read-only/);
  assert.deepEqual(plan(CELLS, request([{ kind: 'run', cellIds: ['a'] }]), 'b', true).toRun, ['a', 'b']);
});

test('undo of a new cell is done where the cell is gone, and refused where it was edited', () => {
  assert.equal(plan(CELLS, request([{ kind: 'delete', cellId: 'gone', old: 'x' }], { undo: true }), 'b').ok, true);
  assert.match(plan(CELLS, request([{ kind: 'delete', cellId: 'a', old: 'import math' }], { undo: true }), 'b').message, /edited after/);
});

test('undo is done where the old source is back already', () => {
  assert.equal(plan(CELLS, request([replace('a', 'what the fix was', 'def f(): pass')], { undo: true }), 'b').ok, true);
});

test('a fix is here where every cell holds it', () => {
  assert.equal(holds(CELLS, [replace('b', 'f()', 'old'), { kind: 'move', cellId: 'a' }]), true);
  assert.equal(holds(CELLS, [replace('b', 'f()', 'old'), { kind: 'delete', cellId: 'new', old: 'x' }]), false);
  assert.equal(holds(CELLS, [replace('b', 'what the fix was', 'f()')]), false);
  assert.equal(holds(CELLS, []), false);
});
