import assert from 'node:assert/strict';
import test from 'node:test';

import {formatAddress, numberIn, parseAddress, splitWords} from '../../../tools/web/state';

test('an address comes back as it was written', () => {
  const words = ['a&b=c', '#?', 'naïve', '<script>', '50%', 'a b', '+'];
  const {view, parameters} =
      parseAddress(formatAddress('neighbors', {plus: words, minus: ['-x']}));
  assert.equal(view, 'neighbors');
  assert.deepEqual(parameters.getAll('plus'), words);
  assert.deepEqual(parameters.getAll('minus'), ['-x']);
});

test('what is empty is left out', () => {
  const address =
      formatAddress('map', {word: null, x: undefined, y: '', list: [], z: 0});
  assert.equal(address, '#map?z=0');
  assert.equal(formatAddress('map', {word: null}), '#map');
});

test('an address that names no view is the map', () => {
  assert.equal(parseAddress('').view, 'map');
  assert.equal(parseAddress('#nothing?word=a').view, 'map');
  assert.equal(parseAddress('#toString').view, 'map');
  assert.equal(parseAddress('#/axes').view, 'axes');
});

test('a number that is none or out of range becomes one within', () => {
  const {parameters} = parseAddress('#map?a=5&b=x&c=1e9&d=&e=-3&f=Infinity');
  const value = (name: string) => numberIn(parameters, name, 0, 100, 7);
  assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(value), [5, 7, 100, 7, 0, 7, 7]);
});

test('words stand between spaces, commas and line ends', () => {
  assert.deepEqual(splitWords(' a, b;c\n\td '), ['a', 'b', 'c', 'd']);
  assert.deepEqual(splitWords('  '), []);
});
