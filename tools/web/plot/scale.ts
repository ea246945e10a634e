// Scales of charts: from numbers to pixels, with marks at round numbers.

import {svg} from '../dom';

export interface Scale {
  (value: number): number;
  ticks: number[];
}

// Some `count` round numbers within the range: multiples of 1, 2 or 5 times a
// power of ten.
export function roundTicks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((f) => f * power >= rough * 0.999) || 10;
  const step = factor * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9;
       ++i) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

export function linearScale(
    low: number, high: number, from: number, to: number, count = 5): Scale {
  const span = high > low ? high - low : 1;
  const scale = (value: number) => from + (value - low) / span * (to - from);
  return Object.assign(scale, {ticks: roundTicks(low, high, count)});
}

export function label(x: number, y: number, anchor: string, text: string) {
  return svg('text', {x, y, 'text-anchor': anchor}, text);
}

export function line(
    x1: number, x2: number, y1: number, y2: number, className: string) {
  return svg('line', {x1, x2, y1, y2, class: className});
}

// The least and greatest of the values, with a margin of their span.
export function extent(values: number[], margin: number): [number, number] {
  const finite = values.filter((value) => Number.isFinite(value));
  if (!finite.length) return [0, 1];
  const low = finite.reduce((a, b) => Math.min(a, b));
  const high = finite.reduce((a, b) => Math.max(a, b));
  const span = high - low || Math.abs(high) || 1;
  return [low - margin * span, high + margin * span];
}
