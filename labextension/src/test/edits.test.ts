import assert from 'node:assert/strict';
import { test } from 'node:test';

import { IEdit, IRequest, plan } from '../edits.js';

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
