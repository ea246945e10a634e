// The source that asks `firth serve` or `firth explore` over HTTP. The service
// lies where the page came from, so every request goes to the same address.

import {AnalogyMethod, Axis, AxisPoints, ChosenToken, Cluster, ContextAnswer, Evaluation, Feature, Info, LogPart, ModelComparison, MovedWord, Neighbor, Neighbors, Source, SourceError, SumOfWords, Unknown, WeatLists, WeatResult, WordMap} from './source';

const ROOT = 'api/v1';
// An access token is kept for the window's life only.
const TOKEN_KEY = 'firth-token';

type Json = Record<string, unknown>;

interface NeighborsAnswer {
  neighbors: Neighbor[];
  unknown?: unknown;
  composed?: string[];
}

// Unknown words come bare from some calls and with spellings from others.
export function unknownWords(value: unknown): Unknown[] {
  if (!Array.isArray(value)) return [];
  return value.map(
      (entry: string|{word: string, spellings?: string[]}) =>
          typeof entry === 'string' ?
          {word: entry, spellings: []} :
          {word: entry.word, spellings: entry.spellings || []});
}

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
        'The service does not answer. It may have been stopped: start it ' +
        'again, then repeat this.');
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

async function json<T>(path: string, body?: Json): Promise<T> {
  return await (await ask(path, body)).json() as T;
}

function query(path: string, parameters: Record<string, string|number>) {
  const pairs = Object.entries(parameters)
                    .map(
                        ([key, value]): [string, string] =>
                            [key,
                             String(value),
  ]);
  return `${path}?${new URLSearchParams(pairs)}`;
}

export class Service implements Source {
  private readonly maps = new Map<string, Promise<WordMap>>();

  private constructor(private readonly known: Info) {}

  static async open(): Promise<Service> {
    return new Service(await json<Info>('/info'));
  }

  info() {
    return this.known;
  }

  lacks(feature: Feature, name: string): string|null {
    const model = this.known.models.find((m) => m.name === name);
    const vectors = this.known.models.filter((m) => m.kind === 'vectors');
    switch (feature) {
      case 'map':
        return model && model.map ? null :
                                    'No map of this model is being served. ' +
                'Make one with “firth map”, and give it with --map.';
      case 'evaluation':
        return model && model.evaluation ?
            null :
            'The service was given no test sets. Give it some with ' +
                '--analogies and --similarity.';
      case 'compare models':
        return vectors.length > 1 ?
            null :
            'Two models are needed, and one is being served.';
      case 'context':
        if (!this.known.models.some((m) => m.kind === 'language-model')) {
          return 'No language model is being served. Give one as a MODEL.';
        }
        return this.known.text ?
            null :
            'The service has no text to look for neighbors in. Give it one ' +
                'with --text.';
      case 'log':
        return this.known.log ?
            null :
            'No log of a training is being followed. Give one with --log.';
      default:
        return model && model.kind === 'vectors' ?
            null :
            'No model with word vectors is being served.';
    }
  }

  map(model: string) {
    let map = this.maps.get(model);
    if (!map) {
      map = this.fetchMap(model);
      this.maps.set(model, map);
      map.catch(() => this.maps.delete(model));
    }
    return map;
  }

  private async fetchMap(model: string): Promise<WordMap> {
    const [about, words, points] = await Promise.all([
      json<{count: number, method: string, clusters: Cluster[]}>(
          query('/map', {model})),
      ask(query('/map/words', {model})).then((r) => r.text()),
      ask(query('/map/points', {model})).then((r) => r.arrayBuffer()),
    ]);
    const lines = words.split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    if (points.byteLength !== 8 * lines.length) {
      throw new SourceError(`The map has ${lines.length} words: expected ${
          8 * lines.length} bytes of points, found ${points.byteLength}.`);
    }
    return {
      words: lines,
      points: new Float32Array(points),
      clusters: about.clusters || [],
      method: about.method,
    };
  }

  async wordsWithPrefix(model: string, prefix: string, k: number) {
    const answer = await json<{words: Array<{word: string}>}>(
        query('/words', {model, prefix, k}));
    return answer.words.map((entry) => entry.word);
  }

  async neighbors(model: string, sum: SumOfWords, k: number) {
    const answer = await json<{results: NeighborsAnswer[]}>(
        '/neighbors',
        {model, queries: [{plus: sum.plus, minus: sum.minus}], k});
    const result = answer.results[0];
    return {
      neighbors: result.neighbors,
      unknown: unknownWords(result.unknown),
      composed: result.composed || [],
    };
  }

  async similarity(model: string, a: string, b: string) {
    const answer = await json<{scores: Array<number|null>}>(
        '/similarity', {model, pairs: [[a, b]]});
    return answer.scores[0];
  }

  async analogy(
      model: string, a: string, b: string, c: string, k: number,
      method: AnalogyMethod): Promise<Neighbors> {
    const answer =
        await json<NeighborsAnswer>('/analogy', {model, a, b, c, k, method});
    return {
      neighbors: answer.neighbors,
      unknown: unknownWords(answer.unknown),
      composed: answer.composed || [],
    };
  }

  async axes(model: string, axes: Axis[], words: string[], top: number):
      Promise<AxisPoints> {
    const answer = await json<AxisPoints>(
        '/axes', {model, axes, words: words.length ? words : null, top});
    return {...answer, unknown: unknownWords(answer.unknown)};
  }

  async weat(model: string, lists: WeatLists, permutations: number):
      Promise<WeatResult> {
    const answer = await json<WeatResult>(
        '/weat', {model, ...lists, permutations, seed: 1});
    return {...answer, unknown: unknownWords(answer.unknown)};
  }

  async compareModels(models: [string, string], word: string, k: number):
      Promise<ModelComparison> {
    const answer = await json<ModelComparison>('/compare', {models, word, k});
    return {...answer, unknown: unknownWords(answer.unknown)};
  }

  async moved(models: [string, string], chance: string, k: number) {
    const asked = {models: models.join(','), k};
    const answer = await json<{words: MovedWord[]}>(
        query('/moved', chance ? {...asked, chance} : asked));
    return answer.words;
  }

  evaluation(model: string) {
    return json<Evaluation>(query('/evaluation', {model}));
  }

  context(model: string, sentences: [ChosenToken, ChosenToken], k: number) {
    return json<ContextAnswer>('/context', {model, sentences, k});
  }

  log(after: number) {
    return json<LogPart>(query('/log', {after}));
  }
}
