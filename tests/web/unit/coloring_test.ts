import assert from 'node:assert/strict';
import test from 'node:test';

import {assignClusters, byCategory, byFrequency, bySimilarity, byValue, endsOf, nameOf, paint, sizesOf, visibility} from '../../../tools/web/map/coloring';
import {densityOf, densityOpacity} from '../../../tools/web/map/density';
import {CATEGORIES, contrast, hexOf, luminance, OTHER, packed, ramp, Rgb, rgbOf} from '../../../tools/web/map/palette';
import {readSettings} from '../../../tools/web/views/map/settings';

// --paper of the style.
const PAPERS = {
  light: rgbOf('#fbfaf6'),
  dark: rgbOf('#14181b')
};

type Matrix = number[][];

// What readers without green or red cones see, in linear RGB: Machado, Oliveira
// and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
// Deficiency", IEEE TVCG 2009, severity 1.
const NORMAL: Matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const DEUTERANOPIA: Matrix = [
  [0.367322, 0.860646, -0.227968],
  [0.280085, 0.672501, 0.047413],
  [-0.011820, 0.042940, 0.968881],
];
const PROTANOPIA: Matrix = [
  [0.152286, 1.052583, -0.204868],
  [0.114503, 0.786281, 0.099216],
  [-0.003882, -0.048116, 1.051998],
];

const multiply = (matrix: Matrix, vector: number[]) => matrix.map(
    (row) => row.reduce((sum, value, i) => sum + value * vector[i], 0));

// CIELAB of a color, as seen by a reader.
function labOf(color: Rgb, vision: Matrix) {
  const linear = color.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const seen =
      multiply(vision, linear).map((part) => Math.min(1, Math.max(0, part)));
  const [x, y, z] =
      multiply(
          [
            [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883],
          ],
          seen)
          .map(
              (t) =>
                  t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const distance = (a: number[], b: number[]) =>
    Math.hypot(...a.map((value, i) => value - b[i]));

test('categories contrast 3:1 with both papers', () => {
  for (const [name, paper] of Object.entries(PAPERS)) {
    for (const color of [...CATEGORIES, OTHER]) {
      const ratio = contrast(color, paper);
      assert(ratio >= 3, `${hexOf(color)} on ${name} paper: ${ratio}`);
    }
  }
});

test('categories differ for every kind of vision', () => {
  const visions = {
    normal: {matrix: NORMAL, least: 25},
    deuteranopia: {matrix: DEUTERANOPIA, least: 15},
    protanopia: {matrix: PROTANOPIA, least: 15},
  };
  for (const [name, {matrix, least}] of Object.entries(visions)) {
    const colors = CATEGORIES.map((color) => labOf(color, matrix));
    colors.forEach((a, i) => colors.slice(i + 1).forEach((b, j) => {
      const apart = distance(a, b);
      assert(
          apart >= least,
          `${name}: colors ${i} and ${i + 1 + j} differ by ${apart}`);
    }));
  }
});

test('quantities darken on light paper and lighten on dark paper', () => {
  for (const isDark of [false, true]) {
    const steps =
        Array.from({length: 65}, (_, i) => luminance(ramp(i / 64, isDark)));
    steps.slice(1).forEach((step, i) => {
      assert(isDark ? step > steps[i] : step < steps[i], `step ${i}`);
    });
    for (let i = 0; i <= 64; ++i) {
      const paper = isDark ? PAPERS.dark : PAPERS.light;
      assert(contrast(ramp(i / 64, isDark), paper) >= 3, `step ${i}`);
    }
  }
});

test('a word belongs to the nearest center of level 0', () => {
  const at = (x: number, level: number) => ({x, y: 0, level, words: []});
  const clusters = [at(0, 0), at(5, 1), at(10, 0)];
  const points = Float32Array.from([1, 0, 4.9, 3, 5.1, 3, 20, 0]);
  assert.deepEqual([...assignClusters(points, clusters)], [0, 0, 1, 1]);
  const {groups} = byCategory(assignClusters(points, []), [], 'no cluster');
  assert.deepEqual(
      groups.map(({name, count}) => [name, count]), [['no cluster', 4]]);
});

test('words of a cluster do not change the order of each other', () => {
  const words = ['w79', '\u202ew20\u2069', 'שלום', 'fourth'];
  const cluster = {x: 0, y: 0, level: 0, words};
  assert.equal(nameOf(cluster), 'w79 · w20 · \u2068שלום\u2069');
  assert.equal(nameOf(cluster, 2), 'w7… · w… · \u2068של…\u2069');
});

test('groups are listed by size, and the rest is one', () => {
  // Group i has i + 1 points.
  const names = Array.from({length: 13}, (_, i) => `group ${i}`);
  const indices = names.flatMap((_, i) => new Array<number>(i + 1).fill(i));
  const {groups, of} = byCategory([...indices, NaN], names);
  assert.equal(groups.length, 12);
  assert.deepEqual(
      groups.slice(0, 2).map(({name, count}) => [name, count]),
      [['group 12', 13], ['group 11', 12]]);
  const other = groups[10];
  assert.deepEqual(
      [other.key, other.name, other.color], ['other', 'other (3 groups)', -1]);
  assert.equal(other.count, 1 + 2 + 3);
  assert.equal(groups[11].name, 'no value');
  assert.equal(of[indices.length], 11);
  assert.equal(of[0], 10);
  assert.equal(of[indices.length - 1], 0);
});

test('a single group that is left is one group', () => {
  const names = 'abcdefghijk'.split('');
  const {groups} = byCategory(names.map((_, i) => i), names);
  assert.equal(groups[10].name, 'other (1 group)');
});

test('ten groups need no other', () => {
  const names = 'abcdefghij'.split('');
  const {groups} = byCategory(names.map((_, i) => i), names);
  assert.equal(groups.length, 10);
  assert(groups.every(({color}) => color >= 0));
});

test('a quantity has its ends, its middle and no value', () => {
  const {ends, shades} = byValue([2, 4, NaN, 6]);
  assert.deepEqual(ends, [2, 4, 6]);
  assert.deepEqual([...shades], [0, 0.5, NaN, 1]);
  assert.deepEqual(byValue([5, 5]).ends, [5, 5, 5]);
  assert.deepEqual(byValue([NaN]).ends, [0, 0, 0]);
  assert.deepEqual([...byValue([0, 30], false, [10, 20]).shades], [0, 1]);
});

test('similarities are shaded between those of other words', () => {
  // The word itself, words from 0.3 to 0.6, one far below, one without a value.
  const values = Float32Array.from(
      {length: 203}, (_, id) => id === 0 ? 1 : 0.3 + 0.3 * (id - 1) / 199);
  values.set([-0.9, NaN], 201);
  const {ends, shades} = bySimilarity(values, 0);
  const about = (value: number, expected: number) =>
      assert(Math.abs(value - expected) < 0.01, `${value}, not ${expected}`);
  about(ends[0], 0.3);
  about(ends[2], 0.6);
  assert.deepEqual([shades[0], shades[200], shades[201]], [1, 1, 0]);
  about(shades[100], 0.5);
  assert(Number.isNaN(shades[202]));
  // Without others, there is the word's own.
  assert.deepEqual(bySimilarity(Float32Array.of(1), 0).ends, [1, 1, 1]);
});

test('the ends of a scale have few digits, and years no separator', () => {
  assert.deepEqual(endsOf(byValue([1900, 1999])), ['1900', '1950', '1999']);
  assert.deepEqual(
      endsOf(byValue([-12345, 12345.6])),
      ['\u221212\u202f345', '0.3', '12\u202f346']);
  assert.deepEqual(endsOf(byValue([0.123, 0.456])), ['0.12', '0.29', '0.46']);
});

test('frequency is logarithmic, and a rank where counts are unknown', () => {
  const {ends, shades} = byFrequency([1000, 100, 10, 0]);
  assert.deepEqual(ends.map(Math.round), [10, 100, 1000]);
  assert.deepEqual(
      [...shades].map((shade) => shade.toFixed(3)),
      ['1.000', '0.500', '0.000', 'NaN']);
  const ranks = byFrequency([0, 0, 0, 0]);
  assert.deepEqual(endsOf(ranks), ['rank 4', 'rank 2', 'rank 1']);
  assert.deepEqual(
      endsOf(byFrequency(new Array<number>(600).fill(0))),
      ['rank 600', 'rank 24', 'rank 1']);
  assert.deepEqual(
      [...ranks.shades],
      [1, 0.5, 1 - Math.fround(Math.log(3) / Math.log(4)), 0].map(Math.fround));
});

test('frequent words are larger, unless sizes are off', () => {
  const sizes = sizesOf([1000, 100, 10, 0], true);
  assert(sizes[0] > sizes[1] && sizes[1] > sizes[2] && sizes[3] > 0);
  const ranked = sizesOf([0, 0, 0], true);
  assert(ranked[0] > ranked[1] && ranked[1] > ranked[2]);
  assert.deepEqual([...sizesOf([9, 1], false)], [1, 1]);
});

test('groups and points that are off are not drawn', () => {
  const coloring = byCategory([0, 1, 0, 1], ['a', 'b']);
  const visible = visibility(4, coloring, new Set(['1']), new Set([2]));
  assert.deepEqual([...visible], [1, 0, 0, 0]);
  const colors = paint(coloring, visible, false);
  assert.equal(colors[0], packed(CATEGORIES[0]));
  assert.deepEqual([...colors.slice(1)], [0, 0, 0]);
});

test('shades become colors of the theme, and no value is gray', () => {
  const coloring = byValue([1, NaN, 2]);
  const visible = new Uint8Array(3).fill(1);
  for (const isDark of [false, true]) {
    const colors = paint(coloring, visible, isDark);
    assert.deepEqual(
        [...colors], [ramp(0, isDark), OTHER, ramp(1, isDark)].map(packed));
  }
  assert.equal(packed([1, 2, 3]), 0xff030201);
});

test('density is greatest where points are, and fades with zoom', () => {
  const points = new Float32Array(200);
  for (let i = 0; i < 200; i += 2) points.set([i < 180 ? 1 : 9, 5], i);
  const box = {x0: 0, y0: 0, x1: 10, y1: 10};
  const visible = new Uint8Array(100).fill(1);
  const {cells, size} = densityOf(points, visible, box);
  const at = (x: number, y: number) => {
    const column = Math.floor((x + 0.8) / 11.6 * size);
    const row = Math.floor((10.8 - y) / 11.6 * size);
    return cells[row * size + column];
  };
  assert(at(1, 5) > 0.9 && at(9, 5) > 0.05 && at(9, 5) < 0.2);
  assert.equal(at(5, 1), 0);
  visible.fill(0, 0, 90);
  assert.equal(
      densityOf(points, visible, box)
          .cells
              [Math.floor(5.8 / 11.6 * size) * size +
               Math.floor(1.8 / 11.6 * size)],
      0);
  assert.equal(densityOpacity(1), 1);
  assert(densityOpacity(2) < 1 && densityOpacity(2) > 0);
  assert.equal(densityOpacity(10), 0);
});

test('settings that the address names wrongly are as at first', () => {
  const possible = {colors: ['cluster', 'frequency'], methods: ['umap', 'pca']};
  const read = (text: string) =>
      readSettings(new URLSearchParams(text), possible);
  const {color, method, beside, isSized} =
      read('color=none&method=x&beside=pca&size=0');
  assert.deepEqual(
      [color, method, beside, isSized], ['cluster', 'umap', 'pca', false]);
  assert.equal(read('method=pca&beside=pca').beside, '');
  assert.deepEqual([...read('off=1&off=other').off], ['1', 'other']);
});
