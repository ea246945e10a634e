// A picture of the map on the screen: a layer of density, a canvas of points,
// one of labels over it, and arrows to points far outside. All scenes of a
// model share what is marked and how points look. Every change requests a
// frame, and a frame is drawn once, when the browser draws.

import {h, UNHEARD} from '../dom';
import {clamp} from '../numbers';
import {color, prefersStillness} from '../theme';

import {boundsOf, Camera, robustBounds} from './camera';
import {CanvasRenderer} from './canvas';
import {Density, densityOf, densityOpacity, LEAST_POINTS, paintDensity} from './density';
import {Box} from './labels';
import {Look, Marks, Overlay, Picture, readColors} from './overlay';
import {rgbOf} from './palette';
import {distance, nearest, nearestTo, nearestToward, outliers, within} from './picking';
import {PointRenderer} from './renderer';
import {makeWebGlRenderer} from './webgl';

const FLIGHT = 350;      // milliseconds from one word to the next
const TRANSITION = 400;  // milliseconds from one picture to another
const STEP = 10;         // least pixels that an arrow key moves
const REACH = 14;        // pixels around a point that hit it
const SETTLED = 250;     // milliseconds without a move
const MOST = 0.8;        // fraction of the neighbors that a flight shows
const EDGE = 18;         // pixels from the border to an arrow
const TWO_HIGH = 300;    // most pixels of one of two pictures on a phone
const ABOVE_TOOLS = 76;  // and from the lower one

// What the scenes of a model share.
export class Shared {
  readonly marks: Marks = {
    focus: -1,
    hover: -1,
    neighbors: [],
    selected: new Set(),
    found: [],
  };
  readonly scenes: Scene[] = [];

  constructor(public look: Look) {}

  redraw() {
    for (const scene of this.scenes) scene.redraw();
  }

  // After the focus or its neighbors changed, which have labels.
  relabel() {
    for (const scene of this.scenes) scene.relabel();
  }

  setLook(look: Look) {
    this.look = look;
    for (const scene of this.scenes) scene.onLook();
  }
}

export class Scene {
  readonly camera: Camera;
  lasso: number[] = [];  // x and y in turn, in pixels
  // Called when the camera has come to rest.
  onSettled: () => void = () => {};
  // The boxes of controls that labels should not be drawn under.
  reserved: () => Box[] = () => [];

  readonly #overlay: Overlay;
  readonly #heat = h('canvas.heat', UNHEARD);
  readonly #arrows = h('div.arrows');
  #points: Float32Array;  // as drawn, perhaps between two pictures
  #density: Density|null = null;
  #outside: Array<{ids: number[], arrow: HTMLButtonElement}> = [];
  #renderer: PointRenderer;
  #colors = readColors();
  #frame = 0;
  #settling = 0;
  readonly #open = new AbortController();
  #flight = 0;

  readonly #host: HTMLElement;
  #picture: Picture;
  readonly #shared: Shared;

  constructor(host: HTMLElement, picture: Picture, shared: Shared) {
    this.#host = host;
    this.#picture = picture;
    this.#shared = shared;
    this.#points = picture.points;
    this.camera =
        new Camera(robustBounds(picture.points), boundsOf(picture.points));
    host.append(this.#heat);
    this.#renderer = this.#makeRenderer();
    const over = this.#addCanvas('over');
    host.append(this.#arrows);
    this.#overlay = new Overlay(over, () => this.reserved());
    this.#overlay.setPicture(picture);
    this.#renderer.setPoints(this.#points);
    shared.scenes.push(this);
    new ResizeObserver(() => this.resize()).observe(host);
    const {signal} = this.#open;
    document.addEventListener('themechange', () => {
      this.#colors = readColors();
      this.#paintHeat();
      this.redraw();
    }, {signal});
    this.onLook();
    this.resize();
  }

  #addCanvas(name: string) {
    const canvas = h('canvas', {class: name, ...UNHEARD});
    this.#host.append(canvas);
    return canvas;
  }

  #makeRenderer(): PointRenderer {
    const canvas = this.#addCanvas('points');
    let renderer = makeWebGlRenderer(canvas, () => this.redraw());
    if (!renderer) {
      // A canvas that was asked for WebGL may draw nothing else.
      canvas.remove();
      renderer = new CanvasRenderer(this.#addCanvas('points'));
    }
    this.#host.dataset.renderer = renderer.name;
    return renderer;
  }

  // `left`: pixels that the legend covers.
  resize(left = this.camera.left) {
    const {clientWidth, clientHeight} = this.#host;
    if (!clientWidth || !clientHeight) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.round(clientWidth * ratio);
    const height = Math.round(clientHeight * ratio);
    Object.assign(
        this.camera, {width: clientWidth, height: clientHeight, left});
    this.#renderer.resize(width, height, ratio);
    this.#overlay.resize(width, height, ratio);
    this.#draw();
  }

  redraw() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  relabel() {
    this.#overlay.refresh();
    this.redraw();
  }

  // After colors, sizes or the visible points changed.
  onLook() {
    const {colors, sizes} = this.#shared.look;
    this.#renderer.setLook(colors, sizes);
    this.#overlay.forget();
    this.#updatePlaces();
    this.redraw();
  }

  // What depends on where the visible points are.
  #updatePlaces() {
    const {visible} = this.#shared.look;
    const {points} = this.#picture;
    const box = this.camera.fitted;
    this.#density =
        visible.length >= LEAST_POINTS ? densityOf(points, visible, box) : null;
    this.#paintHeat();
    this.#arrows.textContent = '';
    this.#outside = outliers(points, visible, box).map((ids) => {
      const arrow = h('button', {
        type: 'button',
        class: 'arrow',
        hidden: true,  // until it has its place and name
        onclick: () => this.flyTo(this.#hiddenOf(ids)),
      });
      this.#arrows.append(arrow);
      return {ids, arrow};
    });
  }

  #paintHeat() {
    this.#heat.hidden = !this.#density;
    if (!this.#density) return;
    this.#heat.width = this.#heat.height = this.#density.size;
    this.#heat.getContext('2d')?.putImageData(
        paintDensity(this.#density, rgbOf(color('--point'))), 0, 0);
  }

  // The layer is moved by the compositor, which costs no drawing here.
  #placeHeat() {
    if (!this.#density) return;
    const {bounds, size} = this.#density;
    const {camera} = this;
    const x = camera.screenX(bounds.x0);
    const y = camera.screenY(bounds.y1);
    const wide = (bounds.x1 - bounds.x0) * camera.scale / size;
    const high = (bounds.y1 - bounds.y0) * camera.scale / size;
    const opacity =
        this.#points === this.#picture.points ? densityOpacity(camera.zoom) : 0;
    this.#heat.hidden = !opacity;
    this.#heat.style.opacity = String(opacity);
    this.#heat.style.transform = `matrix(${wide},0,0,${high},${x},${y})`;
  }

  // The first point of a direction that is not on the screen, or -1.
  #hiddenOf(ids: number[]) {
    return ids.find((id) => !this.isOnScreen(id, 0)) ?? -1;
  }

  #placeArrows() {
    const {camera} = this;
    const x = camera.centerX;
    const y = camera.centerY;
    for (const {ids, arrow} of this.#outside) {
      const id = this.#hiddenOf(ids);
      arrow.hidden = id < 0;
      if (id < 0) continue;
      const place = camera.screenOf(this.#points, id);
      const dx = place[0] - x;
      const dy = place[1] - y;
      const across = (dx > 0 ? camera.width - x : x - camera.left) - EDGE;
      // The upper one of two pictures on a phone has no tools.
      const isLow = dy > 0 && camera.height > TWO_HIGH;
      const along = y - (isLow ? ABOVE_TOOLS : EDGE);
      const share = Math.min(
          across / Math.max(1e-9, Math.abs(dx)),
          along / Math.max(1e-9, Math.abs(dy)), 1);
      const turn = Math.atan2(dy, dx);
      arrow.style.transform = `translate(${x + share * dx}px,${
          y + share * dy}px) rotate(${turn}rad)`;
      const name = this.#shared.look.text(id).slice(0, 60);
      const rest = ids.length > 1 ? ` and ${ids.length - 1} more` : '';
      const label = `Outside the view: ${name}${rest}`;
      if (arrow.title === label) continue;
      arrow.title = label;
      arrow.setAttribute('aria-label', label);
    }
  }

  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const {marks, look} = this.#shared;
    this.#placeHeat();
    this.#renderer.draw(this.camera);
    this.#overlay.draw(
        this.camera, this.#points, marks, look, this.#colors, this.lasso);
    this.#placeArrows();
  }

  // Call this after every change of the camera.
  moved() {
    this.redraw();
    clearTimeout(this.#settling);
    this.#settling = window.setTimeout(() => {
      this.relabel();
      this.onSettled();
    }, SETTLED);
  }

  zoomBy(factor: number) {
    this.land();
    this.camera.zoomAt(this.camera.centerX, this.camera.centerY, factor);
    this.moved();
  }

  fit() {
    this.land();
    this.camera.fit();
    this.moved();
  }

  // Ends a flight where it is.
  land() {
    cancelAnimationFrame(this.#flight);
    this.#flight = 0;
    if (this.#points !== this.#picture.points) this.#showPoints();
  }

  #showPoints(points = this.#picture.points) {
    this.#points = points;
    this.#renderer.setPoints(points);
  }

  // Calls step with a fraction that grows to 1, at once if the reader prefers
  // no motion.
  #animate(duration: number, step: (share: number) => void) {
    const start = performance.now();
    const next = (now: number) => {
      const share =
          prefersStillness() ? 1 : Math.min(1, (now - start) / duration);
      this.#flight = share < 1 ? requestAnimationFrame(next) : 0;
      step(1 - (1 - Math.max(0, share)) ** 3);
      this.moved();
    };
    next(start);
  }

  // The zoom at which most of these words are around a word on the screen. The
  // present zoom, if it shows them well enough; or `otherwise`, without words.
  zoomAround(id: number, others: number[], otherwise: number) {
    const {camera} = this;
    const {points} = this.#picture;
    const distances =
        Float32Array.from(others, (other) => distance(points, id, other));
    const far = distances.sort()[Math.floor(MOST * (others.length - 1))];
    const room = 0.4 * Math.min(camera.width - camera.left, camera.height);
    const zoom = far > 0 ?
        clamp(room / far / camera.fitScale, 1, camera.mostZoom) :
        otherwise;
    return camera.zoom <= zoom && camera.zoom >= zoom / 2 ? camera.zoom : zoom;
  }

  flyTo(id: number, zoom = this.camera.zoom) {
    if (id < 0) return;
    this.land();
    const {camera} = this;
    const {points} = this.#picture;
    const from = camera.view;
    const to = {x: points[2 * id], y: points[2 * id + 1], zoom};
    this.#animate(FLIGHT, (share) => camera.moveBetween(from, to, share));
  }

  // Shows other positions of the same points, which fly to them. At first, the
  // old ones are moved into the units of the new picture, where they have the
  // same places on the screen.
  setPicture(picture: Picture) {
    this.land();
    const {camera} = this;
    const center = camera.fitCenter;
    const unit = camera.fitScale;
    const old = this.#picture.points;
    this.#picture = picture;
    camera.setBounds(robustBounds(picture.points), boundsOf(picture.points));
    const to = camera.fitCenter;
    const scale = unit / camera.fitScale;
    const from = old.map(
        (value, i) => i % 2 ? to.y + (value - center.y) * scale :
                              to.x + (value - center.x) * scale);
    camera.x = to.x + (camera.x - center.x) * scale;
    camera.y = to.y + (camera.y - center.y) * scale;
    const start = camera.view;
    const {focus} = this.#shared.marks;
    const end = focus < 0 || start.zoom <= 1 ? {...to, zoom: 1} : {
      x: picture.points[2 * focus],
      y: picture.points[2 * focus + 1],
      zoom: start.zoom,
    };
    this.#overlay.setPicture(picture);
    this.#updatePlaces();
    const points = new Float32Array(from.length);
    this.#animate(TRANSITION, (share) => {
      const rest = 1 - share;
      for (let i = 0; i < points.length; ++i) {
        points[i] = rest * from[i] + share * picture.points[i];
      }
      camera.moveBetween(start, end, share);
      this.#showPoints(share < 1 ? points : picture.points);
    });
  }

  isOnScreen(id: number, margin = 30) {
    const [x, y] = this.camera.screenOf(this.#picture.points, id);
    return x > margin && y > margin && x < this.camera.width - margin &&
        y < this.camera.height - margin;
  }

  // The word at a pixel, or -1.
  wordAt(px: number, py: number) {
    const {camera} = this;
    return nearest(
        this.#picture.points, this.#shared.look.visible, camera.mapX(px),
        camera.mapY(py), REACH / camera.scale);
  }

  // The words nearest to a word in this picture.
  nearby(id: number, k: number) {
    return nearestTo(this.#picture.points, this.#shared.look.visible, id, k);
  }

  // The next word from `id`, or from the middle, to the right (1, 0) or up
  // (0, 1).
  wordToward(id: number, dx: number, dy: number) {
    const {camera} = this;
    const {points} = this.#picture;
    const {visible} = this.#shared.look;
    if (id < 0) return nearest(points, visible, camera.x, camera.y, Infinity);
    return nearestToward(
        points, visible, points[2 * id], points[2 * id + 1], dx, dy,
        STEP / camera.scale);
  }

  // The words within a line around them, in pixels.
  wordsWithin(line: number[]) {
    const {camera} = this;
    const polygon =
        line.map((value, i) => i % 2 ? camera.mapY(value) : camera.mapX(value));
    return within(this.#picture.points, this.#shared.look.visible, polygon);
  }

  wordsOnScreen() {
    const {width, height} = this.camera;
    return this.wordsWithin([0, 0, width, 0, width, height, 0, height]);
  }

  // What is on the screen, for files: the visible points, most frequent first,
  // the labels, and the canvases in the order in which they are drawn.
  get content() {
    this.land();
    this.#draw();
    const {offsetLeft, offsetTop, clientLeft, clientTop} = this.#host;
    return {
      x: offsetLeft + clientLeft,
      y: offsetTop + clientTop,
      camera: this.camera,
      points: this.#picture.points,
      ids: this.wordsOnScreen(),
      texts: this.#overlay.texts(
          this.camera, this.#shared.marks, this.#shared.look),
      canvases: [...this.#host.querySelectorAll('canvas')],
    };
  }

  // For a scene that is closed.
  remove() {
    this.land();
    this.#open.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settling);
    const at = this.#shared.scenes.indexOf(this);
    if (at >= 0) this.#shared.scenes.splice(at, 1);
    this.#host.remove();
  }
}
