// What is typical of a selection against the rest.
//
// For texts, tokens are ranked by the log-odds ratio of their counts with an
// informative Dirichlet prior, in standard deviations: Monroe, Colaresi and
// Quinn, "Fightin' Words", Political Analysis 2008, eq. 15 to 22. The prior is
// the counts of all texts, scaled to a tenth of them and at most MOST_PRIOR
// tokens.
//
// A word is one point, so it has no counts inside and outside. There, the
// counts are those of its surroundings on the map: a word is typical if the
// selection holds more of the points around it than chance would.

import {clamp} from '../numbers';
import {Cluster} from '../source/source';

import {robustBounds} from './camera';
import {assignClusters} from './coloring';

const MOST_PRIOR = 500;
const SIGNIFICANT = 1.96;  // standard deviations

export interface Typical {
  text: string;
  z: number;
}

// The z-score of the log-odds of y1 of n1 against y2 of n2. `prior` pseudo-
// counts of `priors` belong to what is counted.
export function logOdds(
    y1: number, n1: number, y2: number, n2: number, prior: number,
    priors: number) {
  const odds = (y: number, n: number) =>
      Math.log((y + prior) / (n + priors - y - prior));
  const variance = 1 / (y1 + prior) + 1 / (y2 + prior);
  return (odds(y1, n1) - odds(y2, n2)) / Math.sqrt(variance);
}

const LETTERS = /\p{L}[\p{L}\p{M}\p{N}'’]*/gu;
// Scripts that put no space between words.
const SPACELESS =
    /[\p{Script=Han}\p{Script=Thai}\p{Script=Hiragana}\p{Script=Khmer}]/u;

interface Segments {
  segment: (text: string) => Iterable<{segment: string, isWordLike?: boolean}>;
}

const segmenter = (() => {
  const {Segmenter} = Intl as unknown as {
    Segmenter?: new (locale: undefined, rules: object) => Segments,
  };
  return Segmenter ? new Segmenter(undefined, {granularity: 'word'}) : null;
})();

// The words of a text, in lower case.
export function tokensOf(text: string): string[] {
  const lower = text.toLowerCase();
  if (!segmenter || !SPACELESS.test(lower)) return lower.match(LETTERS) || [];
  const tokens: string[] = [];
  for (const {segment, isWordLike} of segmenter.segment(lower)) {
    if (isWordLike) tokens.push(segment);
  }
  return tokens;
}

// The k most typical tokens of each group of texts, against all other texts.
// `of` holds the group of each text; those of `groups` or more are in none.
export function typicalOfGroups(
    texts: string[], of: ArrayLike<number>, groups: number, k: number,
    longest = 2000): Typical[][] {
  const inside = Array.from({length: groups}, () => new Map<string, number>());
  const sizes = new Array<number>(groups).fill(0);
  const all = new Map<string, number>();
  let n = 0;
  texts.forEach((text, id) => {
    const group = inside[of[id]];
    for (const token of tokensOf(text.slice(0, longest))) {
      all.set(token, (all.get(token) || 0) + 1);
      ++n;
      if (!group) continue;
      group.set(token, (group.get(token) || 0) + 1);
      ++sizes[of[id]];
    }
  });
  const prior = Math.min(MOST_PRIOR, n / 10);
  return inside.map((counts, i) => {
    const found: Typical[] = [];
    for (const [text, y1] of counts) {
      const y = all.get(text) || y1;
      const z =
          logOdds(y1, sizes[i], y - y1, n - sizes[i], prior * y / n, prior);
      if (z > SIGNIFICANT) found.push({text, z});
    }
    return found.sort((a, b) => b.z - a.z).slice(0, k);
  });
}

// The k most typical tokens of the selected texts.
export function typicalTokens(
    texts: string[], selected: ReadonlySet<number>, k: number): Typical[] {
  const of = texts.map((_, id) => selected.has(id) ? 0 : 1);
  return typicalOfGroups(texts, of, 1, k)[0];
}

// Clusters of texts with typical tokens of their beginnings as words.
export function nameClusters(
    texts: string[], points: Float32Array, clusters: Cluster[]): Cluster[] {
  const levels = [...new Set(clusters.map(({level}) => level))];
  return levels.flatMap((level) => {
    const ofLevel = clusters.filter((cluster) => cluster.level === level);
    const tokens = typicalOfGroups(
        texts, assignClusters(points, clusters, level), ofLevel.length, 3, 300);
    return ofLevel.map(
        (cluster, i) => ({
          ...cluster,
          words: tokens[i].length ? tokens[i].map(({text}) => text) :
                                    cluster.words.slice(0, 1),
        }));
  });
}

// The k most frequent selected words whose surroundings are selected more than
// chance explains. The map is divided into cells of some eight points; the
// surroundings of a word are its cell and those next to it.
export function typicalWords(
    words: string[], points: Float32Array, selected: ReadonlySet<number>,
    k: number): Typical[] {
  const {x0, y0, x1, y1} = robustBounds(points);
  const side = Math.max(1, Math.round(Math.sqrt(words.length / 8)));
  const at = (value: number, low: number, high: number) =>
      clamp(Math.floor(side * (value - low) / (high - low || 1)), 0, side - 1);
  const column = (id: number) => at(points[2 * id], x0, x1);
  const row = (id: number) => at(points[2 * id + 1], y0, y1);
  const counts = new Uint32Array(side * side);
  const inside = new Uint32Array(side * side);
  words.forEach((_, id) => {
    const cell = row(id) * side + column(id);
    ++counts[cell];
    if (selected.has(id)) ++inside[cell];
  });
  const around = (from: Uint32Array, id: number) => {
    let sum = 0;
    for (let y = Math.max(0, row(id) - 1); y <= Math.min(side - 1, row(id) + 1);
         ++y) {
      const left = Math.max(0, column(id) - 1);
      const right = Math.min(side - 1, column(id) + 1);
      for (let x = left; x <= right; ++x) sum += from[y * side + x];
    }
    return sum;
  };
  const chance = selected.size / words.length;
  const found: Typical[] = [];
  const ids = [...selected].sort((a, b) => a - b);
  for (const id of ids) {
    const n = around(counts, id);
    const z = (around(inside, id) - n * chance) /
        Math.sqrt(n * chance * (1 - chance) || 1);
    if (z > SIGNIFICANT) found.push({text: words[id], z});
    if (found.length === k) break;
  }
  return found;
}
