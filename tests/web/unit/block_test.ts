import assert from 'node:assert/strict';
import test from 'node:test';

import {Block, BlockSource} from '../../../tools/web/source/block';

declare function btoa(binary: string): string;

function base64(array: Float32Array|Uint32Array|Int8Array) {
  const bytes = new Uint8Array(array.buffer);
  return btoa(String.fromCharCode(...bytes));
}

function block(withVectors: boolean): Block {
  const model = {
    name: 'm',
    kind: 'vectors' as const,
    words: 3,
    dim: 2,
    subwords: false,
    map: true,
    evaluation: false,
  };
  return {
    info: {version: '1', models: [model], log: false, text: false},
    words: ['king', 'queen', '__proto__'],
    counts: [30, 20, 10],
    maps: [
      {
        method: 'umap',
        points: base64(Float32Array.from([0, 1, 2, 3, 4, 5])),
        clusters: [],
      },
      {
        method: 'pca',
        points: base64(Float32Array.from([9, 8, 7, 6, 5, 4])),
        clusters: [],
      },
    ],
    columns: [{
      name: 'kind',
      type: 'categorical',
      values: ['noun', 'verb'],
      data: base64(Float32Array.from([0, 1, NaN])),
    }],
    neighbors: {
      k: 2,
      ids: base64(Uint32Array.from([1, 2, 0, 2, 0, 1])),
      scores: base64(Float32Array.from([0.5, 0.25, 0.5, 0.125, 0.25, 0.125])),
    },
    vectors: withVectors ? {
      dim: 2,
      scales: base64(Float32Array.from([1, 2, 3])),
      rows: base64(Int8Array.from([1, 0, 3, 4, 0, -1])),
    } :
                           null,
  };
}

test('stored neighbors come with their words, scores and counts', async () => {
  const source = new BlockSource(block(false));
  const {neighbors} =
      await source.neighbors('m', {plus: ['queen'], minus: []}, 10);
  assert.deepEqual(neighbors, [
    {word: 'king', score: 0.5, count: 30},
    {word: '__proto__', score: 0.125, count: 10},
  ]);
});

test('an unknown word comes with those that are spelled like it', async () => {
  const source = new BlockSource(block(false));
  const {neighbors, unknown} =
      await source.neighbors('m', {plus: ['quen'], minus: []}, 10);
  assert.deepEqual(neighbors, []);
  assert.deepEqual(unknown, [{word: 'quen', spellings: ['queen']}]);
});

test('a sum needs vectors, and says so', async () => {
  const sum = {plus: ['king'], minus: ['queen']};
  await assert.rejects(
      new BlockSource(block(false)).neighbors('m', sum, 2), /--with-vectors/);
  const {neighbors} = await new BlockSource(block(true)).neighbors('m', sum, 2);
  // (1, 0) - (0.6, 0.8) = (0.4, -0.8), of length 0.8944.
  assert.equal(neighbors.length, 1);
  assert.equal(neighbors[0].word, '__proto__');
  assert.equal(neighbors[0].score.toFixed(4), '0.8944');
});

test('a sum that is no question has no answer', async () => {
  const source = new BlockSource(block(true));
  const none = {plus: ['king'], minus: ['king']};
  await assert.rejects(source.neighbors('m', none, 2), /sum .* is zero/);
  const {neighbors, unknown} =
      await source.neighbors('m', {plus: ['king', 'quen'], minus: []}, 2);
  assert.deepEqual(neighbors, []);
  assert.deepEqual(unknown.map(({word}) => word), ['quen']);
});

test('similarity is a cosine, and null of an unknown word', async () => {
  const source = new BlockSource(block(true));
  const known = await source.similarity('m', 'king', 'queen');
  assert.equal(known === null ? 'none' : known.toFixed(6), '0.600000');
  assert.equal(await source.similarity('m', 'king', 'constructor'), null);
});

test('a map has its methods, counts and columns', async () => {
  const source = new BlockSource(block(false));
  const map = await source.map();
  assert.deepEqual(map.methods, ['umap', 'pca']);
  assert.deepEqual([...map.first.points], [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([...Array.from(map.counts)], [30, 20, 10]);
  const pca = await source.layout('', 'pca');
  assert.deepEqual([...pca.points], [9, 8, 7, 6, 5, 4]);
  assert.deepEqual([...await source.column('', 'kind')], [0, 1, NaN]);
  await assert.rejects(source.layout('', 'tsne'), /no map by tsne/);
  await assert.rejects(source.column('', 'none'), /no column/);
});

test('similarities to a word come from vectors', async () => {
  const source = new BlockSource(block(true));
  const found = [...await source.similarities('', 'king')];
  assert.deepEqual(
      found.map((one) => one.toFixed(2)), ['1.00', '0.60', '0.00']);
  assert((await source.similarities('', 'nowhere')).every(Number.isNaN));
  assert.deepEqual(source.nearby(1, 5).map(({id}) => id), [0, 2]);
});

test('what a file cannot serve is told in a sentence', () => {
  const source = new BlockSource(block(false));
  assert.equal(source.lacks('neighbors'), null);
  for (const feature of ['axes', 'evaluation', 'context', 'log'] as const) {
    assert(/\.$/.test(source.lacks(feature) || ''), feature);
  }
});
