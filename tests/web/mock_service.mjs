// A service that answers as `firth serve` does, from made-up worlds, so that
// the page is tested without models. It listens on the loopback interface.

import http from 'node:http';

import {cosine, DIM, METHODS, nearestTo, unitVector} from './made_up.mjs';

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

function neighbors(
    world, {positive: plus = [], negative: minus = [], top: k = 10}) {
  const words = [...plus, ...minus];
  const missing = unknown(world, words);
  return {
    neighbors: missing.length ?
        [] :
        nearestTo(world, sum(world, plus, minus), k, known(world, words)),
    unknown: missing,
    composed: words.filter((w) => isComposed(w) && !idsOf(world).has(w)),
  };
}

function axis(world, {from, to, words = [], top = 100}) {
  const direction = sum(world, to, from);
  const ids = known(world, words.length ? words : world.words.slice(0, top));
  const dot = (a, b) => a.reduce((s, value, i) => s + value * b[i], 0);
  return {
    words: ids.map((id) => ({
                     word: world.words[id],
                     position: dot(unitVector(world, id), direction) /
                         Math.hypot(...direction),
                   })),
    unknown: unknown(world, [...from, ...to]),
    composed: [],
  };
}

function compare(first, second, {word, top}) {
  const a = neighbors(first, {positive: [word], top});
  const b = neighbors(second, {positive: [word], top});
  const inB = new Map(b.neighbors.map((one) => [one.word, one.score]));
  const inA = new Set(a.neighbors.map((one) => one.word));
  return {
    only_first: a.neighbors.filter((one) => !inB.has(one.word)),
    only_second: b.neighbors.filter((one) => !inA.has(one.word)),
    both: a.neighbors.filter((one) => inB.has(one.word)).map((one) => ({
                                                               word: one.word,
                                                               first: one.score,
                                                               second: inB.get(
                                                                   one.word),
                                                             })),
    unknown_first: a.unknown,
    unknown_second: [],
  };
}

const EVALUATION = {
  analogies: [{
    file: 'questions.txt',
    sections: [
      {
        name: 'family',
        correct: 70,
        asked: 100,
        total: 106,
        accuracy: 0.7,
        interval: [0.604, 0.781],
        wrong: [
          {question: ['man', 'king', 'woman', 'queen'], answer: 'prince'},
          {question: ['he', 'son', 'she', 'daughter'], answer: '<b>aunt</b>'},
          {question: ['a', 'b', 'c', 'd'], answer: null},
        ],
      },
      {
        name: 'nobody asked',
        correct: 0,
        asked: 0,
        total: 12,
        accuracy: null,
        interval: [0, 0],
        wrong: [],
      },
    ],
  }],
  similarity: [
    {
      file: 'pairs.tsv',
      asked: 340,
      total: 353,
      spearman: 0.62,
      interval: [0.55, 0.68],
    },
    {
      file: 'two.tsv',
      asked: 1,
      total: 2,
      spearman: null,
      interval: [null, null],
    }
  ],
};

function context(
    {text, word, 'other-text': otherText, 'other-word': otherWord, top: k}) {
  const words = [text, otherText].map((one) => one.split(/\s+/));
  const chosen = [word, otherWord].map((place, i) => {
    if (place < words[i].length) return words[i][place];
    throw new Refused(
        400, 'invalid_argument',
        `expected a word below ${words[i].length}, found ${place}`, 'word');
  });
  const near = (word, layer) => Array.from(
      {length: k}, (_, i) => ({
                     word,
                     score: 0.9 - 0.05 * i - 0.1 * layer,
                     context: `some text ${i} before **${word}** and after`,
                   }));
  const isSame = chosen[0] === chosen[1];
  return {
    words: words[0],
    other_words: words[1],
    layers:
        Array.from({length: LAYERS}, (_, layer) => ({
                                       layer,
                                       cosine: isSame ? 1 - 0.3 * layer : 0.2,
                                       neighbors: near(chosen[0], layer),
                                       other_neighbors: near(chosen[1], layer),
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

// The answers to one request of each question.
const QUESTIONS = {
  neighbors,
  words: (world, {prefix, top}) => ({
    words: world.words.map((word, id) => ({word, id}))
               .filter(({word}) => word.startsWith(prefix))
               .slice(0, top),
  }),
  similarity: (world, {word, other}) => {
    const ids = known(world, [word, other]);
    return {
      similarity: ids.length === 2 ? cosine(world, ids[0], ids[1]) : null,
      unknown: unknown(world, [word, other]),
    };
  },
  analogy: (world, {a, b, c, top}) =>
      neighbors(world, {positive: [b, c], negative: [a], top}),
  axis,
  bias: (world, {x, y}) => ({
    tests: [{
      // Equal lists have equal associations.
      effect: `${x}` === `${y}` ? null : 1.25,
      p: 0.0123,
      exact: true,
      unknown: unknown(world, [...x, ...y]),
      error: null,
    }],
  }),
  compare: (world, request, worlds, body) =>
      compare(worlds[body.first], worlds[body.second], request),
  drift: (world, {top}, worlds, body) => ({
    words: worlds[body.old]
               .words.slice(0, Math.min(20, top))
               .map((word, i) => ({
                      word,
                      cosine: 0.1 + i / 40,
                      chance_cosine: body.chance ? 0.9 : null,
                      p: 0.002 * (i + 1),
                      lost: worlds[body.old].words.slice(20, 25).map(
                          (word) => ({word, score: 0.5})),
                      won: worlds[body.old].words.slice(30, 35).map(
                          (word) => ({word, score: 0.5})),
                    })),
  }),
  eval: () => EVALUATION,
  context: (world, request) => context(request),
};

function answer(worlds, info, path, query, body) {
  const name = body.model || query.get('model') || Object.keys(worlds)[0];
  const world = worlds[name];
  const question = path.slice(1);
  const version = world?.version || 'first';
  if ((query.get('version') || version) !== version) {
    throw new Refused(
        409, 'conflict', 'the service has loaded another map', 'version');
  }
  const needsNoWorld = ['/info', '/log', '/context', '/compare', '/drift'];
  if (!world && !needsNoWorld.includes(path)) {
    throw new Refused(404, 'not_found', `no model "${name}"`, 'model');
  }
  if (Object.hasOwn(QUESTIONS, question)) {
    return {
      answers: body.requests.map(
          (request) => QUESTIONS[question](world, request, worlds, body)),
    };
  }
  switch (path) {
    case '/info':
      return info;
    case '/map/info':
      return {
        version,
        count: world.words.length,
        bounds: [0, 0, 1, 1],
        method: query.get('method') || 'umap',
        methods: METHODS,
        ready: ['umap'],
        clusters: !query.get('method') ? world.clusters : [],
        columns: world.columns.map(({data, ...about}) => about),
      };
    case '/map/points': {
      const method = query.get('method') || 'umap';
      if (world.failing?.has(method)) {
        throw new Refused(500, 'internal', `${method} does not converge`);
      }
      return bytesOf(world.layouts[method]);
    }
    case '/map/tile':
      return {points: [{id: 0, word: world.words[0], x: 0, y: 0}]};
    case '/map/counts':
      return bytesOf(Float64Array.from(world.counts));
    case '/map/column': {
      const name = query.get('name');
      return bytesOf(world.columns.find((one) => one.name === name).data);
    }
    case '/map/words':
      return world.words.map((word) => `${word}\n`).join('');
    case '/log':
      return log(Number(query.get('after')));
    default:
      throw new Refused(404, 'not_found', `no such path: ${path}`);
  }
}

const bytesOf = ({buffer, byteOffset, byteLength}) =>
    Buffer.from(buffer, byteOffset, byteLength);

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
    texts: world.texts,
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
  // `asked` has the paths of all requests; `delay` is in milliseconds, by
  // method.
  const mock = {token: null, asked: [], delay: {}};
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
    mock.asked.push(path + url.search);
    const delay = mock.delay[url.searchParams.get('method')] || 0;
    if (delay && path === '/map/points') {
      await new Promise((resume) => setTimeout(resume, delay));
    }
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
