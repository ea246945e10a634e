import assert from 'node:assert/strict';
import test from 'node:test';

import {fold, WordSearch} from '../../../tools/web/search';

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
