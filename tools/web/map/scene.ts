// The map on the screen: a canvas of points, one of labels over it, and the
// camera. Whatever changes asks for a frame; a frame is drawn once, when the
// browser draws.

import {WordMap} from '../source/source';
import {color, prefersStillness} from '../theme';

import {boundsOf, Camera} from './camera';
import {CanvasRenderer} from './canvas';
import {Marks, Overlay, readColors} from './overlay';
import {nearest, nearestToward, within} from './picking';
import {PointRenderer, rgbOf} from './renderer';
import {makeWebGlRenderer} from './webgl';

const FLIGHT = 350;   // milliseconds from one word to the next
const STEP = 10;      // least pixels that an arrow key goes
const REACH = 14;     // pixels around a point that hit it
const SETTLED = 250;  // milliseconds without a move

export class Scene {
  readonly camera: Camera;
  readonly marks: Marks = {
    focus: -1,
    hover: -1,
    neighbors: [],
    selected: new Set(),
    lasso: [],
  };
  // Called when the camera has come to rest.
  onSettled: () => void = () => {};

  private readonly overlay: Overlay;
  private renderer: PointRenderer;
  private colors = readColors();
  private points = rgbOf(color('--point'));
  private frame = 0;
  private settling = 0;
  private flight = 0;

  constructor(private readonly host: HTMLElement, readonly map: WordMap) {
    this.camera = new Camera(boundsOf(map.points));
    this.renderer = this.makeRenderer();
    const over = this.addCanvas();
    this.overlay = new Overlay(over, map);
    new ResizeObserver(() => this.resize()).observe(host);
    document.addEventListener('themechange', () => {
      this.colors = readColors();
      this.points = rgbOf(color('--point'));
      this.redraw();
    });
    this.resize();
  }

  private addCanvas() {
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-hidden', 'true');
    this.host.append(canvas);
    return canvas;
  }

  private makeRenderer(): PointRenderer {
    const {points} = this.map;
    const canvas = this.addCanvas();
    let renderer = makeWebGlRenderer(canvas, points, () => this.redraw());
    if (!renderer) {
      // A canvas that was asked for WebGL may draw nothing else.
      canvas.remove();
      renderer = new CanvasRenderer(this.addCanvas(), points);
    }
    this.host.dataset.renderer = renderer.name;
    return renderer;
  }

  private resize() {
    const {clientWidth, clientHeight} = this.host;
    if (!clientWidth || !clientHeight) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.round(clientWidth * ratio);
    const height = Math.round(clientHeight * ratio);
    this.camera.width = clientWidth;
    this.camera.height = clientHeight;
    this.renderer.resize(width, height, ratio);
    this.overlay.resize(width, height, ratio);
    this.draw();
  }

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.renderer.draw(this.camera, this.points);
    this.overlay.draw(this.camera, this.marks, this.colors);
  }

  // After the camera was changed.
  moved() {
    this.redraw();
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => this.onSettled(), SETTLED);
  }

  zoomBy(factor: number) {
    this.land();
    const {width, height} = this.camera;
    this.camera.zoomAt(width / 2, height / 2, factor);
    this.moved();
  }

  fit() {
    this.land();
    this.camera.fit();
    this.moved();
  }

  // Ends a flight where it is.
  land() {
    cancelAnimationFrame(this.flight);
    this.flight = 0;
  }

  // Moves to the word, at once where motion is unwanted.
  flyTo(id: number, zoom = this.camera.zoom) {
    this.land();
    const {camera, map} = this;
    const from = {x: camera.x, y: camera.y, zoom: camera.zoom};
    const to = {x: map.points[2 * id], y: map.points[2 * id + 1], zoom};
    const start = performance.now();
    const step = (now: number) => {
      const share =
          prefersStillness() ? 1 : Math.min(1, (now - start) / FLIGHT);
      const eased = 1 - (1 - Math.max(0, share)) ** 3;
      camera.x = from.x + (to.x - from.x) * eased;
      camera.y = from.y + (to.y - from.y) * eased;
      camera.zoom = from.zoom * (to.zoom / from.zoom) ** eased;
      this.flight = share < 1 ? requestAnimationFrame(step) : 0;
      this.moved();
    };
    step(start);
  }

  isOnScreen(id: number) {
    const x = this.camera.screenX(this.map.points[2 * id]);
    const y = this.camera.screenY(this.map.points[2 * id + 1]);
    return x > 30 && y > 30 && x < this.camera.width - 30 &&
        y < this.camera.height - 30;
  }

  // The word at a pixel, or -1.
  wordAt(px: number, py: number) {
    const {camera} = this;
    return nearest(
        this.map.points, camera.mapX(px), camera.mapY(py),
        REACH / camera.scale);
  }

  // The next word from `id`, or from the middle, right (1, 0) or up (0, 1).
  wordToward(id: number, dx: number, dy: number) {
    const {camera} = this;
    const {points} = this.map;
    if (id < 0) {
      return nearest(points, camera.x, camera.y, Infinity);
    }
    return nearestToward(
        points, points[2 * id], points[2 * id + 1], dx, dy,
        STEP / camera.scale);
  }

  // The words within a line around them, in pixels.
  wordsWithin(line: number[]) {
    const {camera} = this;
    const polygon =
        line.map((value, i) => i % 2 ? camera.mapY(value) : camera.mapX(value));
    return within(this.map.points, polygon);
  }

  wordsOnScreen() {
    const {width, height} = this.camera;
    return this.wordsWithin([0, 0, width, 0, width, height, 0, height]);
  }
}
