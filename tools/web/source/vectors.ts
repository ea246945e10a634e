// Questions about vectors that are answered in the page itself, for a page that
// holds them. A row is int8; its scale drops out of every cosine, so rows are
// made unit vectors by their own norms.

import {smallest} from '../numbers';

import {Axis, Near, WeatLists, WeatResult} from './source';

export function dot(a: ArrayLike<number>, b: ArrayLike<number>) {
  let sum = 0;
  for (let i = 0; i < a.length; ++i) sum += a[i] * b[i];
  return sum;
}

// a / |a|; a row of zeros stays one.
export function unit(a: ArrayLike<number>): Float64Array {
  const norm = Math.sqrt(dot(a, a)) || 1;
  return Float64Array.from(a, (value) => value / norm);
}

function addTo(sum: Float64Array, row: ArrayLike<number>, weight: number) {
  for (let i = 0; i < sum.length; ++i) sum[i] += weight * row[i];
}

// The k greatest of scores, without those of `exclude`, greatest first.
export function best(
    scores: ArrayLike<number>, k: number, exclude: ReadonlySet<number>) {
  const ranked =
      smallest(scores.length, k, (id) => exclude.has(id) ? NaN : -scores[id]);
  return ranked.map(({id}): Near => ({id, score: scores[id]}));
}

export class VectorTable {
  readonly #norms: Float64Array;

  // rows: [norms.length, dim].
  constructor(private readonly rows: Int8Array, readonly dim: number) {
    this.#norms = new Float64Array(rows.length / dim);
    for (let id = 0; id < this.#norms.length; ++id) {
      const row = this.#raw(id);
      this.#norms[id] = Math.sqrt(dot(row, row)) || 1;
    }
  }

  #raw(id: number) {
    return this.rows.subarray(id * this.dim, (id + 1) * this.dim);
  }

  unitRow(id: number) {
    return unit(this.#raw(id));
  }

  sum(plus: number[], minus: number[] = []) {
    const sum = new Float64Array(this.dim);
    for (const id of plus) addTo(sum, this.unitRow(id), 1);
    for (const id of minus) addTo(sum, this.unitRow(id), -1);
    return sum;
  }

  // Of every row with the direction.
  cosines(direction: ArrayLike<number>): Float64Array {
    const target = unit(direction);
    const {rows, dim} = this;
    const norms = this.#norms;
    const cosines = new Float64Array(norms.length);
    for (let id = 0, at = 0; id < cosines.length; ++id) {
      let sum = 0;
      for (let i = 0; i < dim; ++i, ++at) sum += rows[at] * target[i];
      cosines[id] = sum / norms[id];
    }
    return cosines;
  }

  // 3CosMul: cos(b) cos(c) / (cos(a) + 0.001) with cosines moved to 0..1.
  // Levy and Goldberg, "Linguistic Regularities in Sparse and Explicit Word
  // Representations", CoNLL 2014, eq. 4.
  multiplied(a: number, b: number, c: number) {
    const [cosA, cosB, cosC] =
        [a, b, c].map((id) => this.cosines(this.unitRow(id)));
    return cosA.map(
        (_, id) => (cosB[id] + 1) / 2 * (cosC[id] + 1) / 2 /
            ((cosA[id] + 1) / 2 + 0.001));
  }

  // From the mean of one group's unit vectors to the mean of the other's.
  axis(from: number[], to: number[]) {
    const axis = new Float64Array(this.dim);
    addTo(axis, this.sum(to), 1 / to.length);
    addTo(axis, this.sum(from), -1 / from.length);
    return axis;
  }
}

function mean(values: number[]) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// A generator of numbers from 0 to 1 with one word of state: "mulberry32".
function randomNumbers(seed: number) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Calls visit with the sum of each choice of `size` of the values.
function sumsOfChoices(
    values: number[], size: number, visit: (sum: number) => void) {
  const choose = (from: number, left: number, sum: number) => {
    if (left === 0) return visit(sum);
    for (let i = from; i + left <= values.length; ++i) {
      choose(i + 1, left - 1, sum + values[i]);
    }
  };
  choose(0, size, 0);
}

function choices(n: number, k: number) {
  let count = 1;
  for (let i = 1; i <= k; ++i) count = count * (n - k + i) / i;
  return Math.round(count);
}

// The test of Caliskan, Bryson and Narayanan, "Semantics derived automatically
// from language corpora contain human-like biases", Science 2017, of the
// associations s(w, A, B) of the target words X and Y. The effect is
// (mean(X) - mean(Y)) / deviation(X and Y), null where all are alike, p the
// share of the partitions of X and Y into groups of their sizes whose
// difference is at least that found. All partitions are counted where there are
// no more than `permutations`.
export function weatOf(
    x: number[], y: number[], permutations: number, seed = 1) {
  const all = [...x, ...y];
  const center = mean(all);
  const variance =
      all.reduce((sum, s) => sum + (s - center) ** 2, 0) / (all.length - 1);
  // Rounding must not make equals differ.
  const deviation = Math.sqrt(variance);
  const effect = deviation > 1e-12 ? (mean(x) - mean(y)) / deviation : null;
  // Sizes are fixed, so the difference of the means grows with the sum of X.
  const found = x.reduce((sum, s) => sum + s, 0);
  const least = found - 1e-12 * Math.max(1, Math.abs(found));
  const partitions = choices(all.length, x.length);
  const exact = partitions <= permutations;
  let reached = 0;
  if (exact) {
    sumsOfChoices(all, x.length, (sum) => reached += Number(sum >= least));
    return {effect, p: reached / partitions, exact};
  }
  const random = randomNumbers(seed);
  for (let draw = 0; draw < permutations; ++draw) {
    let sum = 0;
    for (let i = 0; i < x.length; ++i) {
      const j = i + Math.floor(random() * (all.length - i));
      [all[i], all[j]] = [all[j], all[i]];
      sum += all[i];
    }
    reached += Number(sum >= least);
  }
  // What was found is one of the permutations.
  return {effect, p: (reached + 1) / (permutations + 1), exact};
}

// Words have their ids; the lists must be known words.
export function weat(
    table: VectorTable, lists: Record<keyof WeatLists, number[]>,
    permutations: number): Omit<WeatResult, 'unknown'> {
  const toward = table.sum(lists.a).map((value) => value / lists.a.length);
  addTo(toward, table.sum(lists.b), -1 / lists.b.length);
  const association = (id: number) => dot(table.unitRow(id), toward);
  return weatOf(
      lists.x.map(association), lists.y.map(association), permutations);
}

// The cosine of each word with each axis.
export function axisPoints(
    table: VectorTable, axes: Array<Record<keyof Axis, number[]>>,
    ids: number[]) {
  const directions = axes.map((axis) => unit(table.axis(axis.from, axis.to)));
  return ids.map((id) => {
    const row = table.unitRow(id);
    return directions.map((direction) => dot(row, direction));
  });
}
