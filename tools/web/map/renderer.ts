// What draws the points: the graphics processor, or a canvas where there is
// none.

import {Camera} from './camera';

export type Rgb = [number, number, number];  // from 0 to 1

export interface PointRenderer {
  readonly name: 'webgl'|'canvas';
  // Pixels of the screen; `ratio` of them are a CSS pixel.
  resize(width: number, height: number, ratio: number): void;
  draw(camera: Camera, color: Rgb): void;
}

// CSS pixels across a point of the `share`-th place by frequency (0 to 1) of
// `count` points. Points grow as the map is enlarged, and where they are few.
export function pointSize(zoom: number, count: number) {
  const few = Math.max(0, 5 - Math.log10(Math.max(count, 1)));
  return Math.min(9, 2.2 + few * 0.9 + 0.8 * Math.log2(Math.max(zoom, 1)));
}

// Points that lie close at rest let each other through.
export function pointOpacity(zoom: number, count: number) {
  const crowd = Math.log10(Math.max(count, 10)) / 5;
  const clear = Math.log2(Math.max(zoom, 1)) * 0.08;
  return Math.min(0.9, Math.max(0.35, 0.95 - 0.5 * crowd + clear));
}

export function rgbOf(color: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(color.trim());
  if (!hex) return [0.5, 0.5, 0.5];
  const value = parseInt(hex[1], 16);
  return [value >> 16, (value >> 8) & 255, value & 255].map(
             (part) => part / 255) as Rgb;
}
