// Pages with their data in them, as `firth explore --page` writes them.

import {cosine, DIM, nearestTo, randomNumbers, unitVector} from './made_up.mjs';

const K = 10;
const EMPTY = '<script type="application/json" id="firth-data"></script>';

function base64(array) {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength)
      .toString('base64');
}

// Of every word; of large worlds others at random, which weigh the same.
function neighborsOf(world) {
  const count = world.words.length;
  const ids = new Uint32Array(count * K);
  const scores = new Float32Array(count * K);
  const random = randomNumbers(7);
  for (let id = 0; id < count; ++id) {
    const near = count > 5000 ? Array.from({length: K}, () => {
      const other = Math.floor(random() * count);
      return {id: other, score: cosine(world, id, other)};
    }) : nearestTo(world, unitVector(world, id), K, [id]);
    near.forEach((one, i) => {
      ids[id * K + i] = one.id;
      scores[id * K + i] = one.score;
    });
  }
  return {k: K, ids: base64(ids), scores: base64(scores)};
}

function quantized(world) {
  const count = world.words.length;
  const rows = new Int8Array(count * DIM);
  const scales = new Float32Array(count);
  for (let id = 0; id < count; ++id) {
    const row = world.vectors.slice(id * DIM, (id + 1) * DIM);
    scales[id] = Math.max(...row.map(Math.abs)) / 127;
    row.forEach(
        (value, d) => rows[id * DIM + d] = Math.round(value / scales[id]));
  }
  return {dim: DIM, scales: base64(scales), rows: base64(rows)};
}

// `texts`: the words of the world are whole texts.
export function dataPage(template, world, withVectors, texts = false) {
  const block = {
    info: {
      version: '0.1.0',
      models: [{
        name: 'made-up',
        kind: 'vectors',
        words: world.words.length,
        dim: DIM,
        subwords: false,
        map: true,
        evaluation: false,
        report: null,
        texts,
      }],
      log: false,
      text: false,
    },
    words: world.words,
    counts: world.counts,
    maps:
        ['umap', 'pca'].map((method) => ({
                              method,
                              points: base64(world.layouts[method]),
                              clusters: method === 'umap' ? world.clusters : [],
                            })),
    columns: world.columns.map((one) => ({...one, data: base64(one.data)})),
    neighbors: neighborsOf(world),
    vectors: withVectors ? quantized(world) : null,
  };
  const json = JSON.stringify(block).replace(/</g, '\\u003c');
  if (!template.includes(EMPTY)) {
    throw new Error('page.html: expected an empty #firth-data, found none');
  }
  // A function, since "$" in words means nothing.
  return template.replace(EMPTY, () => EMPTY.replace('></', `>${json}</`));
}
