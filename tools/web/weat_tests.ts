// The tests of Caliskan, Bryson and Narayanan, "Semantics derived automatically
// from language corpora contain human-like biases", Science 2017, which the
// page offers: those of datasets/weat.txt.

/// <reference path="texts.d.ts" />

import text from '../../datasets/weat.txt';

import {WeatLists} from './source/source';

// What stands behind the group's name.
function wordsOf(line: string) {
  return line.slice(line.indexOf(':') + 1).split(',').map((w) => w.trim());
}

// A test is a line ": NAME" and a line "GROUP: WORD, WORD, ..." for each of X,
// Y, A and B.
export function weatTests() {
  const lines =
      text.split('\n').filter((line) => line && !line.startsWith('#'));
  const tests: Array<{name: string, lists: WeatLists}> = [];
  for (let i = 0; i + 4 < lines.length; i += 5) {
    const [x, y, a, b] = lines.slice(i + 1, i + 5).map(wordsOf);
    tests.push({name: lines[i].slice(1).trim(), lists: {x, y, a, b}});
  }
  return tests;
}
