// A small world of made-up words with vectors and a map, for pages and services
// under test: topics of English words, words of syllables, and words that break
// pages which take text for markup.

const TOPICS = [
  'king queen prince princess crown throne royal palace duke noble',
  'man he father brother uncle son boy him his grandfather',
  'woman she mother sister aunt daughter girl her hers grandmother',
  'river water lake stream sea ocean flood shore bank boat',
  'money loan credit debt price market trade bill fund rich',
  'apple pear plum bread butter cheese soup salt sugar honey',
  'red green blue yellow white black grey brown purple orange',
  'science physics chemistry astronomy experiment theory measure',
  'art poetry dance novel drama literature music painting',
  'one two three four five six seven eight nine ten',
  'dog cat horse cow sheep goat bird fish mouse wolf',
  'north south east west road street bridge town village city',
].map((line) => line.split(' '));

export const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  '</script><script>alert(3)</script>',
  '&lt;b&gt;',
  'שלום',
  'مرحبا',
  '👩‍🚀',
  'naïve',
  '__proto__',
  'constructor',
  '-minus',
  'x'.repeat(10000),
];

const SYLLABLES = 'ba ce di fo gu la me ni ro su ta ve'.split(' ');
export const DIM = 16;

// The same numbers for the same seed, from 0 to 1.
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function gaussian(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) *
      Math.cos(2 * Math.PI * random());
}

function syllables(number) {
  let word = '';
  for (let rest = number + 144; rest > 0; rest = Math.floor(rest / 12)) {
    word += SYLLABLES[rest % 12];
  }
  return word;
}

// The i-th most frequent word and its topic.
function wordsOf(count) {
  const words = [];
  for (let place = 0; place < 10; ++place) {
    TOPICS.forEach((topic, t) => {
      if (topic[place]) words.push({word: topic[place], topic: t});
    });
  }
  HOSTILE.forEach((word, i) => words.push({word, topic: i % TOPICS.length}));
  for (let i = 0; words.length < count; ++i) {
    words.push({word: syllables(i), topic: i % TOPICS.length});
  }
  return words.slice(0, count);
}

export const METHODS = ['umap', 'pca', 'tsne'];

// Positions by another method: the first ones, turned and made small.
function turned(points, angle) {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const moved = points.slice();
  for (let i = 0; i < points.length; i += 2) {
    moved[i] = (cosine * points[i] - sine * points[i + 1]) / 50;
    moved[i + 1] = (sine * points[i] + cosine * points[i + 1]) / 50;
  }
  return moved;
}

// A column of each type, some of whose words have no value.
function columnsOf(words) {
  const initials = ['a to k', 'l to z'];
  const first = words.map(
      (word) => /^[a-k]/.test(word) ? 0 :
          /^[l-z]/.test(word)       ? 1 :
                                      NaN);
  const lengths = words.map((word) => word.length > 50 ? NaN : word.length);
  const known = lengths.filter((length) => !Number.isNaN(length));
  return [
    {
      name: 'initial',
      type: 'categorical',
      values: initials,
      data: Float32Array.from(first),
    },
    {
      name: 'length',
      type: 'continuous',
      minimum: Math.min(...known),
      maximum: Math.max(...known),
      data: Float32Array.from(lengths),
    },
  ];
}

// count words, most frequent first, with vectors [count, DIM], points [count,
// 2] by each method, and columns.
export function madeUpWorld(count, seed = 1) {
  const random = randomNumbers(seed);
  const topics =
      TOPICS.map(() => ({
                   vector: Array.from({length: DIM}, () => gaussian(random)),
                 }));
  topics.forEach((topic, t) => {
    const angle = 2 * Math.PI * t / topics.length;
    topic.x = 9 * Math.cos(angle) * (1 + 0.25 * (t % 3));
    topic.y = 6 * Math.sin(angle) * (1 + 0.25 * (t % 3));
  });
  const entries = wordsOf(count);
  const vectors = new Float32Array(count * DIM);
  const points = new Float32Array(count * 2);
  entries.forEach(({topic}, i) => {
    const center = topics[topic];
    for (let d = 0; d < DIM; ++d) {
      vectors[i * DIM + d] = center.vector[d] + 0.5 * gaussian(random);
    }
    points[2 * i] = center.x + 1.3 * gaussian(random);
    points[2 * i + 1] = center.y + 1.1 * gaussian(random);
  });
  const words = entries.map(({word}) => word);
  return {
    words,
    columns: columnsOf(words),
    layouts: {umap: points, pca: turned(points, 1), tsne: turned(points, 2)},
    counts: entries.map((_, i) => Math.ceil(1e6 / (i + 2))),
    vectors,
    points,
    clusters: topics.map((topic, t) => ({
                           x: topic.x,
                           y: topic.y + 2.2,
                           level: t % 2,
                           words: TOPICS[t].slice(0, 3),
                         })),
  };
}

export function cosine(world, i, j) {
  let [ij, ii, jj] = [0, 0, 0];
  for (let d = 0; d < DIM; ++d) {
    const a = world.vectors[i * DIM + d];
    const b = world.vectors[j * DIM + d];
    ij += a * b;
    ii += a * a;
    jj += b * b;
  }
  return ij / Math.sqrt(ii * jj);
}

// The k words nearest to a direction, without those of `exclude`.
export function nearestTo(world, direction, k, exclude) {
  const norm = Math.hypot(...direction) || 1;
  const scored = world.words.map((word, id) => {
    let [dot, own] = [0, 0];
    for (let d = 0; d < DIM; ++d) {
      const value = world.vectors[id * DIM + d];
      dot += value * direction[d];
      own += value * value;
    }
    return {
      word,
      id,
      score: dot / norm / Math.sqrt(own),
      count: world.counts[id]
    };
  });
  return scored.filter(({id}) => !exclude.includes(id))
      .sort((a, b) => b.score - a.score)
      .slice(0, k);
}

export function unitVector(world, id) {
  const row = Array.from(world.vectors.slice(id * DIM, (id + 1) * DIM));
  const norm = Math.hypot(...row);
  return row.map((value) => value / norm);
}
