// Which points are at, next to or within a place. Every search reads all
// points: 100,000 take a millisecond, so an index would not pay.
// Points whose entry of `visible` is 0 are not found.

import {smallest} from '../numbers';

import {Bounds, holds} from './camera';

// Returns the visible point with the least value, or -1 if all are NaN.
function least(visible: Uint8Array, valueOf: (id: number) => number) {
  const [found] =
      smallest(visible.length, 1, (id) => visible[id] ? valueOf(id) : NaN);
  return found ? found.id : -1;
}

// Returns the point nearest to (x, y) within `reach`, or -1.
export function nearest(
    points: Float32Array, visible: Uint8Array, x: number, y: number,
    reach: number) {
  return least(visible, (id) => {
    const away = Math.hypot(points[2 * id] - x, points[2 * id + 1] - y);
    return away <= reach ? away : NaN;
  });
}

export function distance(points: Float32Array, id: number, other: number) {
  return Math.hypot(
      points[2 * other] - points[2 * id],
      points[2 * other + 1] - points[2 * id + 1]);
}

// Returns the k points nearest to point `id`, nearest first.
export function nearestTo(
    points: Float32Array, visible: Uint8Array, id: number, k: number) {
  const valueOf = (other: number) =>
      other === id || !visible[other] ? NaN : distance(points, id, other);
  return smallest(visible.length, k, valueOf).map((one) => one.id);
}

// Returns the point nearest to (x, y) of those at least `step` away in the
// direction (dx, dy) of length 1 and at most 45 degrees off it, or -1.
export function nearestToward(
    points: Float32Array, visible: Uint8Array, x: number, y: number, dx: number,
    dy: number, step: number) {
  return least(visible, (id) => {
    const px = points[2 * id] - x;
    const py = points[2 * id + 1] - y;
    const ahead = px * dx + py * dy;
    const aside = Math.abs(px * dy - py * dx);
    return ahead < step || aside > ahead ? NaN : Math.hypot(px, py);
  });
}

// Whether the polygon (x and y in turn) holds the point: whether a ray from it
// crosses an odd number of edges.
export function isInside(polygon: number[], x: number, y: number) {
  let inside = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const yi = polygon[i + 1];
    const yj = polygon[j + 1];
    if ((yi > y) === (yj > y)) continue;
    const crossing =
        polygon[i] + (y - yi) / (yj - yi) * (polygon[j] - polygon[i]);
    if (x < crossing) inside = !inside;
  }
  return inside;
}

// Ids of the points within the polygon, in their order.
export function within(
    points: Float32Array, visible: Uint8Array, polygon: number[]): number[] {
  const found: number[] = [];
  if (polygon.length < 6) return found;
  const xs = polygon.filter((_, i) => i % 2 === 0);
  const ys = polygon.filter((_, i) => i % 2 === 1);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  for (let id = 0, i = 0; i < points.length; ++id, i += 2) {
    const x = points[i];
    const y = points[i + 1];
    if (!visible[id]) continue;
    if (x < x0 || x > x1 || y < y0 || y > y1) continue;
    if (isInside(polygon, x, y)) found.push(id);
  }
  return found;
}

export type Place = readonly [x: number, y: number];
export type Line = [x0: number, y0: number, x1: number, y1: number];

// The part of the line from one dot to another that lies between their rims
// and within width x height pixels, or null where there is none.
export function lineBetween(
    [x0, y0]: Place, fromRadius: number, [x1, y1]: Place, toRadius: number,
    width: number, height: number): Line|null {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = Math.hypot(dx, dy);
  if (length <= fromRadius + toRadius) return null;
  // Liang and Barsky: each border cuts the range of the line's parameter.
  let low = fromRadius / length;
  let high = 1 - toRadius / length;
  const borders = [[-dx, x0], [dx, width - x0], [-dy, y0], [dy, height - y0]];
  for (const [slope, room] of borders) {
    if (slope === 0 && room < 0) return null;
    if (slope < 0) low = Math.max(low, room / slope);
    if (slope > 0) high = Math.min(high, room / slope);
  }
  if (low >= high) return null;
  return [x0 + low * dx, y0 + low * dy, x0 + high * dx, y0 + high * dy];
}

// Points outside of the box, by the direction from its center: eight lists of
// ids, each with the point that is nearest to the center first.
export function outliers(
    points: Float32Array, visible: Uint8Array, box: Bounds) {
  const x = (box.x0 + box.x1) / 2;
  const y = (box.y0 + box.y1) / 2;
  const sectors: number[][] = Array.from({length: 8}, () => []);
  const outward = (id: number) =>
      Math.hypot(points[2 * id] - x, points[2 * id + 1] - y);
  for (let id = 0; id < visible.length; ++id) {
    const [px, py] = [points[2 * id], points[2 * id + 1]];
    if (!visible[id] || holds(box, px, py)) continue;
    const turn = Math.atan2(py - y, px - x) / (2 * Math.PI);
    sectors[(Math.round(8 * turn) + 8) % 8].push(id);
  }
  for (const ids of sectors) ids.sort((a, b) => outward(a) - outward(b));
  return sectors.filter((ids) => ids.length);
}
