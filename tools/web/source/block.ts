// The source within the page: the data block that `firth explore --page` fills,
// for a file that works without a service. Neighbors of every word are always
// there; what needs vectors is answered only where the page holds them. Arrays
// are unpacked when they are first asked for, so that the page shows at once.

import {AnalogyMethod, Axis, AxisPoints, Cluster, Column, Feature, Info, Layout, Near, Neighbor, Neighbors, Source, SourceError, SumOfWords, Unknown, WeatLists, WeatResult, WordMap} from './source';
import {similarSpellings} from './spelling';
import {axisPoints, best, VectorTable, weat} from './vectors';

export interface Block {
  info: Info;
  words: string[];
  counts: number[];
  maps: Array<{method: string, points: string, clusters: Cluster[]}>;
  columns: Array<Column&{data: string}>;
  neighbors: {k: number, ids: string, scores: string};
  vectors: {dim: number, scales: string, rows: string}|null;
}

const WITHOUT_SERVICE = 'This page is a single file without a service.';
const WITHOUT_VECTORS = 'This page contains no vectors. To use this view, ' +
    'write the page again with ' +
    '“firth explore MODEL --page FILE --with-vectors”.';
const ONE_MODEL = 'This page contains one model. Start “firth explore” with ' +
    'two models to compare them.';
const WITHOUT_MAP = 'This page holds no map.';

// Bytes out of base64. Numbers are little-endian, as every browser's machine
// has them.
function bytesOf(base64: string): ArrayBuffer {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

function answerOf(neighbors: Neighbor[], unknown: Unknown[] = []): Neighbors {
  return {neighbors, unknown, composed: []};
}

function refuse(): Promise<never> {
  return Promise.reject(new SourceError(WITHOUT_SERVICE));
}

function lazily<T>(make: () => T): () => T {
  let made: {value: T}|null = null;
  return () => (made = made || {value: make()}).value;
}

export class BlockSource implements Source {
  readonly #ids =
      lazily(() => new Map(this.#block.words.map((word, id) => [word, id])));
  readonly #near = lazily(() => {
    const {ids, scores} = this.#block.neighbors;
    return {
      ids: new Uint32Array(bytesOf(ids)),
      scores: new Float32Array(bytesOf(scores)),
    };
  });
  readonly #table = lazily(() => {
    const {vectors} = this.#block;
    if (!vectors) throw new SourceError(WITHOUT_VECTORS);
    return new VectorTable(new Int8Array(bytesOf(vectors.rows)), vectors.dim);
  });

  readonly #block: Block;

  constructor(block: Block) {
    this.#block = block;
  }

  info() {
    return this.#block.info;
  }

  lacks(feature: Feature) {
    switch (feature) {
      case 'map':
        return (this.#block.maps || []).length ? null : WITHOUT_MAP;
      case 'neighbors':
        return null;
      case 'compare words':
      case 'sums':
      case 'axes':
      case 'analogy':
        return this.#block.vectors ? null : WITHOUT_VECTORS;
      case 'compare models':
        return ONE_MODEL;
      default:
        return `${WITHOUT_SERVICE} Start “firth explore” to see this.`;
    }
  }

  async map(): Promise<WordMap> {
    const {words, counts, columns, maps} = this.#block;
    if (!maps || !maps.length) throw new SourceError(WITHOUT_MAP);
    const methods = maps.map(({method}) => method);
    return {
      words,
      counts: words.map((_, id) => counts[id] || 0),
      columns: columns || [],
      methods,
      ready: methods,
      first: await this.layout('', maps[0].method),
    };
  }

  async layout(_: string, method: string): Promise<Layout> {
    const found = this.#block.maps.find((map) => map.method === method);
    if (!found) {
      throw new SourceError(`This page contains no map by ${method}.`);
    }
    return {...found, points: new Float32Array(bytesOf(found.points))};
  }

  async column(_: string, name: string) {
    const found = this.#block.columns.find((column) => column.name === name);
    if (!found) throw new SourceError(`This page has no column “${name}”.`);
    return new Float32Array(bytesOf(found.data));
  }

  async similarities(_: string, word: string) {
    const id = this.#ids().get(word);
    if (id === undefined) {
      return new Float32Array(this.#block.words.length).fill(NaN);
    }
    return Float32Array.from(this.#table().cosines(this.#table().unitRow(id)));
  }

  nearby(id: number, k: number) {
    const {ids, scores} = this.#near();
    const {words, neighbors} = this.#block;
    const near: Near[] = [];
    for (let i = 0; i < Math.min(k, neighbors.k); ++i) {
      const at = id * neighbors.k + i;
      // Others fill the place of those that there are not.
      if (ids[at] < words.length) near.push({id: ids[at], score: scores[at]});
    }
    return near;
  }

  async wordsWithPrefix(_: string, prefix: string, k: number) {
    const found: string[] = [];
    for (const word of this.#block.words) {
      if (found.length === k) break;
      if (word.startsWith(prefix)) found.push(word);
    }
    return found;
  }

  async neighbors(_: string, sum: SumOfWords, k: number): Promise<Neighbors> {
    const unknown = this.#unknown([...sum.plus, ...sum.minus]);
    // The sum of the other words would be another question.
    if (unknown.length) return answerOf([], unknown);
    const plus = this.#known(sum.plus);
    const minus = this.#known(sum.minus);
    const stored = this.#block.neighbors.k;
    const isOneWord = plus.length === 1 && !minus.length;
    if (isOneWord && (k <= stored || !this.#block.vectors)) {
      return answerOf(this.#named(this.nearby(plus[0], k)));
    }
    const direction = this.#table().sum(plus, minus);
    if (direction.every((value) => value === 0)) {
      throw new SourceError(
          'The sum of these vectors is zero, so it has no neighbors.');
    }
    const cosines = this.#table().cosines(direction);
    return answerOf(
        this.#named(best(cosines, k, new Set([...plus, ...minus]))));
  }

  async similarity(_: string, a: string, b: string) {
    const [idA, idB] = [a, b].map((word) => this.#ids().get(word));
    if (idA === undefined || idB === undefined) return null;
    return this.#table().cosines(this.#table().unitRow(idA))[idB];
  }

  async analogy(
      _: string, a: string, b: string, c: string, k: number,
      method: AnalogyMethod): Promise<Neighbors> {
    const unknown = this.#unknown([a, b, c]);
    if (unknown.length) return answerOf([], unknown);
    const [idA, idB, idC] = this.#known([a, b, c]);
    const table = this.#table();
    const scores = method === 'add' ?
        table.cosines(table.sum([idB, idC], [idA])) :
        table.multiplied(idA, idB, idC);
    return answerOf(this.#named(best(scores, k, new Set([idA, idB, idC]))));
  }

  async axes(_: string, axes: Axis[], words: string[], top: number):
      Promise<AxisPoints> {
    const ends = axes.map((axis) => ({
                            from: this.#atLeastOne(axis.from),
                            to: this.#atLeastOne(axis.to),
                          }));
    const named = axes.reduce<string[]>(
        (all, axis) => [...all, ...axis.from, ...axis.to], []);
    const asked = words.length ? words : this.#block.words.slice(0, top);
    const ids = this.#known(asked);
    return {
      words: ids.map((id) => this.#block.words[id]),
      points: axisPoints(this.#table(), ends, ids),
      unknown: this.#unknown([...named, ...words]),
    };
  }

  async weat(_: string, lists: WeatLists, permutations: number):
      Promise<WeatResult> {
    const [x, y, a, b] = [lists.x, lists.y, lists.a, lists.b].map(
        (words) => words.map((word) => this.#folded(word)));
    const all = [...x, ...y, ...a, ...b];
    const ids = {
      x: this.#atLeastOne(x),
      y: this.#atLeastOne(y),
      a: this.#atLeastOne(a),
      b: this.#atLeastOne(b),
    };
    const result = weat(this.#table(), ids, permutations);
    return {...result, unknown: this.#unknown(all)};
  }

  // Only the service answers these.
  readonly compareModels = refuse;
  readonly moved = refuse;
  readonly evaluation = refuse;
  readonly context = refuse;
  readonly log = refuse;

  #known(words: string[]) {
    return words.map((word) => this.#ids().get(word))
        .filter((id): id is number => id !== undefined);
  }

  #unknown(words: string[]): Unknown[] {
    return words.filter((word) => !this.#ids().has(word))
        .map((word) => ({
               word,
               spellings: similarSpellings(word, this.#block.words, 5),
             }));
  }

  // In lower case where the word is known only so.
  #folded(word: string) {
    const lower = word.toLowerCase();
    return !this.#ids().has(word) && this.#ids().has(lower) ? lower : word;
  }

  #atLeastOne(words: string[]) {
    const ids = this.#known(words);
    if (!ids.length) {
      throw new SourceError(
          `None of these words has a vector: ${words.join(', ')}.`);
    }
    return ids;
  }

  #named(ranked: Near[]): Neighbor[] {
    const {words, counts} = this.#block;
    return ranked.map(
        ({id, score}) => ({word: words[id], score, count: counts[id] || 0}));
  }
}
