import assert from 'node:assert/strict';
import test from 'node:test';

import {fold, indexWords, WordSearch} from '../../../tools/web/search';

const WORDS =
    ['the', 'King', 'making', 'kings', 'naïve', 'kin', 'İstanbul', 'x'];

function find(query: string, k = 10) {
  const search = new WordSearch(WORDS);
  return search.find(query, k).map((id) => search.wordOf(id));
}

test('the word itself, then beginnings, then contents', () => {
  assert.deepEqual(find('kin'), ['kin', 'King', 'kings', 'making']);
});

test('no more words than asked for, the most frequent of them', () => {
  assert.deepEqual(find('ki', 2), ['King', 'kings']);
});

test('case and accents do not count, on either side', () => {
  assert.deepEqual(find('NAIVE'), ['naïve']);
  assert.deepEqual(find('naï'), ['naïve']);
  assert.equal(fold('ÀÉ'), 'ae');
});

test('letters that fold to another length shift no word', () => {
  assert.deepEqual(find('x'), ['x']);
  assert.deepEqual(find('istanbul'), ['İstanbul']);
});

test('the last word is found, and it once', () => {
  assert.deepEqual(new WordSearch(['aaa']).find('a', 5), [0]);
});

test('nothing is found of nothing, of line ends and in no words', () => {
  assert.deepEqual(find('  '), []);
  assert.deepEqual(find('e\nK'), []);
  assert.deepEqual(new WordSearch([]).find('a', 5), []);
});

test('an index made in parts finds what one made at once finds', async () => {
  const words = Array.from({length: 25001}, (_, i) => `${i}é`);
  const parts = await indexWords(words);
  const whole = new WordSearch(words);
  for (const query of ['0', '9999E', '10000', '25000é', '777', 'x']) {
    assert.deepEqual(parts.find(query, 20), whole.find(query, 20), query);
  }
  assert.deepEqual(parts.find('25000e', 5), [25000]);
});
