// What is drawn over the points: labels of words and regions, the focused word
// with lines to its neighbors, the selection, search results and the lasso.
//
// Labels are laid out when the map is enlarged, when it has moved by some
// pixels and when it comes to rest. Between two layouts they move with their
// points, and a layout keeps the labels that were visible.

import {contextOf} from '../dom';
import {cut, undirected} from '../format';
import {clamp} from '../numbers';
import {Cluster} from '../source/source';
import {color} from '../theme';

import {Camera} from './camera';
import {assignClusters, nameOf} from './coloring';
import {Box, boxOf, Dots, isAway, Label, labelOrder, LabelRequest, Occupied, overlaps, placeLabels, SANS, SERIF, Side, WORD_FONT} from './labels';
import {textColor} from './palette';
import {Line, lineBetween, Place} from './picking';
import {pointSize} from './renderer';

const FOCUS_FONT = `600 17px ${SERIF}`;
const REGION_FONT = `600 13px ${SANS}`;
const LINE = 15;
const GAP = 3;
const PIXELS_A_LABEL = 8500;
const PIXELS_A_LETTER = 20;  // of the screen, for each of a label
const MOVED = 48;            // pixels after which labels are laid out again
const FEW = 300;             // points that have thick rings
const MOST_RINGS = 3000;     // of the selection, and of search results
const FOCUS_RADIUS = 6.5;
const NEIGHBOR_RADIUS = 4;

export interface Marks {
  focus: number;  // -1: none
  hover: number;
  neighbors: number[];
  selected: ReadonlySet<number>;
  found: number[];  // results of a search
}

// What the points look like, and what is written next to them.
export interface Look {
  colors: Uint32Array;  // packed; 0 is not drawn
  visible: Uint8Array;
  sizes: Float32Array;
  text: (id: number) => string;
  longest: number;  // letters of a label
}

export interface Picture {
  points: Float32Array;
  clusters: Cluster[];
}

const COLORS = ['ink', 'muted', 'paper', 'accent', 'second'] as const;
export type Colors = Record<typeof COLORS[number], string>;

export function readColors() {
  return Object.fromEntries(COLORS.map((name) => [name, color(`--${name}`)])) as
      Colors;
}

// The level of regions that is named at this zoom, of levels 0 to `deepest`.
export function regionLevel(zoom: number, deepest: number) {
  const level = Math.floor(Math.log2(Math.max(zoom, 1)) / 1.5);
  return Math.min(level, deepest);
}

// A text of the picture with its place, for the page and for exported files.
export interface DrawnText {
  text: string;
  x: number;  // of its left end
  y: number;  // of its middle
  kind: 'word'|'near'|'focus'|'region';
  line?: Line;  // from its dot, if it is not next to it
}

const FONTS: Record<DrawnText['kind'], string> = {
  word: WORD_FONT,
  near: WORD_FONT,
  focus: FOCUS_FONT,
  region: REGION_FONT,
};

interface Layout {
  labels: Array<Label&{kind: DrawnText['kind']}>;
  regions: Array<{cluster: Cluster, text: string, width: number}>;
  zoom: number;
  x: number;
  y: number;
}

export class Overlay {
  readonly #context: CanvasRenderingContext2D;
  readonly #widths = new Map<string, number>();
  readonly #regions = new Map<number, Uint16Array>();
  #picture: Picture = {points: new Float32Array(0), clusters: []};
  #deepest = 0;
  #layout: Layout|null = null;
  #shown = new Map<number, Side>();  // labels of the last picture
  #place = new Float32Array(0);
  #radii = new Float32Array(0);

  constructor(
      canvas: HTMLCanvasElement, private readonly reserved: () => Box[]) {
    this.#context = contextOf(canvas);
  }

  setPicture(picture: Picture) {
    this.#picture = picture;
    this.#deepest =
        picture.clusters.reduce((most, c) => Math.max(most, c.level), 0);
    this.#regions.clear();
    this.#place = new Float32Array(picture.points.length);
    this.#radii = new Float32Array(picture.points.length / 2);
    this.forget();
  }

  // Labels are laid out afresh: what is drawn has changed.
  forget() {
    this.#layout = null;
    this.#shown.clear();
  }

  // Labels are laid out again, and those that are visible stay.
  refresh() {
    this.#layout = null;
  }

  resize(width: number, height: number, ratio: number) {
    this.#context.canvas.width = width;
    this.#context.canvas.height = height;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#layout = null;
  }

  // `points` may be on their way to another picture; labels would jump.
  draw(
      camera: Camera, points: Float32Array, marks: Marks, look: Look,
      colors: Colors, lasso: number[]) {
    const context = this.#context;
    context.clearRect(0, 0, camera.width, camera.height);
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    this.#drawMarks(camera, points, marks, look, colors);
    if (points === this.#picture.points) {
      const texts = this.texts(camera, marks, look);
      this.#lines(texts.flatMap(({line}) => line ? [line] : []), colors);
      for (const text of texts) this.#write(text, colors);
    }
    this.#drawLasso(lasso, colors);
  }

  // The labels as they are on the screen now.
  texts(camera: Camera, marks: Marks, look: Look): DrawnText[] {
    const layout = this.#upToDate(camera, marks, look);
    const boxes = this.reserved();
    const isShown = (box: Box, isFocus: boolean) => box.x >= 0 && box.y >= 0 &&
        box.x + box.width <= camera.width &&
        box.y + box.height <= camera.height &&
        (isFocus || !boxes.some((other) => overlaps(box, other)));
    const texts: DrawnText[] = [];
    for (const {cluster, text, width} of layout.regions) {
      const x = camera.screenX(cluster.x) - width / 2;
      const y = camera.screenY(cluster.y);
      const box = {x: x - 4, y: y - 10, width: width + 8, height: 20};
      if (isShown(box, false)) texts.push({text, x, y, kind: 'region'});
    }
    this.#shown.clear();
    for (const label of layout.labels) {
      const [x, y] = camera.screenOf(this.#picture.points, label.id);
      const isFocus = label.kind === 'focus';
      if (!isShown(boxOf(label, x, y, LINE), isFocus)) continue;
      this.#shown.set(label.id, label.side);
      const {text, width, dx, dy, kind} = label;
      const left = x + dx;
      const middle = y + dy;
      const end = [
        clamp(x, left, left + width),
        clamp(y, middle - LINE / 3, middle + LINE / 3),
      ] as const;
      const line = isAway(label) &&
          lineBetween([x, y], NEIGHBOR_RADIUS, end, 1, camera.width,
                      camera.height);
      texts.push({text, x: left, y: middle, kind, line: line || undefined});
    }
    return texts;
  }

  #upToDate(camera: Camera, marks: Marks, look: Look): Layout {
    const old = this.#layout;
    const {x, y, zoom, scale} = camera;
    const isFresh = old && old.zoom === zoom &&
        Math.abs(old.x - x) * scale < MOVED &&
        Math.abs(old.y - y) * scale < MOVED;
    if (old && isFresh) return old;
    // Farther away, the most frequent words must not give way to others.
    if (old && old.zoom > zoom) this.#shown.clear();
    this.#layout = {...this.#layOut(camera, marks, look), x, y, zoom};
    return this.#layout;
  }

  #layOut(camera: Camera, marks: Marks, look: Look) {
    const ids = this.#locate(camera, marks, look);
    const {width, height} = camera;
    const dots = new Dots(this.#place, this.#radii, width, height);
    const occupied = new Occupied(width, height);
    for (const box of this.reserved()) occupied.mark(box);
    const longest = Math.min(look.longest, width / PIXELS_A_LETTER);
    const labels: Layout['labels'] = [];
    const add =
        (order: Iterable<number>, kind: DrawnText['kind'], most: number) => {
          const request: LabelRequest = {
            order,
            kept: this.#shown,
            text: (id) => cut(
                undirected(look.text(id).slice(0, 200)).replace(/\s+/g, ' '),
                longest),
            measure: (text) => this.#measure(text, FONTS[kind]),
            height: kind === 'focus' ? LINE + 4 : LINE,
            gap: GAP,
            most,
            // The focused word always has its label.
            mustPlace: kind === 'focus',
            matters: kind === 'near',
          };
          for (const label of placeLabels(request, dots, occupied)) {
            labels.push({...label, kind});
          }
        };
    const special = new Set([marks.focus, ...marks.neighbors]);
    const isOnScreen = (id: number) => this.#radii[id] > 0;
    add([marks.focus].filter(isOnScreen), 'focus', 1);
    add(marks.neighbors.filter(isOnScreen), 'near', marks.neighbors.length);
    const regions = this.#layOutRegions(camera, dots, occupied);
    const others = ids.filter((id) => !special.has(id));
    const region = this.#regionOf(camera);
    const most = Math.round(width * height / PIXELS_A_LABEL);
    // A set keeps the first of the repeated ids.
    const order = new Set([
      ...others.filter((id) => this.#shown.has(id)),
      ...labelOrder(others, region, 20 * most),
    ]);
    add(order, 'word', most);
    return {labels, regions};
  }

  // Fills `place` and `radii` with what is on the screen; returns its ids.
  #locate(camera: Camera, marks: Marks, look: Look) {
    const {points} = this.#picture;
    const place = this.#place;
    const radii = this.#radii;
    const ids: number[] = [];
    const {scale} = camera;
    const left = camera.centerX - camera.x * scale;
    const top = camera.centerY + camera.y * scale;
    const base = pointSize(camera.zoom, radii.length) / 2;
    for (let id = 0; id < radii.length; ++id) {
      const x = left + points[2 * id] * scale;
      const y = top - points[2 * id + 1] * scale;
      const isOutside = x < 0 || y < 0 || x > camera.width || y > camera.height;
      radii[id] = isOutside || !look.visible[id] ? 0 : base * look.sizes[id];
      if (!radii[id]) continue;
      place[2 * id] = x;
      place[2 * id + 1] = y;
      ids.push(id);
    }
    for (const id of marks.neighbors) {
      if (radii[id]) radii[id] = Math.max(radii[id], NEIGHBOR_RADIUS);
    }
    if (radii[marks.focus]) radii[marks.focus] = FOCUS_RADIUS + 1.5;
    return ids;
  }

  // The region of the map that a point is in: its cluster at this zoom, or a
  // square where there are no clusters.
  #regionOf(camera: Camera): (id: number) => number {
    const {points, clusters} = this.#picture;
    const level = regionLevel(camera.zoom, this.#deepest);
    if (clusters.some((cluster) => cluster.level === level)) {
      let of = this.#regions.get(level);
      if (!of)
        this.#regions.set(level, of = assignClusters(points, clusters, level));
      const regions = of;
      return (id) => regions[id];
    }
    const side =
        160 / camera.fitScale / 2 ** Math.floor(Math.log2(camera.zoom));
    return (id) => 1e6 * Math.floor(points[2 * id] / side) +
        Math.floor(points[2 * id + 1] / side);
  }

  // A name that is far from every visible dot names nothing.
  #layOutRegions(camera: Camera, dots: Dots, occupied: Occupied) {
    const level = regionLevel(camera.zoom, this.#deepest);
    const regions: Layout['regions'] = [];
    for (const cluster of this.#picture.clusters) {
      if (cluster.level !== level) continue;
      const text = nameOf(cluster, 18);
      const width = this.#measure(text, REGION_FONT);
      const x = camera.screenX(cluster.x);
      const y = camera.screenY(cluster.y);
      const around = {x: x - 40, y: y - 40, width: 80, height: 80};
      if (!dots.covered(around, -1, 1)) continue;
      const box =
          {x: x - width / 2 - 6, y: y - 11, width: width + 12, height: 22};
      if (!occupied.isFree(box)) continue;
      occupied.mark(box);
      regions.push({cluster, text, width});
    }
    return regions;
  }

  #measure(text: string, font: string) {
    const key = `${font}\n${text}`;
    let width = this.#widths.get(key);
    if (width === undefined) {
      this.#context.font = font;
      width = this.#context.measureText(text).width;
      this.#widths.set(key, width);
    }
    return width;
  }

  // A rim of the background's color keeps text readable over points.
  #write({text, x, y, kind}: DrawnText, colors: Colors) {
    const context = this.#context;
    context.font = FONTS[kind];
    context.fillStyle = textColor(kind, colors);
    context.strokeStyle = colors.paper;
    context.lineWidth = kind === 'region' ? 5 : 3;
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }

  #dot(place: Place, radius: number, style: string) {
    this.#context.fillStyle = style;
    this.#context.beginPath();
    this.#context.arc(place[0], place[1], radius, 0, 2 * Math.PI);
    this.#context.fill();
  }

  #rings(
      camera: Camera, points: Float32Array, ids: Iterable<number>, look: Look,
      style: string, width: number) {
    const context = this.#context;
    const base = pointSize(camera.zoom, look.sizes.length) / 2;
    context.strokeStyle = style;
    context.lineWidth = width;
    context.beginPath();
    let left = MOST_RINGS;
    for (const id of ids) {
      const [x, y] = camera.screenOf(points, id);
      const isOutside =
          x < -9 || y < -9 || x > camera.width + 9 || y > camera.height + 9;
      if (isOutside || !look.visible[id]) continue;
      if (--left < 0) break;
      const radius = base * look.sizes[id] + width / 2;
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.stroke();
  }

  #drawMarks(
      camera: Camera, points: Float32Array, marks: Marks, look: Look,
      colors: Colors) {
    // Thin rings let the colors of many points be seen.
    const width = (count: number) => count > FEW ? 0.75 : 2;
    const {selected, found} = marks;
    this.#rings(
        camera, points, selected, look, colors.second, width(selected.size));
    this.#rings(camera, points, found, look, colors.ink, width(found.length));
    if (marks.focus >= 0 && look.visible[marks.focus]) {
      const from = camera.screenOf(points, marks.focus);
      const neighbors = marks.neighbors.filter((id) => look.visible[id])
                            .map((id) => camera.screenOf(points, id));
      const lines = neighbors.map(
          (to) => lineBetween(
              from, FOCUS_RADIUS + 1.5, to, NEIGHBOR_RADIUS, camera.width,
              camera.height));
      this.#lines(lines.flatMap((line) => line ? [line] : []), colors);
      for (const to of neighbors) this.#dot(to, NEIGHBOR_RADIUS, colors.accent);
      this.#dot(from, FOCUS_RADIUS + 1.5, colors.paper);
      this.#dot(from, FOCUS_RADIUS, colors.accent);
    }
    if (marks.hover >= 0 && marks.hover !== marks.focus) {
      this.#rings(camera, points, [marks.hover], look, colors.ink, 2.5);
    }
  }

  #lines(lines: Line[], colors: Colors) {
    const context = this.#context;
    context.strokeStyle = colors.accent;
    context.globalAlpha = 0.45;
    context.lineWidth = 1;
    context.beginPath();
    for (const [x0, y0, x1, y1] of lines) {
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  #drawLasso(lasso: number[], colors: Colors) {
    if (lasso.length < 4) return;
    const context = this.#context;
    context.beginPath();
    context.moveTo(lasso[0], lasso[1]);
    for (let i = 2; i < lasso.length; i += 2) {
      context.lineTo(lasso[i], lasso[i + 1]);
    }
    context.closePath();
    context.globalAlpha = 0.12;
    context.fillStyle = colors.second;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = colors.second;
    context.lineWidth = 1.5;
    context.setLineDash([5, 4]);
    context.stroke();
    context.setLineDash([]);
  }
}
