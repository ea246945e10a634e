// The source that asks `firth serve` or `firth explore` over HTTP. The service
// lies where the page came from, so every request goes to the same address.

import type {Questions} from 'questions';

import {AnalogyMethod, Axis, AxisPoints, ChosenToken, Cluster, Column, ContextAnswer, Evaluation, Feature, Info, Layout, LogPart, ModelComparison, MovedWord, Neighbors, remember, Source, SourceError, SumOfWords, WeatLists, WeatResult, WordMap} from './source';

const ROOT = 'api/v1';
// An access token is kept for the window's life only.
const TOKEN_KEY = 'firth-token';
// Neighbors that a moved word lost and won, and wrong answers of a section.
const SHOWN = 5;
const SHOWN_WRONG = 50;
// The most neighbors that the service returns.
const MOST_NEIGHBORS = 100000;

type Json = Record<string, unknown>;

export function saveToken(token: string) {
  sessionStorage.setItem(TOKEN_KEY, token);
}

async function errorOf(response: Response): Promise<SourceError> {
  let message =
      `The service answered ${response.status} ${response.statusText}.`;
  try {
    const body = await response.json() as {error?: {message?: string}};
    if (body.error && body.error.message) message = body.error.message;
  } catch {
    // The status says enough where the body is not JSON.
  }
  return new SourceError(message, response.status);
}

async function ask(path: string, body?: Json): Promise<Response> {
  const headers: Record<string, string> = {};
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (token) headers['Authorization'] = `Bearer ${token}`;
  const request: RequestInit = {headers};
  if (body) {
    headers['Content-Type'] = 'application/json';
    request.method = 'POST';
    request.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(`${ROOT}${path}`, request);
  } catch {
    throw new SourceError(
        'The service does not respond. It may have been stopped; start it ' +
        'and try again.');
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

async function json<T>(path: string): Promise<T> {
  return await (await ask(path)).json() as T;
}

type Request<Q extends keyof Questions> = Questions[Q]['request'];
type Answer<Q extends keyof Questions> = Questions[Q]['answer'];

// Returns the answers to requests of one question. `models` has the name of the
// model of each slot.
async function answersTo<Q extends keyof Questions>(
    question: Q, models: Record<string, string>,
    requests: Request<Q>[]): Promise<Answer<Q>[]> {
  const response = await ask(`/${question}`, {...models, requests});
  const {answers} =
      await response.json() as {answers: (Answer<Q>| {error: string})[]};
  return answers.map((answer) => {
    if (typeof answer === 'object' && 'error' in answer) {
      throw new SourceError(answer.error as string);
    }
    return answer;
  });
}

async function answerTo<Q extends keyof Questions>(
    question: Q, models: Record<string, string>,
    request: Request<Q>): Promise<Answer<Q>> {
  return (await answersTo(question, models, [request]))[0];
}

// A number that is not finite is null in JSON.
function numberOf(value: number|null): number {
  return value === null ? NaN : value;
}

function withScores<T extends {score: number | null}>(words: T[]) {
  return words.map((word) => ({...word, score: numberOf(word.score)}));
}

function query(path: string, parameters: Record<string, string>) {
  return `${path}?${new URLSearchParams(parameters)}`;
}

function onceEach<T extends {word: string}>(words: T[]): T[] {
  return [...new Map(words.map((entry) => [entry.word, entry])).values()];
}

interface MapInfo {
  method: string;
  methods?: string[];
  ready?: string[];
  clusters?: Cluster[];
  columns?: Column[];
}

function checked(
    bytes: ArrayBuffer, words: number, each: number, what: string) {
  const expected = each * words;
  if (bytes.byteLength === expected) return bytes;
  throw new SourceError(`The map has ${words} words: expected ${
      expected} bytes of ${what}, found ${bytes.byteLength}.`);
}

export class Service implements Source {
  readonly #maps = new Map<string, Promise<WordMap>>();

  readonly #known: Info;

  private constructor(known: Info) {
    this.#known = known;
  }

  static async open(): Promise<Service> {
    return new Service(await json<Info>('/info'));
  }

  info() {
    return this.#known;
  }

  lacks(feature: Feature, name: string): string|null {
    const model = this.#known.models.find((m) => m.name === name);
    const vectors = this.#known.models.filter((m) => m.kind === 'vectors');
    switch (feature) {
      case 'map':
        return model && model.map ? null :
                                    'The service has no map of this model. ' +
                'Make one with “firth map”, and pass it with --map.';
      case 'evaluation':
        return model && model.evaluation ?
            null :
            'The service has no test sets. Restart it with ' +
                '--analogies and --similarity.';
      case 'compare models':
        return vectors.length > 1 ?
            null :
            'The service has only one model. Restart it with two models to ' +
                'compare them.';
      case 'context':
        if (!this.#known.models.some((m) => m.kind === 'language-model')) {
          return 'The service has no language model. Pass one as a MODEL.';
        }
        return this.#known.text ?
            null :
            'The service has no text in which to find neighbors. Pass one ' +
                'with --text.';
      case 'log':
        return this.#known.log ?
            null :
            'The service follows no training log. Pass one with --log.';
      default:
        return model && model.kind === 'vectors' ?
            null :
            'The service has no model with word vectors.';
    }
  }

  map(model: string) {
    return remember(this.#maps, model, () => this.#fetchMap(model));
  }

  async #fetchMap(model: string): Promise<WordMap> {
    const [about, words, counts] = await Promise.all([
      json<MapInfo>(query('/map/info', {model})),
      ask(query('/map/words', {model})).then((r) => r.text()),
      ask(query('/map/counts', {model})).then((r) => r.arrayBuffer()),
    ]);
    const lines = words.split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    const methods = about.methods || [];
    const found = {
      words: lines,
      counts: new Float64Array(checked(counts, lines.length, 8, 'counts')),
      columns: about.columns || [],
      ready: about.ready || [],
      methods: [
        about.method,
        ...methods.filter((method) => method !== about.method),
      ],
    };
    const points = await this.#points({model}, lines.length);
    const {method, clusters} = about;
    return {...found, first: {method, points, clusters: clusters || []}};
  }

  async #points(parameters: Record<string, string>, count: number) {
    const answer = await ask(query('/map/points', parameters));
    return new Float32Array(
        checked(await answer.arrayBuffer(), count, 8, 'points'));
  }

  // Clusters of a method exist once its points do.
  async layout(model: string, method: string): Promise<Layout> {
    const {words} = await this.map(model);
    const points = await this.#points({model, method}, words.length);
    const {clusters} = await json<MapInfo>(query('/map/info', {model, method}));
    return {method, points, clusters: clusters || []};
  }

  async column(model: string, name: string) {
    const {words} = await this.map(model);
    const answer = await ask(query('/map/column', {model, name}));
    return new Float32Array(
        checked(await answer.arrayBuffer(), words.length, 4, 'a column'));
  }

  async similarities(model: string, word: string) {
    const {words} = await this.map(model);
    const top = Math.min(words.length, MOST_NEIGHBORS);
    const {neighbors} =
        await this.neighbors(model, {plus: [word], minus: []}, top);
    const scores = new Map(neighbors.map((one) => [one.word, one.score]));
    scores.set(word, 1);
    return Float32Array.from(words, (one) => scores.get(one) ?? NaN);
  }

  // Every answer of the service costs a request.
  nearby() {
    return null;
  }

  async wordsWithPrefix(model: string, prefix: string, top: number) {
    const {words} = await answerTo('words', {model}, {prefix, top});
    return words.map((entry) => entry.word);
  }

  async neighbors(model: string, sum: SumOfWords, top: number):
      Promise<Neighbors> {
    const answer = await answerTo(
        'neighbors', {model}, {positive: sum.plus, negative: sum.minus, top});
    return {...answer, neighbors: withScores(answer.neighbors)};
  }

  async similarity(model: string, word: string, other: string) {
    return (await answerTo('similarity', {model}, {word, other})).similarity;
  }

  async analogy(
      model: string, a: string, b: string, c: string, top: number,
      method: AnalogyMethod): Promise<Neighbors> {
    const answer = await answerTo('analogy', {model}, {a, b, c, top, method});
    return {...answer, neighbors: withScores(answer.neighbors)};
  }

  async axes(model: string, axes: Axis[], words: string[], top: number):
      Promise<AxisPoints> {
    const answers = await answersTo(
        'axis', {model}, axes.map((axis) => ({...axis, words, top})));
    const first = answers[0].words;
    return {
      words: first.map((entry) => entry.word),
      points: first.map(
          (_, i) =>
              answers.map((answer) => numberOf(answer.words[i].position))),
      unknown: onceEach(answers.flatMap((answer) => answer.unknown)),
    };
  }

  async weat(model: string, lists: WeatLists, permutations: number):
      Promise<WeatResult> {
    const {tests} = await answerTo('bias', {model}, {...lists, permutations});
    const [test] = tests;
    if (test.error) throw new SourceError(test.error);
    return {...test, p: numberOf(test.p)};
  }

  async compareModels(models: [string, string], word: string, top: number):
      Promise<ModelComparison> {
    const [first, second] = models;
    const answer = await answerTo('compare', {first, second}, {word, top});
    return {
      only: [withScores(answer.only_first), withScores(answer.only_second)],
      joint: answer.both.map(
          (entry) => ({
            word: entry.word,
            scores: [numberOf(entry.first), numberOf(entry.second)],
          })),
      unknown: onceEach([...answer.unknown_first, ...answer.unknown_second]),
    };
  }

  async moved(models: [string, string], chance: string, top: number):
      Promise<MovedWord[]> {
    const slots = {old: models[0], new: models[1]};
    const {words} =
        await answerTo('drift', chance ? {...slots, chance} : slots, {top});
    return words.map(
        (entry) => ({
          ...entry,
          cosine: numberOf(entry.cosine),
          p: numberOf(entry.p),
          lost: entry.lost.slice(0, SHOWN).map((word) => word.word),
          won: entry.won.slice(0, SHOWN).map((word) => word.word),
        }));
  }

  async evaluation(model: string): Promise<Evaluation> {
    return await answerTo('eval', {model}, {wrong: SHOWN_WRONG});
  }

  async context(
      model: string, sentences: [ChosenToken, ChosenToken],
      top: number): Promise<ContextAnswer> {
    const [one, other] = sentences;
    const answer = await answerTo('context', {model}, {
      text: one.text,
      word: one.word,
      'other-text': other.text,
      'other-word': other.word,
      top,
    });
    return {
      words: [answer.words, answer.other_words],
      layers: answer.layers.map((layer) => ({
                                  layer: layer.layer,
                                  cosine: numberOf(layer.cosine),
                                  neighbors: [
                                    withScores(layer.neighbors),
                                    withScores(layer.other_neighbors),
                                  ],
                                })),
    };
  }

  log(after: number) {
    return json<LogPart>(query('/log', {after: String(after)}));
  }
}
