// What draws the points: the graphics processor, or a canvas if there is none.

import {clamp} from '../numbers';

import {Camera} from './camera';

export interface PointRenderer {
  readonly name: 'webgl'|'canvas';
  // Pixels of the screen; `ratio` of them are one CSS pixel.
  resize(width: number, height: number, ratio: number): void;
  setPoints(points: Float32Array): void;
  // The packed color of each point (0 is not drawn), and the factor of its
  // diameter.
  setLook(colors: Uint32Array, sizes: Float32Array): void;
  draw(camera: Camera): void;
}

// CSS pixels across a point of size 1 of `count` points. Points grow as the map
// is enlarged, and where they are few.
export function pointSize(zoom: number, count: number) {
  const few = Math.max(0, 5 - Math.log10(Math.max(count, 1)));
  return Math.min(9, 2.2 + few * 0.9 + 0.8 * Math.log2(Math.max(zoom, 1)));
}

// Points that are dense at zoom 1 are transparent.
export function pointOpacity(zoom: number, count: number) {
  const crowd = Math.log10(Math.max(count, 10)) / 5;
  const clear = Math.log2(Math.max(zoom, 1)) * 0.08;
  return clamp(1.05 - 0.5 * crowd + clear, 0.5, 0.92);
}
