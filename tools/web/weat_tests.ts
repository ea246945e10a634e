// The tests of Caliskan, Bryson and Narayanan, "Semantics derived automatically
// from language corpora contain human-like biases", Science 2017, which the
// page offers: those of datasets/weat.txt, as mk/web.mk shortens it.

/// <reference path="texts.d.ts" />

import text from '../../build/web/weat.txt';

import {WeatLists} from './source/source';

// A test is a line ":NAME" and a line "WORD,WORD,..." for each of X, Y, A and
// B. A line that is a number repeats the line of this number, from 1.
export function weatTests() {
  const short = text.trim().split('\n');
  const lines = short.map((line) => short[Number(line) - 1] || line);
  const tests: Array<{name: string, lists: WeatLists}> = [];
  for (let i = 0; i + 4 < lines.length; i += 5) {
    const [x, y, a, b] =
        lines.slice(i + 1, i + 5).map((line) => line.split(','));
    tests.push({name: lines[i].slice(1), lists: {x, y, a, b}});
  }
  return tests;
}
