// A service that answers as `firth serve` does, from made-up worlds, so that
// the page is tested without models. It listens on the loopback interface.

import http from 'node:http';

import {cosine, DIM, nearestTo, unitVector} from './made_up.mjs';

const LAYERS = 3;

class Refused extends Error {
  constructor(status, code, message, field) {
    super(message);
    Object.assign(this, {status, code, field});
  }
}

const idsOf = (world) => world.ids ||=
    new Map(world.words.map((word, id) => [word, id]));
const known = (world, words) =>
    words.map((w) => idsOf(world).get(w)).filter((id) => id !== undefined);

// With suggestions for the words that the tests misspell.
const unknown = (world, words) =>
    words.filter((w) => !idsOf(world).has(w) && !isComposed(w))
        .map((word) => ({
               word,
               spellings:
                   world.words.filter((w) => w[0] === word[0]).slice(0, 3),
             }));

// Words that end so have vectors by their n-grams.
const isComposed = (word) => word.endsWith('ish');

function sum(world, plus, minus) {
  const total = new Array(DIM).fill(0);
  const addAll = (words, sign) => {
    for (const id of known(world, words)) {
      unitVector(world, id).forEach((value, d) => total[d] += sign * value);
    }
    for (const word of words.filter(isComposed))
      total[word.length % DIM] += sign;
  };
  addAll(plus, 1);
  addAll(minus, -1);
  return total;
}

function neighbors(world, {plus = [], minus = []}, k) {
  const words = [...plus, ...minus];
  const hasAny = known(world, words).length > 0 || words.some(isComposed);
  return {
    neighbors: hasAny ?
        nearestTo(world, sum(world, plus, minus), k, known(world, words)) :
        [],
    unknown: unknown(world, words),
    composed: words.filter((w) => isComposed(w) && !idsOf(world).has(w)),
  };
}

function axes(world, {axes, words, top = 500}) {
  const directions = axes.map(({from, to}) => sum(world, to, from));
  const ids = known(world, words || world.words.slice(0, top));
  const dot = (a, b) => a.reduce((s, value, i) => s + value * b[i], 0);
  return {
    words: ids.map((id) => world.words[id]),
    points: ids.map(
        (id) => directions.map(
            (direction) => dot(unitVector(world, id), direction) /
                Math.hypot(...direction))),
    unknown: unknown(world, axes.flatMap(({from, to}) => [...from, ...to])),
  };
}

function compare(first, second, {word, k}) {
  const a = neighbors(first, {plus: [word]}, k);
  const b = neighbors(second, {plus: [word]}, k);
  const inB = new Map(b.neighbors.map((one) => [one.word, one.score]));
  const inA = new Set(a.neighbors.map((one) => one.word));
  return {
    only: [
      a.neighbors.filter((one) => !inB.has(one.word)),
      b.neighbors.filter((one) => !inA.has(one.word)),
    ],
    joint: a.neighbors.filter((one) => inB.has(one.word))
               .map((one) => ({
                      word: one.word,
                      scores: [one.score, inB.get(one.word)],
                    })),
    unknown: a.unknown,
  };
}

const EVALUATION = {
  analogies: [{
    file: 'questions.txt',
    sections: [
      {
        name: 'family',
        right: 70,
        asked: 100,
        skipped: 6,
        accuracy: 0.7,
        low: 0.604,
        high: 0.781,
        wrong: [
          {question: ['man', 'king', 'woman', 'queen'], answer: 'prince'},
          {question: ['he', 'son', 'she', 'daughter'], answer: '<b>aunt</b>'},
          {question: ['a', 'b', 'c', 'd'], answer: null},
        ],
      },
      {
        name: 'nobody asked',
        right: 0,
        asked: 0,
        skipped: 12,
        accuracy: null,
        low: 0,
        high: 0,
        wrong: [],
      },
    ],
  }],
  similarity: [
    {
      file: 'pairs.tsv',
      pairs: 353,
      found: 340,
      spearman: 0.62,
      low: 0.55,
      high: 0.68,
    },
    {
      file: 'two.tsv',
      pairs: 2,
      found: 1,
      spearman: null,
      low: null,
      high: null,
    }
  ],
};

function context({sentences, k}) {
  const words = sentences.map(({text}) => text.split(/\s+/));
  const chosen = sentences.map(({word}, i) => {
    if (word < words[i].length) return words[i][word];
    throw new Refused(
        400, 'invalid_argument',
        `expected a word below ${words[i].length}, found ${word}`, 'word');
  });
  const near = (word, layer) => Array.from(
      {length: k}, (_, i) => ({
                     word,
                     score: 0.9 - 0.05 * i - 0.1 * layer,
                     context: `some text ${i} before **${word}** and after`,
                   }));
  const isSame = chosen[0] === chosen[1];
  return {
    words,
    layers: Array.from(
        {length: LAYERS}, (_, layer) => ({
                            layer,
                            cosine: isSame ? 1 - 0.3 * layer : 0.2,
                            neighbors: chosen.map((word) => near(word, layer)),
                          })),
  };
}

const LOG =
    Array.from({length: 60}, (_, i) => ({
                               t: i + 1,
                               words: 1000 * (i + 1),
                               total: 60000,
                               progress: (i + 1) / 60,
                               epoch: Math.floor(i / 20),
                               loss: 3 / (1 + i / 10),
                               learning_rate: 0.05 * (1 - i / 60),
                               words_per_second: 1000 + 100 * Math.sin(i),
                             }));

// Twenty lines each time that it is asked.
function log(after) {
  const next = Math.min(LOG.length, after + 20);
  return {next, lines: LOG.slice(after, next), done: next === LOG.length};
}

function answer(worlds, info, path, query, body) {
  const name = body.model || query.get('model') || Object.keys(worlds)[0];
  const world = worlds[name];
  if (!world &&
      !['/info', '/log', '/context', '/compare', '/moved'].includes(path)) {
    throw new Refused(404, 'not_found', `no model "${name}"`, 'model');
  }
  switch (path) {
    case '/info':
      return info;
    case '/neighbors':
      return {results: body.queries.map((q) => neighbors(world, q, body.k))};
    case '/words':
      return {
        words: world.words.map((word, id) => ({word, id}))
                   .filter(({word}) => word.startsWith(query.get('prefix')))
                   .slice(0, Number(query.get('k'))),
      };
    case '/similarity':
      return {
        scores: body.pairs.map((pair) => {
          const ids = known(world, pair);
          return ids.length === 2 ? cosine(world, ids[0], ids[1]) : null;
        }),
        unknown: unknown(world, body.pairs.flat()),
      };
    case '/analogy':
      return neighbors(
          world, {plus: [body.b, body.c], minus: [body.a]}, body.k);
    case '/axes':
      return axes(world, body);
    case '/weat':
      return {
        // Lists that are alike lean alike.
        effect: `${body.x}` === `${body.y}` ? null : 1.25,
        p: 0.0123,
        exact: true,
        unknown: unknown(world, [...body.x, ...body.y]),
      };
    case '/map':
      return {
        count: world.words.length,
        bounds: [0, 0, 1, 1],
        method: 'umap',
        clusters: world.clusters,
      };
    case '/map/points':
      return Buffer.from(world.points.buffer);
    case '/map/words':
      return world.words.map((word) => `${word}\n`).join('');
    case '/compare':
      return compare(worlds[body.models[0]], worlds[body.models[1]], body);
    case '/moved':
      return {
        words: world.words.slice(0, 20).map(
            (word, i) => ({
              word,
              cosine: 0.1 + i / 40,
              chance_cosine: query.has('chance') ? 0.9 : null,
              p: 0.002 * (i + 1),
              count: 1000 - i,
              lost: world.words.slice(20, 25),
              won: world.words.slice(30, 35),
            })),
      };
    case '/evaluation':
      return EVALUATION;
    case '/context':
      return context(body);
    case '/log':
      return log(Number(query.get('after')));
    default:
      throw new Refused(404, 'not_found', `no such path: ${path}`);
  }
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return parts.length ? JSON.parse(Buffer.concat(parts).toString()) : {};
}

function send(response, status, value) {
  const isText = typeof value === 'string';
  const isBytes = Buffer.isBuffer(value);
  const type = isText ? 'text/plain; charset=utf-8' :
      isBytes         ? 'application/octet-stream' :
                        'application/json';
  response.writeHead(status, {'Content-Type': type});
  response.end(isText || isBytes ? value : JSON.stringify(value));
}

function modelOf(name, world) {
  return {
    name,
    kind: 'vectors',
    words: world.words.length,
    dim: DIM,
    subwords: true,
    map: true,
    evaluation: true,
    report: null,
  };
}

// Serves the page and answers for the worlds, each under its name. The answer
// has the address, close(), and `token`, which must be shown where it is set.
export async function startMock(page, worlds) {
  const info = {
    version: '0.1.0',
    models: [
      ...Object.entries(worlds).map(([name, world]) => modelOf(name, world)),
      {
        name: 'reader',
        kind: 'language-model',
        words: 1000,
        dim: DIM,
        subwords: false,
        map: false,
        evaluation: false,
        report: null,
      },
    ],
    log: true,
    text: true,
  };
  const mock = {token: null};
  const handle = async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    if (url.pathname === '/') {
      response.writeHead(200, {'Content-Type': 'text/html; charset=utf-8'});
      return response.end(page);
    }
    const isKnown =
        !mock.token || request.headers.authorization === `Bearer ${mock.token}`;
    if (!isKnown) throw new Refused(401, 'unauthorized', 'expected a token');
    const path = url.pathname.replace('/api/v1', '');
    const body = await bodyOf(request);
    send(response, 200, answer(worlds, info, path, url.searchParams, body));
  };
  const server = http.createServer((request, response) => {
    handle(request, response).catch((error) => {
      const {status = 500, code = 'internal', message, field} = error;
      send(response, status, {error: {code, message, field}});
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return Object.assign(mock, {
    address: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
