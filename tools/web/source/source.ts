// Where the page's answers come from. Two sources speak this interface: the
// service over HTTP (service.ts) and the data within the page (block.ts). The
// views know nothing else, and ask lacks() before they offer what a source
// cannot answer.

import type {Questions} from 'questions';

export interface Model {
  name: string;
  kind: 'vectors'|'language-model'|'tagger'|'classifier';
  words: number;
  dim: number;
  subwords: boolean;
  map: boolean;
  evaluation: boolean;
  texts?: boolean;  // its words are whole texts
}

export interface Info {
  version: string;
  models: Model[];
  log: boolean;   // a run's log can be followed
  text: boolean;  // there is a text whose tokens are neighbors in context
}

export interface Neighbor {
  word: string;
  score: number;  // cosine, or the score of the method that was asked for
  count: number;  // occurrences in the training text; 0 where unknown
}

// A word of the map by its id, near another one.
export interface Near {
  id: number;
  score: number;  // NaN where it is not known
}

// A word without a vector, and words that are spelled like it.
export interface Unknown {
  word: string;
  spellings: string[];
}

export interface SumOfWords {
  plus: string[];
  minus: string[];
}

export interface Neighbors {
  neighbors: Neighbor[];
  unknown: Unknown[];
  composed: string[];  // words whose vectors are made of their n-grams
}

// A label of a region of the map. Level 0 is the coarsest.
export interface Cluster {
  x: number;
  y: number;
  level: number;
  words: string[];
}

// A value of each word of the map: an index into `values`, or a quantity.
export type Column = {
  name: string,
  type: 'categorical',
  values: string[],
}|{name: string, type: 'continuous', minimum: number, maximum: number};

// Positions of the words by one method: word i is at (points[2 * i],
// points[2 * i + 1]).
export interface Layout {
  method: string;
  points: Float32Array;
  clusters: Cluster[];
}

// The map of a model: its words, most frequent first, in one or more layouts.
export interface WordMap {
  words: string[];
  counts: ArrayLike<number>;  // 0 where unknown
  columns: Column[];
  methods: string[];  // that can be shown
  ready: string[];    // of these, without a computation
  first: Layout;
}

export interface Axis {
  from: string[];
  to: string[];
}

// Each word's cosine with one or two axes.
export interface AxisPoints {
  words: string[];
  points: number[][];
  unknown: Unknown[];
}

export interface WeatLists {
  x: string[];
  y: string[];
  a: string[];
  b: string[];
}

export interface WeatResult {
  effect: number|null;  // Cohen's d, from -2 to 2; null: all lean alike
  p: number;            // of one side: chance alone gives this effect or more
  exact: boolean;       // all permutations were counted, not a sample of them
  unknown: Unknown[];
}

export interface ModelComparison {
  only: [Neighbor[], Neighbor[]];
  joint: Array<{word: string, scores: [number, number]}>;
  unknown: Unknown[];
}

export interface MovedWord {
  word: string;
  cosine: number;              // of its vectors in both models
  chance_cosine: number|null;  // and in two that differ by their seed alone
  p: number;       // the share of words of like frequency that move as far
  lost: string[];  // neighbors in the first model only, best first
  won: string[];   // and in the second one only
}

export type Evaluation = Questions['eval']['answer'];
export type AnalogySection =
    Evaluation['analogies'][number]['sections'][number];
export type SimilarityResult = Evaluation['similarity'][number];

// A token of the reference text. In its context the token stands in **.
export interface TokenNeighbor {
  word: string;
  score: number;
  context: string;
}

export interface ContextLayer {
  layer: number;   // 0 is the word's vector, the same in every sentence
  cosine: number;  // of the two chosen tokens
  neighbors: [TokenNeighbor[], TokenNeighbor[]];
}

export interface ContextAnswer {
  layers: ContextLayer[];
  words: [string[], string[]];
}

// A sentence and the position of the chosen token in it.
export interface ChosenToken {
  text: string;
  word: number;
}

export interface LogPart {
  next: number;  // bytes read so far; what the next ask starts after
  lines: Array<Record<string, unknown>>;
  done: boolean;
}

export type AnalogyMethod = 'add'|'mul';

export type Feature = 'map'|'neighbors'|'sums'|'compare words'|'compare models'|
    'axes'|'analogy'|'evaluation'|'context'|'log';

// An error whose message is meant for the reader of the page.
export class SourceError extends Error {
  constructor(message: string, readonly status = 0) {
    super(message);
  }
}

export interface Source {
  info(): Info;

  // Why `model` cannot serve the feature, as a sentence, or null where it can.
  lacks(feature: Feature, model: string): string|null;

  map(model: string): Promise<WordMap>;
  // The map's words by another method, which may take a while.
  layout(model: string, method: string): Promise<Layout>;
  // The values of a column, one per word of the map; NaN where there is none.
  column(model: string, name: string): Promise<Float32Array>;
  // The similarity of each word of the map to `word`; NaN where it is unknown.
  similarities(model: string, word: string): Promise<Float32Array>;
  // The words of the map nearest to one of them, if no request is needed; or
  // null.
  nearby(id: number, k: number): Near[]|null;
  wordsWithPrefix(model: string, prefix: string, k: number): Promise<string[]>;
  neighbors(model: string, sum: SumOfWords, k: number): Promise<Neighbors>;
  similarity(model: string, a: string, b: string): Promise<number|null>;
  analogy(
      model: string, a: string, b: string, c: string, k: number,
      method: AnalogyMethod): Promise<Neighbors>;
  // Of `words`, or of the `top` most frequent where there are none.
  axes(model: string, axes: Axis[], words: string[], top: number):
      Promise<AxisPoints>;
  weat(model: string, lists: WeatLists, permutations: number):
      Promise<WeatResult>;
  compareModels(models: [string, string], word: string, k: number):
      Promise<ModelComparison>;
  // `chance`: a model trained as the first one was, with another seed; or "".
  moved(models: [string, string], chance: string, k: number):
      Promise<MovedWord[]>;
  evaluation(model: string): Promise<Evaluation>;
  context(model: string, sentences: [ChosenToken, ChosenToken], k: number):
      Promise<ContextAnswer>;
  log(after: number): Promise<LogPart>;
}

// Returns the answer that is kept, or makes it. Answers that fail are not kept.
export function remember<T>(
    kept: Map<string, Promise<T>>, key: string, make: () => Promise<T>) {
  let answer = kept.get(key);
  if (!answer) {
    answer = make();
    kept.set(key, answer);
    answer.catch(() => kept.delete(key));
  }
  return answer;
}

// Commands that provide what a view lacks.
export function remedyOf(feature: Feature): string|null {
  switch (feature) {
    case 'context':
      return 'firth explore vectors.safetensors language-model.safetensors ' +
          '--text text.txt';
    case 'log':
      return 'firth train --input text.txt --output model.safetensors ' +
          '--log log.jsonl &\n' +
          'firth explore vectors.safetensors --log log.jsonl';
    default:
      return null;
  }
}
