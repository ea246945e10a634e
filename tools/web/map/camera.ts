// The part of the map that is shown: its center in the map's units and its
// scale in CSS pixels a unit. The map's y grows upwards, the screen's down.

export interface Bounds {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

const MARGIN = 28;  // pixels left free around the whole map
const LEAST_ZOOM = 0.5;
const MOST_ZOOM = 2000;

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

export class Camera {
  x = 0;
  y = 0;
  zoom = 1;  // 1 shows the whole map
  width = 1;
  height = 1;

  constructor(private readonly bounds: Bounds) {
    this.fit();
  }

  get scale() {
    const {x0, y0, x1, y1} = this.bounds;
    const across = Math.max(x1 - x0, 1e-6);
    const along = Math.max(y1 - y0, 1e-6);
    const wide = Math.max(this.width - 2 * MARGIN, 20) / across;
    const high = Math.max(this.height - 2 * MARGIN, 20) / along;
    return this.zoom * Math.min(wide, high);
  }

  fit() {
    const {x0, y0, x1, y1} = this.bounds;
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2;
    this.zoom = 1;
  }

  screenX(x: number) {
    return this.width / 2 + (x - this.x) * this.scale;
  }

  screenY(y: number) {
    return this.height / 2 - (y - this.y) * this.scale;
  }

  mapX(px: number) {
    return this.x + (px - this.width / 2) / this.scale;
  }

  mapY(py: number) {
    return this.y - (py - this.height / 2) / this.scale;
  }

  // Moves the map with a hand that moves by (dx, dy) pixels.
  pan(dx: number, dy: number) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.keepInside();
  }

  // What is under the pixel stays there.
  zoomAt(px: number, py: number, factor: number) {
    const x = this.mapX(px);
    const y = this.mapY(py);
    this.zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, this.zoom * factor));
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y + (py - this.height / 2) / this.scale;
    this.keepInside();
  }

  // So that the map cannot be lost, its bounds hold the center.
  private keepInside() {
    const {x0, y0, x1, y1} = this.bounds;
    this.x = Math.min(x1, Math.max(x0, this.x));
    this.y = Math.min(y1, Math.max(y0, this.y));
  }
}
