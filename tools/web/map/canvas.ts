// Points without a graphics processor: small squares, written straight into the
// picture, which is faster than drawing 100,000 shapes.

import {Camera} from './camera';
import {pointOpacity, PointRenderer, pointSize, Rgb} from './renderer';

// Mixes the colour into a w x w square of the picture at (x, y).
function paint(
    picture: ImageData, x: number, y: number, w: number, color: Rgb,
    opacity: number) {
  const {data, width, height} = picture;
  const right = Math.min(width, x + w);
  const bottom = Math.min(height, y + w);
  for (let row = Math.max(0, y); row < bottom; ++row) {
    for (let column = Math.max(0, x); column < right; ++column) {
      const i = 4 * (row * width + column);
      data[i] = 255 * color[0];
      data[i + 1] = 255 * color[1];
      data[i + 2] = 255 * color[2];
      data[i + 3] += opacity * (255 - data[i + 3]);
    }
  }
}

export class CanvasRenderer implements PointRenderer {
  readonly name = 'canvas';
  private ratio = 1;
  private picture: ImageData;

  private constructor(
      private readonly context: CanvasRenderingContext2D,
      private readonly points: Float32Array) {
    this.picture = context.createImageData(1, 1);
  }

  static make(canvas: HTMLCanvasElement, points: Float32Array) {
    const context = canvas.getContext('2d');
    return context ? new CanvasRenderer(context, points) : null;
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
    picture.data.fill(0);
    for (let i = 0; i < points.length; i += 2) {
      const x = Math.round(left + (points[i] - camera.x) * scale);
      const y = Math.round(top - (points[i + 1] - camera.y) * scale);
      if (x < -size || y < -size || x >= picture.width || y >= picture.height) {
        continue;
      }
      paint(picture, x, y, size, color, opacity);
    }
    this.context.putImageData(picture, 0, 0);
  }
}
