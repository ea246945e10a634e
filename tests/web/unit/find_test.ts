import assert from 'node:assert/strict';
import test from 'node:test';

import {Camera} from '../../../tools/web/map/camera';
import {byCategory, byValue} from '../../../tools/web/map/coloring';
import {csvField, csvOf, escapeXml, keysOf, svgOf} from '../../../tools/web/map/export';
import {findText, parseQuery} from '../../../tools/web/map/find';
import {logOdds, nameClusters, tokensOf, typicalTokens, typicalWords} from '../../../tools/web/map/typical';
import {Near} from '../../../tools/web/source/source';
import {exampleOf} from '../../../tools/web/views/map/first';

test('a text is a part of a word, and slashes hold an expression', () => {
  assert.deepEqual(parseQuery('  '), {kind: 'none'});
  assert.deepEqual(parseQuery(' KinG '), {kind: 'text', text: 'king'});
  assert.deepEqual(parseQuery('/'), {kind: 'text', text: '/'});
  assert.deepEqual(
      parseQuery('/^k.ng$/'), {kind: 'pattern', source: '^k.ng$', flags: 'u'});
  assert.deepEqual(
      parseQuery('/\\p{Lu}/i'),
      {kind: 'pattern', source: '\\p{Lu}', flags: 'ui'});
  // A backslash that "u" forbids.
  assert.deepEqual(
      parseQuery('/a\\-b/'), {kind: 'pattern', source: 'a\\-b', flags: ''});
});

test('an expression may have flags, and one that is unknown is named', () => {
  const flagsOf = (typed: string) => {
    const query = parseQuery(typed);
    return query.kind === 'pattern' ? query.flags : query.kind;
  };
  assert.equal(flagsOf('/^k/u'), 'u');
  assert.equal(flagsOf('/\\p{L}+/u'), 'u');
  assert.equal(flagsOf('/^k.ng/is'), 'uis');
  assert.equal(flagsOf('/^k/iu'), 'iu');
  // "u" was asked for.
  assert.equal(flagsOf('/a\\-b/u'), 'invalid');
  for (const [typed, flag] of [['/k/g', 'g'], ['/k/im', 'm'], ['/k/I', 'I']]) {
    assert.deepEqual(parseQuery(typed), {
      kind: 'invalid',
      problem: `The flag “${flag}” is not one of i, s, u and v.`,
    });
  }
});

test('an expression that is none says what is wrong', () => {
  const query = parseQuery('/(king/');
  assert.equal(query.kind, 'invalid');
  assert(query.kind === 'invalid' && /group/i.test(query.problem));
});

test('a part is found in any case, in visible words only', () => {
  const words = ['the', 'King', 'making', 'KINGS', 'x'];
  const visible = Uint8Array.from([1, 1, 0, 1, 1]);
  assert.deepEqual(findText(words, visible, 'king').ids, [1, 3]);
});

test('fields of CSV are quoted, and are no formulas', () => {
  const fields: Array<[string | number, string]> = [
    ['king', 'king'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', '\'=1+1'],
    ['+x', '\'+x'],
    ['-minus', '\'-minus'],
    ['@SUM(A1,B1)', '"\'@SUM(A1,B1)"'],
    ['\t=1', '\'\t=1'],
    ['a=b', 'a=b'],
    [-1.5, '-1.5'],
    [NaN, ''],
  ];
  for (const [value, expected] of fields) {
    assert.equal(csvField(value), expected);
  }
  assert.equal(csvOf([['word', 'x'], ['a,b', 1]]), 'word,x\r\n"a,b",1\r\n');
});

test('text in SVG is escaped', () => {
  assert.equal(
      escapeXml('<script>"&\x00\ud800</script>👩‍🚀'),
      '&#60;script&#62;&#34;&#38;&#60;/script&#62;👩‍🚀');
});

function drawing(count: number) {
  const camera = new Camera({x0: 0, y0: 0, x1: 10, y1: 10});
  camera.width = camera.height = 200;
  const points = Float32Array.from({length: 2 * count}, (_, i) => i % 10);
  return {
    width: 200,
    height: 200,
    panels: [{
      x: 0,
      y: 0,
      camera,
      points,
      ids: Array.from({length: count}, (_, i) => i),
      texts: [{text: '<b>&', x: 10, y: 20, kind: 'word' as const}],
      canvases: [],
    }],
    look: {
      colors: new Uint32Array(count).fill(0xff0000ff),
      visible: new Uint8Array(count).fill(1),
      sizes: new Float32Array(count).fill(1),
      text: String,
      longest: 28,
    },
    marked: [1, -1],
    keys: keysOf(byCategory([0, 1], ['a<b', 'c']), new Set(['1']), false),
    keyWidth: 50,
    colors:
        {ink: '#000000', muted: '#555555', paper: '#ffffff', accent: '#0000ff'},
  };
}

test('a picture in SVG has circles, text and the legend', () => {
  const svg = svgOf(drawing(3), () => '');
  assert.equal((svg.match(/<circle[^>]* fill="#ff0000"/g) || []).length, 3);
  assert.equal((svg.match(/<circle[^>]* fill="#0000ff"/g) || []).length, 1);
  assert(svg.includes('>&#60;b&#62;&#38;</text>'));
  assert(svg.includes('>a&#60;b</text>'));
  assert(!svg.includes('>c</text>'), 'a group that is off has no line');
  assert(!svg.includes('<image'));
});

test('more than 20,000 circles are a picture', () => {
  const svg = svgOf(drawing(20001), () => 'data:image/png;base64,AAAA');
  assert(svg.includes('<image width="200" height="200" href="data:image/png'));
  assert((svg.match(/<circle/g) || []).length < 5);
});

test('the legend of a quantity has its ends and middle', () => {
  const keys = keysOf(byValue([1, 3]), new Set(), true);
  assert.deepEqual(keys.map(({text}) => text), ['1', '2', '3']);
});

test('the log-odds ratio in standard deviations', () => {
  // Equation 20 and 22 with y = 10 of 100 and 5 of 200, prior 1 of 10.
  const odds = Math.log(11 / (110 - 11)) - Math.log(6 / (210 - 6));
  const expected = odds / Math.sqrt(1 / 11 + 1 / 6);
  assert(Math.abs(logOdds(10, 100, 5, 200, 1, 10) - expected) < 1e-12);
  assert(Math.abs(logOdds(10, 100, 10, 100, 1, 10)) < 1e-12);
});

test('tokens are words in lower case, also where no spaces are', () => {
  assert.deepEqual(
      tokensOf('The King\'s 2 naïve men—and שלום'),
      ['the', 'king\'s', 'naïve', 'men', 'and', 'שלום']);
  assert(tokensOf('我喜欢北京').length > 1);
  assert.deepEqual(tokensOf('!! 12'), []);
});

test('what is typical of texts is what the others lack', () => {
  const texts = Array.from(
      {length: 40},
      (_, i) => i < 10 ? 'the cat and the dog sat' : 'the stock market fell');
  const selected = new Set(Array.from({length: 10}, (_, i) => i));
  const found = typicalTokens(texts, selected, 10).map(({text}) => text);
  assert.deepEqual(found.slice().sort(), ['and', 'cat', 'dog', 'sat']);
  assert(!found.includes('the'));
});

test('clusters of texts are named by what is typical of them', () => {
  const texts = Array.from(
      {length: 40},
      (_, i) => i % 2 ? 'the cat sat here' : 'the stock market fell');
  const points =
      Float32Array.from({length: 80}, (_, i) => i % 2 ? 0 : (i >> 1) % 2 * 10);
  const clusters = [0, 10, 99].map(
      (x) => ({x, y: 0, level: 0, words: ['a whole text', 'another']}));
  const named = nameClusters(texts, points, clusters);
  assert.deepEqual(named[0].words.slice().sort(), ['fell', 'market', 'stock']);
  assert.deepEqual(named[1].words.slice().sort(), ['cat', 'here', 'sat']);
  // No text is in the third.
  assert.deepEqual(named[2].words, ['a whole text']);
});

test('what is typical of words is surrounded by the selection', () => {
  const words = Array.from({length: 400}, (_, i) => `word ${i}`);
  // 200 points at the left, 200 at the right.
  const points = Float32Array.from(
      {length: 800},
      (_, i) =>
          i % 2 ? i * 37 % 100 / 100 : (i >> 1) % 2 * 10 + i * 61 % 90 / 100);
  const left = words.map((_, i) => i).filter((i) => i % 2 === 0).slice(0, 100);
  // One word of the other side was selected by mistake.
  const found = typicalWords(words, points, new Set([...left, 1]), 5);
  assert.deepEqual(
      found.map(({text}) => text),
      ['word 0', 'word 2', 'word 4', 'word 6', 'word 8']);
});

// A map of 600 words at random in a square of 10 x 10, with the given ones
// where they are put, next to four neighbors each.
function mapWith(given: Array<{
  word: string,
  id: number,
  x: number,
  y: number,
  apart?: number,
  score?: number
}>) {
  const words = Array.from({length: 600}, (_, i) => `w${i}`);
  const points = Float32Array.from(
      {length: 1200}, (_, i) => (i * 7919 + (i % 2) * 4243) % 10000 / 1000);
  const near = new Map<number, Near[]>();
  given.forEach(({word, id, x, y, apart = 0.1, score = 0.8}, i) => {
    words[id] = word;
    points.set([x, y], 2 * id);
    near.set(id, [0, 1, 2, 3].map((k) => {
      const other = 560 + 4 * i + k;
      points.set([x + (k % 2 ? apart : -apart), y], 2 * other);
      return {id: other, score};
    }));
  });
  // Four large clusters, around a small one.
  const clusters = [[3, 5], [7, 5], [5, 3], [5, 7], [5, 5]].map(
      ([x, y]) => ({x, y, level: 0, words: []}));
  const nearbyOf = (id: number) => near.get(id) || [];
  return words[exampleOf(words, points, clusters, nearbyOf)];
}

test('the example has neighbors that are similar and close on the map', () => {
  const plum = {word: 'plum', id: 200, x: 3, y: 5};
  const others = [
    // In the same cluster.
    {word: 'like', id: 210, x: 3, y: 5.2, score: 0.6},
    {word: 'away', id: 220, x: 3, y: 5.2, apart: 2},
    {word: 'edge', id: 230, x: 0.1, y: 5},
    {word: 'tiny', id: 240, x: 5, y: 5},
    {word: 'king', id: 10, x: 3, y: 6, score: 0.9},   // too frequent
    {word: 'pear', id: 550, x: 3, y: 4, score: 0.9},  // too rare
    {word: 'r2d2', id: 250, x: 3, y: 4, score: 0.9},
    {word: 'fig', id: 260, x: 3, y: 4, score: 0.9},
  ];
  assert.equal(mapWith([...others, plum]), 'plum');
  // Each of them is rejected for its own fault.
  for (const other of others) {
    assert.equal(mapWith([other, plum]), 'plum', other.word);
  }
  // The rarer one of two that are equal.
  assert.equal(mapWith([plum, {...plum, word: 'rare', id: 400}]), 'rare');
  const [like, away, edge, tiny] = others;
  for (const {word, id} of [like, away, edge, tiny]) {
    assert.equal(mapWith([{...plum, word, id}, {...plum, score: 0.7}]), word);
  }
});

test('without scores, the example has its neighbors close by', () => {
  const score = NaN;
  const plum = {word: 'plum', id: 200, x: 3, y: 5, score};
  const away = {word: 'away', id: 210, x: 3, y: 5.2, apart: 1.5, score};
  const edge = {word: 'edge', id: 220, x: 0.1, y: 5, score};
  assert.equal(mapWith([away, edge, plum]), 'plum');
});

test('the example of texts need not be a word', () => {
  const texts = Array.from({length: 60}, (_, i) => `text ${i} of 3`);
  const points = Float32Array.from({length: 120}, (_, i) => i * 37 % 10);
  const nearbyOf = (id: number) => [{id: 0, score: id === 55 ? 0.9 : 0.1}];
  assert.equal(exampleOf(texts, points, [], nearbyOf, true), 55);
  assert.equal(exampleOf(texts, points, [], nearbyOf), 49);
});

test('a map without candidates has an example, unless it is empty', () => {
  assert.equal(mapWith([]), 'w49');
  const none = () => [];
  assert.equal(exampleOf(['a', 'b'], new Float32Array(4), [], none), 1);
  assert.equal(exampleOf([], new Float32Array(0), [], none), -1);
});
