// The part of the map that is visible: its center in map units and its scale
// in CSS pixels per unit. The map's y axis points up, the screen's points down.

import {clamp} from '../numbers';

import {Place} from './picking';

export interface Bounds {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface CameraView {
  x: number;
  y: number;
  zoom: number;
}

const MARGIN = 28;  // pixels left free around the fitted box
const LEAST_ZOOM = 0.5;
const HELD = 0.98;    // fraction of the points that the fitted box must hold
const GROWTH = 0.15;  // by which the box of the quantiles is enlarged

export function boundsOf(points: Float32Array): Bounds {
  const bounds = {x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity};
  for (let i = 0; i + 1 < points.length; i += 2) {
    bounds.x0 = Math.min(bounds.x0, points[i]);
    bounds.x1 = Math.max(bounds.x1, points[i]);
    bounds.y0 = Math.min(bounds.y0, points[i + 1]);
    bounds.y1 = Math.max(bounds.y1, points[i + 1]);
  }
  return points.length ? bounds : {x0: -1, y0: -1, x1: 1, y1: 1};
}

export function holds({x0, y0, x1, y1}: Bounds, x: number, y: number) {
  return x >= x0 && x <= x1 && y >= y0 && y <= y1;
}

function shareWithin(bounds: Bounds, points: Float32Array) {
  let inside = 0;
  for (let i = 0; i < points.length; i += 2) {
    inside += Number(holds(bounds, points[i], points[i + 1]));
  }
  return 2 * inside / points.length;
}

// Returns a box that holds at least 98 % of the points and that a few outliers
// do not stretch. It is the box between the outer quantiles of each axis,
// enlarged a little, and never larger than the bounds of all points.
export function robustBounds(points: Float32Array): Bounds {
  const all = boundsOf(points);
  const count = points.length / 2;
  const sorted =
      [0, 1].map((axis) => points.filter((_, i) => i % 2 === axis).sort());
  const between = (values: Float32Array, cut: number) => {
    const [low, high] = [values[cut], values[count - 1 - cut]];
    const margin = GROWTH * (high - low);
    return [low - margin, high + margin];
  };
  let cut = count < 20 ? 0 : Math.max(2, Math.floor(count / 100));
  for (; cut > 0; cut >>= 1) {
    const [x0, x1] = between(sorted[0], cut);
    const [y0, y1] = between(sorted[1], cut);
    const box = {
      x0: Math.max(x0, all.x0),
      y0: Math.max(y0, all.y0),
      x1: Math.min(x1, all.x1),
      y1: Math.min(y1, all.y1),
    };
    if (shareWithin(box, points) >= HELD) return box;
  }
  return all;
}

export class Camera {
  x = 0;
  y = 0;
  zoom = 1;  // 1 shows the fitted box
  readonly mostZoom = 2000;
  width = 1;
  height = 1;
  left = 0;  // pixels at the left that the legend covers

  // `box` fills the screen at zoom 1; the center stays within `all`.
  constructor(private box: Bounds, private all: Bounds = box) {
    this.fit();
  }

  setBounds(box: Bounds, all: Bounds) {
    this.box = box;
    this.all = all;
  }

  #scaleOf({x0, y0, x1, y1}: Bounds) {
    const across = Math.max(x1 - x0, 1e-6);
    const along = Math.max(y1 - y0, 1e-6);
    const wide = Math.max(this.width - this.left - 2 * MARGIN, 20) / across;
    const high = Math.max(this.height - 2 * MARGIN, 20) / along;
    return Math.min(wide, high);
  }

  // Pixels per unit at zoom 1.
  get fitScale() {
    return this.#scaleOf(this.box);
  }

  get scale() {
    return this.zoom * this.fitScale;
  }

  // Far enough to show all points.
  get leastZoom() {
    return Math.min(LEAST_ZOOM, this.#scaleOf(this.all) / this.fitScale);
  }

  get centerX() {
    return (this.left + this.width) / 2;
  }

  get centerY() {
    return this.height / 2;
  }

  get fitted() {
    return this.box;
  }

  get fitCenter() {
    const {x0, y0, x1, y1} = this.box;
    return {x: (x0 + x1) / 2, y: (y0 + y1) / 2};
  }

  fit() {
    Object.assign(this, this.fitCenter, {zoom: 1});
  }

  get view(): CameraView {
    return {x: this.x, y: this.y, zoom: this.zoom};
  }

  // Moves a fraction of the way between two views.
  moveBetween(from: CameraView, to: CameraView, share: number) {
    this.x = from.x + (to.x - from.x) * share;
    this.y = from.y + (to.y - from.y) * share;
    this.zoom = from.zoom * (to.zoom / from.zoom) ** share;
  }

  screenX(x: number) {
    return this.centerX + (x - this.x) * this.scale;
  }

  screenY(y: number) {
    return this.centerY - (y - this.y) * this.scale;
  }

  // Where a point is on the screen.
  screenOf(points: Float32Array, id: number): Place {
    return [this.screenX(points[2 * id]), this.screenY(points[2 * id + 1])];
  }

  mapX(px: number) {
    return this.x + (px - this.centerX) / this.scale;
  }

  mapY(py: number) {
    return this.y - (py - this.centerY) / this.scale;
  }

  // Moves the map with a hand that moves by (dx, dy) pixels.
  pan(dx: number, dy: number) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.#keepInside();
  }

  // Keeps the point of the map that is under the pixel there.
  zoomAt(px: number, py: number, factor: number) {
    const x = this.mapX(px);
    const y = this.mapY(py);
    this.zoom = clamp(this.zoom * factor, this.leastZoom, this.mostZoom);
    this.x = x - (px - this.centerX) / this.scale;
    this.y = y + (py - this.centerY) / this.scale;
    this.#keepInside();
  }

  // The center stays within the bounds of all points, so the map cannot be
  // lost.
  #keepInside() {
    const {x0, y0, x1, y1} = this.all;
    this.x = clamp(this.x, x0, x1);
    this.y = clamp(this.y, y0, y1);
  }
}
