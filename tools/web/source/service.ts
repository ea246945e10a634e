// The source that asks `firth serve` or `firth explore` over HTTP. The service
// lies where the page came from, so every request goes to the same address.

import type {Questions} from 'questions';

import {AnalogyMethod, Axis, AxisPoints, ChosenToken, Cluster, Column, ContextAnswer, Evaluation, Feature, Info, Layout, LogPart, Model, ModelComparison, MovedWord, Neighbors, remember, Source, SourceError, SumOfWords, WeatLists, WeatResult, WordMap} from './source';

const ROOT = 'api/v1';
// An access token is kept for the window's life only.
const TOKEN_KEY = 'firth-token';
// Neighbors that a moved word lost and won, and wrong answers of a section.
const SHOWN = 5;
const SHOWN_WRONG = 50;
// The most neighbors that the service returns.
const MOST_NEIGHBORS = 100000;

const CHANGED =
    'The service has loaded another map. Reload this page to see it.';

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
  if (response.status === 409) message = CHANGED;
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
  if (token && response.status === 401) {
    throw new SourceError('This token is wrong.', 401);
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
  version?: string;
  method: string;
  methods?: string[];
  ready?: string[];
  clusters?: Cluster[];
  columns?: Column[];
}


export class Service implements Source {
  readonly #maps = new Map<string, Promise<WordMap>>();
  // Of each map that was requested. The service refuses parts for another one.
  readonly #versions = new Map<string, string>();

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
    const {models, text, log} = this.#known;
    const model = models.find((m) => m.name === name);
    const hasKind = (kind: Model['kind'], least = 1) =>
        models.filter((m) => m.kind === kind).length >= least;
    switch (feature) {
      case 'map':
        return model?.map ? null :
                            'The service has no map of this model. ' +
                'Make one with “firth map”, and pass it with --map.';
      case 'evaluation':
        return model?.evaluation ?
            null :
            'The service has no test sets. Restart it with ' +
                '--analogies and --similarity.';
      case 'compare models':
        return hasKind('vectors', 2) ?
            null :
            'The service has only one model. Restart it with two models to ' +
                'compare them.';
      case 'context':
        if (!hasKind('language-model')) {
          return 'The service has no language model. Pass one as a MODEL.';
        }
        return text ?
            null :
            'The service has no text in which to find neighbors. Pass one ' +
                'with --text.';
      case 'log':
        return log ?
            null :
            'The service follows no training log. Pass one with --log.';
      default:
        return model?.kind === 'vectors' ?
            null :
            'The service has no model with word vectors.';
    }
  }

  map(model: string) {
    return remember(this.#maps, model, () => this.#fetchMap(model));
  }

  // Returns a part of the map that belongs to the parts before it.
  #part(model: string, part: string, more: Record<string, string> = {}) {
    const version = this.#versions.get(model);
    return ask(
        query(`/map/${part}`, {model, ...more, ...(version ? {version} : {})}));
  }

  // Returns a part that has `each` bytes per word.
  async #arrayOf(
      model: string, part: string, words: string[]|Promise<string[]>,
      each: number, more?: Record<string, string>) {
    const bytes = await (await this.#part(model, part, more)).arrayBuffer();
    const {length} = await words;
    if (bytes.byteLength === each * length) return bytes;
    throw new SourceError(`The map has ${length} words: expected ${
        each * length} bytes of ${part}, found ${bytes.byteLength}.`);
  }

  async #words(model: string) {
    const lines = (await (await this.#part(model, 'words')).text()).split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    return lines;
  }

  async #fetchMap(model: string): Promise<WordMap> {
    this.#versions.delete(model);
    const about = await this.#about(model);
    this.#versions.set(model, about.version || '');
    const lines = this.#words(model);
    const [words, counts, points] = await Promise.all([
      lines,
      this.#arrayOf(model, 'counts', lines, 8),
      this.#arrayOf(model, 'points', lines, 8),
    ]);
    const {method, clusters = [], methods = []} = about;
    return {
      words,
      counts: new Float64Array(counts),
      columns: about.columns || [],
      ready: about.ready || [],
      methods: [method, ...methods.filter((other) => other !== method)],
      first: {method, points: new Float32Array(points), clusters},
    };
  }

  async #about(model: string, more?: Record<string, string>) {
    return await (await this.#part(model, 'info', more)).json() as MapInfo;
  }

  // Clusters of a method exist once its points do.
  async layout(model: string, method: string): Promise<Layout> {
    const {words} = await this.map(model);
    const points = await this.#arrayOf(model, 'points', words, 8, {method});
    const {clusters = []} = await this.#about(model, {method});
    return {method, points: new Float32Array(points), clusters};
  }

  async column(model: string, name: string) {
    const {words} = await this.map(model);
    return new Float32Array(
        await this.#arrayOf(model, 'column', words, 4, {name}));
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
    const [answer] = await Promise.all([
      answerTo(
          'neighbors', {model}, {positive: sum.plus, negative: sum.minus, top}),
      // Other vectors may have been loaded after the map.
      this.#versions.get(model) && this.#part(model, 'tile', {limit: '1'}),
    ]);
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
