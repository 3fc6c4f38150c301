import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needsOffer } from '../outputs.js';

const ERROR = { output_type: 'error', ename: 'NameError' };

test('a failing cell gets the button', () => assert.equal(needsOffer([ERROR]), true));
test('a healthy cell does not', () => assert.equal(needsOffer([{ output_type: 'stream', text: 'x' }]), false));
test('an interrupted cell does not', () => assert.equal(needsOffer([{ output_type: 'error', ename: 'KeyboardInterrupt' }]), false));
test('a cell that has a card does not', () =>
  assert.equal(needsOffer([ERROR, { output_type: 'display_data', data: { 'text/plain': 'Self-heal: healing…' } }]), false));
test('an interrupted cell whose loop may be endless does', () => {
  assert.equal(needsOffer([{ output_type: 'error', ename: 'KeyboardInterrupt' }], 'n = 3\nwhile n > 0:\n    pass'), true);
  assert.equal(needsOffer([{ output_type: 'error', ename: 'KeyboardInterrupt' }], 'meanwhile = 1'), false);
});
