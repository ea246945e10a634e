// One quantity over the course of a training.

import {svg} from '../dom';

import {extent, label, line, linearScale} from './scale';

const HEIGHT = 220;
const EDGE = {
  left: 52,
  right: 12,
  top: 10,
  bottom: 26
};

export interface Point {
  x: number;
  y: number;
}

// At most `most` of the points, the last among them: a picture shows no more.
export function thinned(points: Point[], most: number): Point[] {
  if (points.length <= most) return points;
  const step = (points.length - 1) / (most - 1);
  return Array.from({length: most}, (_, i) => points[Math.round(i * step)]);
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(3))).replace('-', '\u2212');
}

// x is a share of the training, from 0 to 1. `width` is in pixels.
export function lineChart(
    name: string, points: Point[], fromZero: boolean, width: number) {
  const shown = thinned(points, 400);
  const bottom = HEIGHT - EDGE.bottom;
  const [low, high] = extent(shown.map((p) => p.y), 0.06);
  const x = linearScale(0, 1, EDGE.left, width - EDGE.right);
  const y = linearScale(fromZero ? 0 : low, high, bottom, EDGE.top, 4);
  const path = shown.map((p) => `${x(p.x).toFixed(1)},${y(p.y).toFixed(1)}`);
  const last = shown[shown.length - 1];
  const chart = svg('svg', {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    class: 'chart',
    role: 'img',
    'aria-label': last ? `${name}: now ${short(last.y)}` : name,
  });
  for (const tick of y.ticks) {
    chart.append(
        line(EDGE.left, width - EDGE.right, y(tick), y(tick), 'grid'),
        label(EDGE.left - 8, y(tick) + 4, 'end', short(tick)));
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    chart.append(label(
        x(share), HEIGHT - 6, share === 1 ? 'end' : 'middle',
        `${100 * share} %`));
  }
  chart.append(svg('polyline', {points: path.join(' '), class: 'curve'}));
  if (last) {
    chart.append(svg('circle', {cx: x(last.x), cy: y(last.y), r: 4}));
  }
  return chart;
}
