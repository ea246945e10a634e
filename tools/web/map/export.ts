// Files of what the map shows: tables as CSV, and pictures as PNG or SVG.

import {announce, contextOf, h} from '../dom';

import {Camera} from './camera';
import {Coloring, endsOf} from './coloring';
import {SANS, SERIF, WORD_FONT} from './labels';
import {Colors, DrawnText, Look} from './overlay';
import {groupColor, hexOf, ramp, Rgb, textColor} from './palette';
import {pointOpacity, pointSize} from './renderer';

const MOST_CIRCLES = 20000;

// A field by RFC 4180. A text that a spreadsheet would take for a formula gets
// an apostrophe before it.
export function csvField(value: string|number): string {
  if (typeof value === 'number')
    return Number.isFinite(value) ? `${value}` : '';
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvOf(rows: Array<Array<string|number>>): string {
  return rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

export function save(content: string|Blob, type: string, name: string) {
  const file = content instanceof Blob ? content : new Blob([content], {type});
  const address = URL.createObjectURL(file);
  h('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Text that is safe within SVG. Characters that XML forbids are left out.
export function escapeXml(text: string) {
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, '')
      .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

// One line of the legend in a file: a color with its text.
export interface Key {
  color: string;
  text: string;
}

// One picture of a drawing.
export interface Panel {
  x: number;  // of its left end in the drawing
  y: number;  // of its upper end
  camera: Camera;
  points: Float32Array;
  ids: number[];  // visible, most frequent first
  texts: DrawnText[];
  canvases: HTMLCanvasElement[];
}

export interface Drawing {
  width: number;
  height: number;
  panels: Panel[];
  look: Look;
  marked: number[];  // the focused word and its neighbors
  keys: Key[];
  keyWidth: number;  // pixels of the longest text
  colors: Omit<Colors, 'second'>;
}

// The legend's lines: groups that are switched on, or five steps of a quantity.
export function keysOf(
    coloring: Coloring, off: ReadonlySet<string>, isDark: boolean): Key[] {
  if (coloring.kind === 'categories') {
    return coloring.groups.filter(({key}) => !off.has(key))
        .map(({name, color}) => ({
               color: hexOf(groupColor(color)),
               text: name.slice(0, 60),
             }));
  }
  return endsOf(coloring).map(
      (text, i) => ({color: hexOf(ramp(i / 2, isDark)), text}));
}

// A number of pixels.
const px = (value: number) => value.toFixed(1);

function svgText({text, x, y, kind}: DrawnText, colors: Drawing['colors']) {
  const fill = textColor(kind, colors);
  const size = kind === 'focus' ? 17 : 13;
  const weight = kind === 'word' || kind === 'near' ? 400 : 600;
  const family = kind === 'region' ? SANS : SERIF;
  return `<text x="${px(x)}" y="${px(y + 0.35 * size)}" ` +
      `font-family="${family}" font-size="${size}" ` +
      `font-weight="${weight}" fill="${fill}" stroke="${colors.paper}" ` +
      `stroke-width="3" paint-order="stroke">${escapeXml(text)}</text>`;
}

function svgRect(width: number, height: number, fill: string) {
  return `<rect width="${width}" height="${height}" fill="${fill}"/>`;
}

// A picture within a picture, which it does not leave.
function svgBox(
    x: number, y: number, width: number, height: number, parts: string[]) {
  const start =
      `<svg xmlns="http://www.w3.org/2000/svg" x="${x}" y="${y}" width="${
          width}" height="${height}" viewBox="0 0 ${width} ${height}">`;
  return [start, ...parts, '</svg>\n'].join('\n');
}

function svgPanel(
    panel: Panel, {look, marked, colors}: Drawing, image: string) {
  const {x, y, camera, points, ids, texts} = panel;
  const {width, height} = camera;
  const circle = (id: number, radius: number, fill: string) => {
    const [cx, cy] = camera.screenOf(points, id);
    return `<circle cx="${px(cx)}" cy="${px(cy)}" r="${
        radius.toFixed(2)}" fill="${fill}"/>`;
  };
  const parts = [svgRect(width, height, colors.paper)];
  if (image) {
    parts.push(`<image width="${width}" height="${height}" href="${image}"/>`);
  } else {
    const base = pointSize(camera.zoom, look.sizes.length) / 2;
    parts.push(`<g opacity="${
        pointOpacity(camera.zoom, look.sizes.length).toFixed(2)}">`);
    for (const id of ids.slice().reverse()) {
      const color = look.colors[id];
      const rgb: Rgb = [color & 255, color >> 8 & 255, color >> 16 & 255];
      parts.push(circle(id, base * look.sizes[id], hexOf(rgb)));
    }
    parts.push('</g>');
  }
  for (const id of marked) {
    if (look.visible[id]) parts.push(circle(id, 5, colors.accent));
  }
  for (const {line} of texts) {
    if (!line) continue;
    const [x0, y0, x1, y1] = line.map(px);
    parts.push(
        `<path d="M${x0} ${y0}L${x1} ${y1}" stroke="${colors.accent}"/>`);
  }
  parts.push(...texts.map((text) => svgText(text, colors)));
  return svgBox(x, y, width, height, parts);
}

// The size of the legend's paper.
function keyBox({keys, keyWidth}: Drawing): [number, number] {
  return [keyWidth + 40, 20 * keys.length + 20];
}

// The drawing as a file of SVG, with circles and text. A panel of too many
// circles has an image of its points.
export function svgOf(drawing: Drawing, imageOf: (panel: Panel) => string) {
  const {width, height, panels, keys, colors} = drawing;
  return svgBox(0, 0, width, height, [
    svgRect(width, height, colors.muted),
    ...panels.map((panel) => {
      const isLarge = panel.ids.length > MOST_CIRCLES;
      return svgPanel(panel, drawing, isLarge ? imageOf(panel) : '');
    }),
    ...keys.length ? [svgRect(...keyBox(drawing), colors.paper)] : [],
    ...keys.flatMap(({color, text}, i) => {
      const y = 20 + 20 * i;
      return [
        `<circle cx="18" cy="${y}" r="6" fill="${color}"/>`,
        svgText({text, x: 32, y, kind: 'word'}, colors),
      ];
    }),
  ]);
}

// A canvas of this many CSS pixels, each `ratio` pixels wide.
function canvasOf(width: number, height: number, ratio: number, fill: string) {
  const canvas = h('canvas', {
    width: Math.round(width * ratio),
    height: Math.round(height * ratio),
  });
  const context = contextOf(canvas);
  context.fillStyle = fill;
  context.fillRect(0, 0, canvas.width, canvas.height);
  return {canvas, context};
}

const ratioOf = ({canvases, camera}: Panel) =>
    canvases[canvases.length - 1].width / camera.width;

// The canvases of a panel over one another on paper.
export function flattened(panel: Panel, paper: string) {
  const {width, height} = panel.camera;
  const ratio = ratioOf(panel);
  const {canvas, context} = canvasOf(width, height, ratio, paper);
  for (const layer of panel.canvases) {
    if (layer.hidden) continue;
    // The layer of density is small and moved into its place.
    const moved = /matrix\(([^)]*)\)/.exec(layer.style.transform);
    const [a, , , d, e, f] =
        moved ? moved[1].split(',').map(Number) : [1, 0, 0, 1, 0, 0];
    const unit = moved ? ratio : 1;
    context.setTransform(a * unit, 0, 0, d * unit, e * unit, f * unit);
    context.globalAlpha = Number(layer.style.opacity || 1);
    context.drawImage(layer, 0, 0);
  }
  return canvas;
}

export function pngOf(drawing: Drawing) {
  const {width, height, panels, keys, colors} = drawing;
  const ratio = ratioOf(panels[0]);
  const {canvas, context} = canvasOf(width, height, ratio, colors.muted);
  for (const panel of panels) {
    context.drawImage(
        flattened(panel, colors.paper), panel.x * ratio, panel.y * ratio);
  }
  context.scale(ratio, ratio);
  context.fillStyle = colors.paper;
  if (keys.length) context.fillRect(0, 0, ...keyBox(drawing));
  context.font = WORD_FONT;
  context.textBaseline = 'middle';
  keys.forEach(({color, text}, i) => {
    const y = 20 + 20 * i;
    context.beginPath();
    context.arc(18, y, 6, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    context.fillStyle = colors.ink;
    context.fillText(text, 32, y);
  });
  return canvas;
}

// Copies the text, and announces "NAME copied".
export async function copy(text: string, name: string) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Older browsers, and pages that may not use the clipboard.
    const area = h('textarea.unseen');
    area.value = text;
    document.body.append(area);
    area.select();
    isCopied = document.execCommand('copy');
    area.remove();
  }
  announce(isCopied ? `${name} copied` : 'The browser does not allow copying.');
}
