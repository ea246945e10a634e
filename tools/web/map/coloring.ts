// What the colors and sizes of the points show. A coloring gives each point a
// group (of a category) or a shade (of a quantity); the legend lists it, and
// paint() turns it into colors for one theme.

import {counted, cut, isolated, shortNumber} from '../format';
import {clamp} from '../numbers';
import {Cluster} from '../source/source';

import {CATEGORIES, groupColor, OTHER, packed, ramp} from './palette';

const MOST_GROUPS = CATEGORIES.length;
const NONE = 65535;  // no group

export interface Group {
  key: string;  // in the address
  name: string;
  count: number;
  color: number;  // index into CATEGORIES; -1 is OTHER
}

export interface Categories {
  kind: 'categories';
  groups: Group[];
  of: Uint16Array;  // group of each point
}

export interface Quantity {
  kind: 'quantity';
  ends: [number, number, number];  // least, middle and greatest value
  shades: Float32Array;            // 0 to 1; NaN where there is no value
  unit?: string;                   // is written before the ends
}

export type Coloring = Categories|Quantity;

// The ends of a quantity as the legend shows them.
export function endsOf({ends, unit = ''}: Quantity) {
  return ends.map((end) => unit + shortNumber(end));
}

// The first words of a cluster, with at most `most` letters of each.
export function nameOf({words}: Cluster, most = 80) {
  return words.slice(0, 3).map((word) => isolated(cut(word, most))).join(' · ');
}

// The nearest center of the level of each point; all NONE without clusters.
export function assignClusters(
    points: Float32Array, clusters: Cluster[], level = 0) {
  const centers = clusters.filter((cluster) => cluster.level === level);
  const of = new Uint16Array(points.length / 2).fill(NONE);
  for (let id = 0; id < of.length; ++id) {
    let least = Infinity;
    centers.forEach(({x, y}, i) => {
      const dx = points[2 * id] - x;
      const dy = points[2 * id + 1] - y;
      const distance = dx * dx + dy * dy;
      if (distance < least) {
        least = distance;
        of[id] = i;
      }
    });
  }
  return of;
}

// Groups by the index that each point has into `names`; the largest group comes
// first. The groups after the tenth are one, and so are points without a group.
export function byCategory(
    indices: ArrayLike<number>, names: string[],
    none = 'no value'): Categories {
  const counts = new Array<number>(names.length).fill(0);
  let without = 0;
  for (let id = 0; id < indices.length; ++id) {
    if (indices[id] in counts) {
      ++counts[indices[id]];
    } else {
      ++without;
    }
  }
  const order = names.map((_, i) => i)
                    .filter((i) => counts[i])
                    .sort((a, b) => counts[b] - counts[a] || a - b);
  const shown = order.slice(0, MOST_GROUPS);
  const groups: Group[] = shown.map((i, color) => ({
                                      key: String(i),
                                      name: names[i],
                                      count: counts[i],
                                      color,
                                    }));
  const groupOf = new Map(shown.map((i, group) => [i, group]));
  const rest = order.slice(shown.length);
  if (rest.length) {
    rest.forEach((i) => groupOf.set(i, groups.length));
    groups.push({
      key: 'other',
      name: `other (${counted(rest.length, 'group')})`,
      count: rest.reduce((sum, i) => sum + counts[i], 0),
      color: -1,
    });
  }
  const last = groups.length;
  if (without) {
    groups.push({key: 'none', name: none, count: without, color: -1});
  }
  const of = Uint16Array.from(indices, (index) => groupOf.get(index) ?? last);
  return {kind: 'categories', groups, of};
}

// Shades by value, between the least and the greatest of them or `ends`. On a
// logarithmic scale, values of 0 or less have no shade.
export function byValue(
    values: ArrayLike<number>, isLog = false,
    ends?: [number, number]): Quantity {
  const scaled = isLog ? Math.log : (value: number) => value;
  let [low, high] = ends || [Infinity, -Infinity];
  for (let id = 0; !ends && id < values.length; ++id) {
    if (!Number.isFinite(scaled(values[id]))) continue;
    low = Math.min(low, values[id]);
    high = Math.max(high, values[id]);
  }
  if (!(high >= low)) [low, high] = isLog ? [1, 1] : [0, 0];
  const span = scaled(high) - scaled(low);
  const shades = Float32Array.from(values, (value) => {
    const at = scaled(value);
    if (!Number.isFinite(at)) return NaN;
    return span ? clamp((at - scaled(low)) / span, 0, 1) : 0.5;
  });
  const middle = isLog ? Math.sqrt(low * high) : (low + high) / 2;
  return {kind: 'quantity', ends: [low, middle, high], shades};
}

const LOW = 0.01;  // quantile of the similarities at which shades begin

// By similarity to the point `own`, to which no other is as similar. The scale
// ends at the most similar one of the others, and a few that are very different
// do not stretch it.
export function bySimilarity(values: Float32Array, own: number): Quantity {
  const others =
      values.filter((value, id) => id !== own && Number.isFinite(value)).sort();
  const last = others.length - 1;
  return byValue(
      values, false,
      last < 0 ? undefined : [others[Math.floor(LOW * last)], others[last]]);
}

export function hasCounts(counts: ArrayLike<number>) {
  return Array.from(counts).some((count) => count > 0);
}

// By counts, on a logarithmic scale. Without counts, by the rank, of which the
// first is the most frequent.
export function byFrequency(counts: ArrayLike<number>): Quantity {
  if (hasCounts(counts)) return byValue(counts, true);
  const ranks = Float64Array.from(counts, (_, id) => id + 1);
  const {ends, shades} = byValue(ranks, true);
  const [first, middle, last] = ends;
  return {
    kind: 'quantity',
    ends: [last, Math.round(middle), first],
    shades: shades.map((shade) => 1 - shade),
    unit: 'rank ',
  };
}

// Factors of the points' diameters. Words without a count are small.
export function sizesOf(counts: ArrayLike<number>, isOn: boolean) {
  if (!isOn) return new Float32Array(counts.length).fill(1);
  const {shades} = byFrequency(counts);
  return shades.map((shade) => 0.75 + 2 * (shade || 0) ** 2);
}

// The packed color of each point; 0 is a point that is not drawn.
export function paint(
    coloring: Coloring, visible: Uint8Array, isDark: boolean) {
  const other = packed(OTHER);
  const colors = new Uint32Array(visible.length);
  if (coloring.kind === 'categories') {
    const table = coloring.groups.map(({color}) => packed(groupColor(color)));
    for (let id = 0; id < colors.length; ++id) {
      if (visible[id]) colors[id] = table[coloring.of[id]];
    }
    return colors;
  }
  const table =
      Array.from({length: 256}, (_, i) => packed(ramp(i / 255, isDark)));
  for (let id = 0; id < colors.length; ++id) {
    const shade = coloring.shades[id];
    if (!visible[id]) continue;
    colors[id] = shade >= 0 ? table[Math.round(255 * shade)] : other;
  }
  return colors;
}

// 1 for each point that is drawn: those that were not hidden one by one, and
// whose group is not switched off.
export function visibility(
    count: number, coloring: Coloring, off: ReadonlySet<string>,
    hidden: ReadonlySet<number>) {
  const visible = new Uint8Array(count).fill(1);
  if (coloring.kind === 'categories' && off.size) {
    const isOff = coloring.groups.map(({key}) => off.has(key));
    for (let id = 0; id < count; ++id) {
      if (isOff[coloring.of[id]]) visible[id] = 0;
    }
  }
  for (const id of hidden) visible[id] = 0;
  return visible;
}
