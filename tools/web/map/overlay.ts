// What lies over the points: labels of words and regions, the focused word with
// lines to its neighbors, the words of the list, and the lasso.

import {contextOf} from '../dom';
import {cut} from '../format';
import {Cluster, WordMap} from '../source/source';
import {color} from '../theme';

import {Camera} from './camera';
import {Label, Occupied, placeLabels} from './labels';

const WORD_FONT = '13px "Iowan Old Style", Charter, Georgia, serif';
const FOCUS_FONT = '600 17px "Iowan Old Style", Charter, Georgia, serif';
const REGION_FONT = '600 13px system-ui, sans-serif';
const LINE = 15;
const LONGEST = 28;  // letters of a label
const PIXELS_A_LABEL = 8500;

export interface Marks {
  focus: number;  // -1: none
  hover: number;
  neighbors: number[];
  selected: ReadonlySet<number>;
  lasso: number[];  // x and y in turn, in pixels
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

export class Overlay {
  private readonly context: CanvasRenderingContext2D;
  private readonly widths = new Map<string, number>();
  private readonly deepest: number;

  constructor(canvas: HTMLCanvasElement, private readonly map: WordMap) {
    this.context = contextOf(canvas);
    this.deepest = map.clusters.reduce((most, c) => Math.max(most, c.level), 0);
  }

  resize(width: number, height: number, ratio: number) {
    this.context.canvas.width = width;
    this.context.canvas.height = height;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw(camera: Camera, marks: Marks, colors: Colors) {
    const {context} = this;
    context.clearRect(0, 0, camera.width, camera.height);
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    const occupied = new Occupied(camera.width, camera.height, 240);
    this.drawMarks(camera, marks, colors);
    const special = this.drawSpecialLabels(camera, marks, colors, occupied);
    this.drawRegions(camera, colors, occupied);
    this.drawLabels(camera, colors, occupied, special);
    this.drawLasso(marks, colors);
  }

  private placeOf(camera: Camera, id: number): [number, number] {
    const {points} = this.map;
    return [
      camera.screenX(points[2 * id]),
      camera.screenY(points[2 * id + 1]),
    ];
  }

  private measure(text: string, font: string) {
    const key = `${font}\n${text}`;
    let width = this.widths.get(key);
    if (width === undefined) {
      this.context.font = font;
      width = this.context.measureText(text).width;
      this.widths.set(key, width);
    }
    return width;
  }

  // A rim of the background's color keeps text readable over points.
  private write(text: string, x: number, y: number, colors: Colors, rim = 3) {
    this.context.strokeStyle = colors.paper;
    this.context.lineWidth = rim;
    this.context.strokeText(text, x, y);
    this.context.fillText(text, x, y);
  }

  private dot(place: [number, number], radius: number, style: string) {
    this.context.fillStyle = style;
    this.context.beginPath();
    this.context.arc(place[0], place[1], radius, 0, 2 * Math.PI);
    this.context.fill();
  }

  private drawMarks(camera: Camera, marks: Marks, colors: Colors) {
    const {context} = this;
    for (const id of marks.selected) {
      this.dot(this.placeOf(camera, id), 3.5, colors.second);
    }
    if (marks.focus >= 0) {
      const from = this.placeOf(camera, marks.focus);
      context.strokeStyle = colors.accent;
      context.globalAlpha = 0.4;
      context.lineWidth = 1;
      context.beginPath();
      for (const id of marks.neighbors) {
        context.moveTo(...from);
        context.lineTo(...this.placeOf(camera, id));
      }
      context.stroke();
      context.globalAlpha = 1;
      for (const id of marks.neighbors) {
        this.dot(this.placeOf(camera, id), 4, colors.accent);
      }
      this.dot(from, 8, colors.paper);
      this.dot(from, 6.5, colors.accent);
    }
    if (marks.hover >= 0 && marks.hover !== marks.focus) {
      this.dot(this.placeOf(camera, marks.hover), 5, colors.ink);
    }
  }

  // The focused word, the one under the pointer, and neighbors come first.
  private drawSpecialLabels(
      camera: Camera, marks: Marks, colors: Colors, occupied: Occupied) {
    const special = new Set<number>();
    const label = (id: number, font: string, style: string) => {
      if (id < 0 || special.has(id)) return;
      const [x, y] = this.placeOf(camera, id);
      const text = cut(this.map.words[id], LONGEST);
      const width = this.measure(text, font);
      special.add(id);
      // Near the right border, the label stands on the other side.
      const isAtBorder = x + 12 + width > camera.width;
      const left = isAtBorder ? x - 12 - width : x + 12;
      const isFree = occupied.take(left - 4, y - 10, width + 8, 20);
      if (!isFree && id !== marks.focus && id !== marks.hover) return;
      this.context.font = font;
      this.context.fillStyle = style;
      this.write(text, left, y, colors);
    };
    label(marks.focus, FOCUS_FONT, colors.accent);
    label(marks.hover, FOCUS_FONT, colors.ink);
    for (const id of marks.neighbors) label(id, WORD_FONT, colors.accent);
    return special;
  }

  private drawRegions(camera: Camera, colors: Colors, occupied: Occupied) {
    const level = regionLevel(camera.zoom, this.deepest);
    for (const cluster of this.map.clusters) {
      if (cluster.level !== level) continue;
      this.drawRegion(camera, cluster, colors, occupied);
    }
  }

  private drawRegion(
      camera: Camera, cluster: Cluster, colors: Colors, occupied: Occupied) {
    const text =
        cluster.words.slice(0, 3).map((word) => cut(word, 18)).join(' · ');
    const width = this.measure(text, REGION_FONT);
    const x = camera.screenX(cluster.x) - width / 2;
    const y = camera.screenY(cluster.y);
    // A name that is half outside the picture tells nothing.
    if (x < 4 || x + width > camera.width - 4) return;
    if (!occupied.take(x - 10, y - 13, width + 20, 26)) return;
    this.context.font = REGION_FONT;
    this.context.fillStyle = colors.muted;
    this.write(text, x, y, colors, 5);
  }

  private drawLabels(
      camera: Camera, colors: Colors, occupied: Occupied,
      special: ReadonlySet<number>) {
    const {words} = this.map;
    const most = Math.round(camera.width * camera.height / PIXELS_A_LABEL);
    const place = (id: number) => {
      const [x, y] = this.placeOf(camera, id);
      const isOutside =
          x < -200 || y < -20 || x > camera.width || y > camera.height + 20;
      return isOutside || special.has(id) ? null : [x, y] as const;
    };
    const labels: Label[] = placeLabels(
        {
          count: words.length,
          place,
          text: (id) => cut(words[id], LONGEST),
          measure: (text) => this.measure(text, WORD_FONT),
          height: LINE,
          gap: 5,
          most,
        },
        occupied);
    this.context.font = WORD_FONT;
    this.context.fillStyle = colors.ink;
    for (const {text, x, y} of labels) this.write(text, x, y, colors);
  }

  private drawLasso(marks: Marks, colors: Colors) {
    const {lasso} = marks;
    if (lasso.length < 4) return;
    const {context} = this;
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
