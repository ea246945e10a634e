// Points without a graphics processor: discs that are written straight into the
// picture, which is faster than drawing 100,000 shapes.

import {contextOf} from '../dom';
import {clamp} from '../numbers';

import {Camera} from './camera';
import {pointOpacity, PointRenderer, pointSize} from './renderer';

const WIDEST = 48;  // pixels across the largest disc

// How much of each pixel a disc of `size` pixels covers, 0 to 255.
function stampOf(size: number) {
  const stamp = new Uint8Array(size * size);
  const center = (size - 1) / 2;
  for (let y = 0; y < size; ++y) {
    for (let x = 0; x < size; ++x) {
      const distance = Math.hypot(x - center, y - center);
      const inside = size / 2 + 0.5 - distance;
      stamp[y * size + x] = 255 * clamp(inside, 0, 1);
    }
  }
  return size < 3 ? stamp.fill(255) : stamp;
}

// Puts a color (0xbbggrr) of the opacity 0 to 255 over a pixel, whose word is
// opacity, blue, green, red.
function over(below: number, color: number, opacity: number) {
  const left = (below >>> 24) * (255 - opacity) / 255;
  const all = opacity + left;
  const share = opacity / all;
  const rest = 1 - share;
  const red = (color & 255) * share + (below & 255) * rest;
  const green = (color >> 8 & 255) * share + (below >> 8 & 255) * rest;
  const blue = (color >> 16 & 255) * share + (below >> 16 & 255) * rest;
  return all << 24 | blue << 16 | green << 8 | red;
}

export class CanvasRenderer implements PointRenderer {
  readonly name = 'canvas';
  readonly #context: CanvasRenderingContext2D;
  readonly #stamps: Uint8Array[];
  #points = new Float32Array(0);
  #colors = new Uint32Array(0);
  #sizes = new Float32Array(0);
  #ratio = 1;
  #picture: ImageData;

  constructor(canvas: HTMLCanvasElement) {
    this.#context = contextOf(canvas);
    this.#picture = this.#context.createImageData(1, 1);
    this.#stamps = Array.from({length: WIDEST + 1}, (_, size) => stampOf(size));
  }

  resize(width: number, height: number, ratio: number) {
    this.#context.canvas.width = width;
    this.#context.canvas.height = height;
    this.#ratio = ratio;
    this.#picture =
        this.#context.createImageData(Math.max(width, 1), Math.max(height, 1));
  }

  setPoints(points: Float32Array) {
    this.#points = points;
  }

  setLook(colors: Uint32Array, sizes: Float32Array) {
    this.#colors = colors;
    this.#sizes = sizes;
  }

  draw(camera: Camera) {
    const points = this.#points;
    const colors = this.#colors;
    const sizes = this.#sizes;
    const picture = this.#picture;
    const ratio = this.#ratio;
    const {width, height} = picture;
    const base = ratio * pointSize(camera.zoom, colors.length);
    const opacity = Math.round(255 * pointOpacity(camera.zoom, colors.length));
    const scale = ratio * camera.scale;
    const left = ratio * camera.centerX - camera.x * scale;
    const top = ratio * camera.centerY + camera.y * scale;
    const words = new Uint32Array(picture.data.buffer);
    words.fill(0);
    // The most frequent words, which come first, are on top.
    for (let id = colors.length - 1; id >= 0; --id) {
      if (!colors[id]) continue;
      const size = clamp(Math.round(base * sizes[id]), 1, WIDEST);
      const x = Math.round(left + points[2 * id] * scale - size / 2);
      const y = Math.round(top - points[2 * id + 1] * scale - size / 2);
      if (x <= -size || y <= -size || x >= width || y >= height) continue;
      this.#stamp(words, width, height, x, y, size, colors[id], opacity);
    }
    this.#context.putImageData(picture, 0, 0);
  }

  #stamp(
      words: Uint32Array, width: number, height: number, x: number, y: number,
      size: number, color: number, opacity: number) {
    const stamp = this.#stamps[size];
    const rgb = color & 0xffffff;
    const end = Math.min(size, width - x);
    const bottom = Math.min(size, height - y);
    for (let row = Math.max(0, -y); row < bottom; ++row) {
      const line = (y + row) * width + x;
      for (let i = Math.max(0, -x); i < end; ++i) {
        const covered = stamp[row * size + i];
        if (!covered) continue;
        const alpha = covered === 255 ? opacity : covered * opacity / 255;
        const below = words[line + i];
        words[line + i] = below ? over(below, rgb, alpha) : alpha << 24 | rgb;
      }
    }
  }
}
