// Points without a graphics processor: small squares, written straight into the
// picture, which is faster than drawing 100,000 shapes.

import {contextOf} from '../dom';

import {Camera} from './camera';
import {pointOpacity, PointRenderer, pointSize, Rgb} from './renderer';

// The pixels of a picture as words of 32 bits: opacity, blue, green, red.
interface Pixels {
  words: Uint32Array;
  width: number;
  height: number;
}

// Mixes a w x w square of the color (blue, green, red) into the picture,
// without corners where it is large enough to show them.
function paint(
    pixels: Pixels, x: number, y: number, w: number, color: number,
    opacity: number) {
  const {words, width, height} = pixels;
  const right = Math.min(width, x + w);
  const bottom = Math.min(height, y + w);
  const corner = w >= 4 ? Math.round(w / 4) : 0;
  for (let row = Math.max(0, y); row < bottom; ++row) {
    const fromEdge = Math.min(row - y, y + w - 1 - row);
    const cut = Math.max(0, corner - fromEdge);
    const end = row * width + Math.min(right, x + w - cut);
    for (let i = row * width + Math.max(0, x + cut); i < end; ++i) {
      const before = words[i] >>> 24;
      const alpha = before + opacity * (255 - before);
      words[i] = (alpha << 24) | color;
    }
  }
}

export class CanvasRenderer implements PointRenderer {
  readonly name = 'canvas';
  private readonly context: CanvasRenderingContext2D;
  private ratio = 1;
  private picture: ImageData;

  constructor(
      canvas: HTMLCanvasElement, private readonly points: Float32Array) {
    this.context = contextOf(canvas);
    this.picture = this.context.createImageData(1, 1);
  }

  resize(width: number, height: number, ratio: number) {
    this.context.canvas.width = width;
    this.context.canvas.height = height;
    this.ratio = ratio;
    this.picture =
        this.context.createImageData(Math.max(width, 1), Math.max(height, 1));
  }

  draw(camera: Camera, color: Rgb) {
    const {points, picture, ratio} = this;
    const count = points.length / 2;
    const size =
        Math.max(1, Math.round(0.8 * ratio * pointSize(camera.zoom, count)));
    const opacity = pointOpacity(camera.zoom, count);
    const scale = ratio * camera.scale;
    const left = ratio * camera.width / 2 - size / 2;
    const top = ratio * camera.height / 2 - size / 2;
    const pixels = {
      words: new Uint32Array(picture.data.buffer),
      width: picture.width,
      height: picture.height,
    };
    const [red, green, blue] = color.map((part) => Math.round(255 * part));
    const mixed = (blue << 16) | (green << 8) | red;
    pixels.words.fill(0);
    for (let i = 0; i < points.length; i += 2) {
      const x = Math.round(left + (points[i] - camera.x) * scale);
      const y = Math.round(top - (points[i + 1] - camera.y) * scale);
      if (x < -size || y < -size || x >= picture.width || y >= picture.height) {
        continue;
      }
      paint(pixels, x, y, size, mixed, opacity);
    }
    this.context.putImageData(picture, 0, 0);
  }
}
