import assert from 'node:assert/strict';
import test from 'node:test';

import {axisPoints, best, VectorTable, weat, weatOf} from '../../../tools/web/source/vectors';

function isNear(actual: number, expected: number, within = 1e-12) {
  assert(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`);
}

// Rows of unlike lengths: (3, 4), (0, 2), (-5, 0), (0, 0).
const table = new VectorTable(Int8Array.from([3, 4, 0, 2, -5, 0, 0, 0]), 2);

test('cosines do not know how long rows are', () => {
  const cosines = table.cosines([0, 7]);
  [0.8, 1, 0, 0].forEach((value, i) => isNear(cosines[i], value));
});

test('a sum adds unit vectors', () => {
  const sum = table.sum([0, 1], [2]);
  isNear(sum[0], 0.6 + 1);
  isNear(sum[1], 0.8 + 1);
});

test('the best come in order, without those that were asked', () => {
  const found = best([0.1, 0.9, NaN, 0.5, 0.7], 2, new Set([1]));
  assert.deepEqual(found, [{id: 4, score: 0.7}, {id: 3, score: 0.5}]);
  assert.deepEqual(best([1, 1, 1], 2, new Set()).map((one) => one.id), [0, 1]);
});

test('3CosMul multiplies cosines that are moved to 0..1', () => {
  // cos(0, .) = 1, 0.8, -0.6; cos(1, .) = 0.8, 1, 0; cos(2, .) = -0.6, 0, 1.
  const scores = table.multiplied(2, 0, 1);
  isNear(scores[0], 1 * 0.9 / (0.2 + 0.001));
  isNear(scores[1], 0.9 * 1 / (0.5 + 0.001));
});

test('a coordinate is the cosine with the axis', () => {
  // From (-1, 0) to (0, 1): the axis is (1, 1).
  const points = axisPoints(table, [{from: [2], to: [1]}], [0, 1, 2]);
  isNear(points[0][0], 1.4 / Math.SQRT2);
  isNear(points[1][0], 1 / Math.SQRT2);
  isNear(points[2][0], -1 / Math.SQRT2);
});

test('the effect is the difference of means in deviations', () => {
  // Means 3 and 1; 2, 4, 0, 2 have mean 2 and a variance of 8 / 3.
  const {effect, p, exact} = weatOf([2, 4], [0, 2], 1000);
  isNear(effect!, 2 / Math.sqrt(8 / 3));
  // Of the six pairs (2 4) (2 0) (2 2) (4 0) (4 2) (0 2), two sum to 6.
  assert(exact);
  isNear(p, 2 / 6);
});

test('where all words lean alike there is no effect', () => {
  const {effect, p} = weatOf([0.3, 0.3], [0.3, 0.3], 1000);
  assert.equal(effect, null);
  isNear(p, 1);
});

test('random permutations come near to all of them', () => {
  const x = [0.1, 0.5, 0.9, 0.7, 0.65];
  const y = [0.3, 0.2, 0.6, 0.45, 0.05];
  const all = weatOf(x, y, 1e6);
  const some = weatOf(x, y, 250);
  assert(all.exact && !some.exact);
  // 252 divisions, of which a share p: four deviations of 250 draws.
  const deviation = Math.sqrt(all.p * (1 - all.p) / 250);
  isNear(some.p, all.p, 4 * deviation + 1 / 251);
});

test('words that lie as their poles do have the greatest effect', () => {
  const wide =
      new VectorTable(Int8Array.from([9, 0, 9, 1, 0, 9, 1, 9, 5, 0, 0, 5]), 2);
  const lists = {x: [0, 1], y: [2, 3], a: [4], b: [5]};
  const {effect, p} = weat(wide, lists, 1000);
  // The two groups lie at two points nearly, whose deviation, of 4 values, is
  // half of their distance times the root of 4 / 3.
  isNear(effect!, 2 / Math.sqrt(4 / 3), 0.01);
  isNear(p, 1 / 6);
});
