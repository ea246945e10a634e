// Words on two axes. Labels that would cover others are left out; each word is
// in the table below the plot.

import {measurer, svg, UNHEARD} from '../dom';
import {cut} from '../format';
import {Dots, Label, Occupied, placeLabels, WORD_FONT} from '../map/labels';
import {clamp} from '../numbers';

import {extent, label, line, linearScale, Scale} from './scale';

const WIDEST = 944;
const NARROWEST = 280;
const EDGE = {
  left: 56,
  right: 16,
  top: 16,
  bottom: 56
};

export interface ScatterOptions {
  words: string[];
  points: number[][];       // x and y of each word
  xName: [string, string];  // what lies at the left and the right end
  yName: [string, string];
  link: (word: string) => string;
  width: number;  // pixels that there are
}

// In pixels; the plot is drawn for them, so that text keeps its size.
interface Frame {
  width: number;
  height: number;
  right: number;
  bottom: number;
}

function frameOf(available: number): Frame {
  const width = clamp(available, NARROWEST, WIDEST);
  const height = Math.round(Math.max(320, 0.6 * width));
  return {
    width,
    height,
    right: width - EDGE.right,
    bottom: height - EDGE.bottom,
  };
}

function axisText(x: number, y: number, anchor: string, text: string) {
  const name = label(x, y, anchor, cut(text, 24));
  name.classList.add('axis-name');
  return name;
}

export function scatter(options: ScatterOptions) {
  const {words, points} = options;
  const frame = frameOf(options.width);
  const {width, height, right, bottom} = frame;
  const x =
      linearScale(...extent(points.map((p) => p[0]), 0.08), EDGE.left, right);
  const y =
      linearScale(...extent(points.map((p) => p[1]), 0.08), bottom, EDGE.top);
  const plot = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: 'scatter',
    role: 'group',
    'aria-label': `${words.length} words on two axes; the table lists them`,
  });
  plot.append(...gridLines(frame, x, y), ...names(frame, options));
  const place = (id: number) => [x(points[id][0]), y(points[id][1])] as const;
  const radius = 3.5;
  const dots = new Dots(
      Float32Array.from(words.flatMap((_, id) => place(id))),
      new Float32Array(words.length).fill(radius), width, height);
  const labels = placeLabels(
      {
        order: words.keys(),
        kept: new Map(),
        text: (id) => cut(words[id], 24),
        measure: measurer(WORD_FONT),
        height: 14,
        gap: 3,
        most: 120,
      },
      dots, new Occupied(width, height));
  const labelled = new Map(labels.map((one) => [one.id, one]));
  // Labels lie over the dots that have none.
  const order =
      words.map((_, id) => id)
          .sort((a, b) => Number(labelled.has(a)) - Number(labelled.has(b)));
  for (const id of order) {
    plot.append(dot(words[id], place(id), options, labelled.get(id)));
  }
  return plot;
}

function gridLines({right, bottom}: Frame, x: Scale, y: Scale) {
  const minus = (value: number) => String(value).replace('-', '\u2212');
  const kind = (tick: number) => tick === 0 ? 'zero' : 'grid';
  return [
    ...x.ticks.flatMap(
        (tick) =>
            [line(x(tick), x(tick), EDGE.top, bottom, kind(tick)),
             label(x(tick), bottom + 18, 'middle', minus(tick))]),
    ...y.ticks.flatMap(
        (tick) =>
            [line(EDGE.left, right, y(tick), y(tick), kind(tick)),
             label(EDGE.left - 8, y(tick) + 4, 'end', minus(tick))]),
  ];
}

function names({height, right, bottom}: Frame, {xName, yName}: ScatterOptions) {
  const low = height - 12;
  const upwards =
      svg('g', {transform: `translate(16 ${bottom}) rotate(-90)`},
          axisText(0, 0, 'start', `← ${yName[0]}`),
          axisText(bottom - EDGE.top, 0, 'end', `${yName[1]} →`));
  return [
    axisText(EDGE.left, low, 'start', `← ${xName[0]}`),
    axisText(right, low, 'end', `${xName[1]} →`),
    upwards,
  ];
}

// The table below has the links of the keyboard; these are the pointer's.
function dot(
    word: string, [x, y]: readonly[number, number], options: ScatterOptions,
    own: Label|undefined) {
  const title = svg('title', {}, cut(word, 200));
  const mark = svg('circle', {cx: x, cy: y, r: own ? 3.5 : 2.5});
  const text = own &&
      svg('text', {x: x + own.dx, y: y + own.dy + 4, class: 'word'}, own.text);
  return svg(
      'a', {href: options.link(word), tabindex: '-1', ...UNHEARD}, title, mark,
      text);
}
