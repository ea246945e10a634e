import assert from 'node:assert/strict';
import test from 'node:test';

import {counted, cut, duration, percent, pValue, score, thousands} from '../../../tools/web/format';
import {parseTerms} from '../../../tools/web/parts/word_set';
import {roundTicks} from '../../../tools/web/plot/scale';
import {edits, similarSpellings} from '../../../tools/web/source/spelling';
import {commonWord, contextParts} from '../../../tools/web/views/context';
import {curveOf, secondsLeft} from '../../../tools/web/views/training';

test('numbers as people read them', () => {
  assert.equal(thousands(1234567), '1\u202f234\u202f567');
  assert.equal(thousands(0), '0');
  assert.equal(score(-0.5), '\u22120.500');
  assert.equal(score(NaN), '–');
  assert.equal(score(null), '–');
  assert.equal(percent(null), '–');
  assert.equal(percent(0.5), '50.0\u202f%');
  assert.equal(pValue(0), 'less than 0.0001');
  assert.equal(duration(59.6), '1 min 0 s');
  assert.equal(duration(3 * 3600 + 125), '3 h 2 min');
  assert.equal(counted(1, 'word'), '1 word');
});

test('a long word is cut between letters', () => {
  assert.equal(cut('abc', 3), 'abc');
  assert.equal(cut('abcd', 3), 'abc…');
  assert.equal(cut('👩👩👩', 3), '👩👩👩');
  assert.equal(cut('👩👩👩👩', 3), '👩👩👩…');
  assert.equal(cut('x'.repeat(10000), 28).length, 29);
});

test('a line of words and signs is a sum', () => {
  const text = (line: string, isMinus = false) =>
      parseTerms(line, isMinus).map((t) => (t.isMinus ? '-' : '+') + t.word);
  assert.deepEqual(text('king - man + woman'), ['+king', '-man', '+woman']);
  assert.deepEqual(text('king', true), ['-king']);
  assert.deepEqual(text('-minus well-known'), ['+-minus', '+well-known']);
  assert.deepEqual(text(' - '), []);
});

test('edits are counted, and no more than asked for', () => {
  assert.equal(edits('king', 'king', 2), 0);
  assert.equal(edits('king', 'kign', 2), 1);
  assert.equal(edits('king', 'ring', 2), 1);
  assert.equal(edits('king', 'kings', 2), 1);
  assert.equal(edits('kitten', 'sitting', 3), 3);
  assert.equal(edits('abcdef', 'uvwxyz', 2), 3);
  assert.deepEqual(
      similarSpellings('kign', ['ring', 'far', 'King', 'kin'], 2),
      ['King', 'kin']);
});

test('marks of axes are round numbers within the range', () => {
  assert.deepEqual(roundTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(roundTicks(-0.13, 0.11, 5), [-0.1, -0.05, 0, 0.05, 0.1]);
  assert.deepEqual(roundTicks(3, 3, 5), [3]);
});

test('the longest word of both sentences is chosen first', () => {
  assert.deepEqual(commonWord([['on', 'the', 'bank'], ['bank', 'on']]), [2, 0]);
  assert.deepEqual(commonWord([['a'], ['b']]), [0, 0]);
});

test('the marks around a token are told from those within', () => {
  assert.deepEqual(
      contextParts('a ** b **c** d', 'c'),
      {before: 'a ** b ', word: 'c', after: ' d'});
  assert.deepEqual(
      contextParts('no marks', 'c'), {before: 'no marks', word: '', after: ''});
});

test('a curve has the lines that have its value', () => {
  const lines = [{progress: 0.5, loss: 2}, {loss: 1}, {progress: 1}];
  assert.deepEqual(curveOf(lines, 'loss'), [{x: 0.5, y: 2}]);
  assert.equal(secondsLeft({t: 30, progress: 0.25}), 90);
});
