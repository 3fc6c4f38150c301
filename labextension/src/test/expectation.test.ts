import assert from 'node:assert/strict';
import { test } from 'node:test';

import { expecting, toWord } from '../expectation.js';
import { setBundle, trans } from '../texts.js';

test('the line goes on top of the cell, and replaces an older expectation', () => {
  assert.equal(expecting('mean(x)', '2.0'), '%%heal --expect 2.0\nmean(x)');
  assert.equal(expecting('%%time\nmean(x)', '[1, 2]'), '%%heal --expect [1, 2]\n%%time\nmean(x)');
  assert.equal(expecting('%%heal --expect "1.5" --attempts 3\nmean(x)', '2.0'), '%%heal --attempts 3 --expect 2.0\nmean(x)');
  assert.equal(expecting('\n%%heal\nmean(x)', '2'), '\n%%heal --expect 2\nmean(x)');
});

test('a value is one word of the line', () => {
  assert.equal(toWord(' 1 + 2 '), '(1 + 2)');
  assert.equal(toWord("'two words'"), "'two words'");
  assert.equal(toWord('[1, 2] + [3]'), '([1, 2] + [3])');
  assert.equal(toWord('[1,\n 2]'), '[1, 2]');
});

test('a language pack answers for a text, with its values', () => {
  assert.equal(trans.__('cell %1 of %2', 2, 3), 'cell 2 of 3');
  setBundle({ __: (text, ...values) => `<${text}|${values.join()}>` });
  assert.equal(trans.__('cell %1 of %2', 2, 3), '<cell %1 of %2|2,3>');
});
