// A layer of heat under the points of a large map, which shows where they are
// dense while they are too small to be counted. It is computed once, in map
// units, and fades as the map is enlarged.

import {clamp} from '../numbers';

import {Bounds} from './camera';
import {Rgb} from './palette';

export const LEAST_POINTS = 20000;
const CELLS = 160;
const REACH = 2;  // cells of one pass of the blur

// A running mean over 2 * REACH + 1 cells, along rows (step 1) or columns.
function blur(from: Float32Array, to: Float32Array, step: number) {
  const next = step === 1 ? CELLS : 1;
  for (let line = 0; line < CELLS; ++line) {
    let sum = 0;
    for (let i = -REACH; i < CELLS + REACH; ++i) {
      const enters = i + REACH;
      const leaves = i - REACH - 1;
      if (enters < CELLS) sum += from[line * next + enters * step];
      if (leaves >= 0) sum -= from[line * next + leaves * step];
      if (i >= 0 && i < CELLS) to[line * next + i * step] = sum;
    }
  }
}

export interface Density {
  cells: Float32Array;  // [CELLS, CELLS], 0 to 1, the top row first
  size: number;
  bounds: Bounds;
}

// The density of the visible points, relative to the densest cell.
export function densityOf(
    points: Float32Array, visible: Uint8Array, box: Bounds): Density {
  const marginX = 0.08 * (box.x1 - box.x0 || 1);
  const marginY = 0.08 * (box.y1 - box.y0 || 1);
  const bounds = {
    x0: box.x0 - marginX,
    x1: box.x1 + marginX,
    y0: box.y0 - marginY,
    y1: box.y1 + marginY,
  };
  let cells = new Float32Array(CELLS * CELLS);
  let other = new Float32Array(CELLS * CELLS);
  const across = CELLS / (bounds.x1 - bounds.x0);
  const along = CELLS / (bounds.y1 - bounds.y0);
  for (let id = 0; id < visible.length; ++id) {
    if (!visible[id]) continue;
    const column = Math.floor((points[2 * id] - bounds.x0) * across);
    const row = Math.floor((bounds.y1 - points[2 * id + 1]) * along);
    if (column < 0 || row < 0 || column >= CELLS || row >= CELLS) continue;
    ++cells[row * CELLS + column];
  }
  for (const step of [1, CELLS, 1, CELLS, 1, CELLS]) {
    blur(cells, other, step);
    [cells, other] = [other, cells];
  }
  const most = cells.reduce((a, b) => Math.max(a, b), 1e-9);
  return {
    cells: cells.map((cell) => Math.max(0, cell / most)),
    size: CELLS,
    bounds
  };
}

// How strongly the layer is drawn: fully at zoom 1, not at all from zoom 6 on.
export function densityOpacity(zoom: number) {
  return clamp(1 - Math.log(Math.max(zoom, 1)) / Math.log(6), 0, 1);
}

export function paintDensity({cells, size}: Density, [red, green, blue]: Rgb) {
  const image = new ImageData(size, size);
  cells.forEach((cell, i) => {
    image.data.set([red, green, blue, 110 * Math.sqrt(cell)], 4 * i);
  });
  return image;
}
