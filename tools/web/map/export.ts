// Files of what the map shows: tables as CSV, and pictures as PNG or SVG.

import {announce, contextOf, h} from '../dom';

import {Camera} from './camera';
import {Coloring} from './coloring';
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

export interface Drawing {
  camera: Camera;
  points: Float32Array;
  ids: number[];  // visible, most frequent first
  look: Look;
  marked: number[];  // the focused word and its neighbors
  texts: DrawnText[];
  keys: Key[];
  colors: Omit<Colors, 'second'>;
}

// The legend's lines: groups that are switched on, or five steps of a quantity.
export function keysOf(
    coloring: Coloring, off: ReadonlySet<string>, isDark: boolean,
    format: (value: number) => string): Key[] {
  if (coloring.kind === 'categories') {
    return coloring.groups.filter(({key}) => !off.has(key))
        .map(({name, color}) => ({
               color: hexOf(groupColor(color)),
               text: name.slice(0, 60),
             }));
  }
  return coloring.ends.map(
      (end, i) => ({color: hexOf(ramp(i / 2, isDark)), text: format(end)}));
}

const SANS = 'system-ui, sans-serif';
const SERIF = 'Charter, Georgia, serif';

function svgText({text, x, y, kind}: DrawnText, colors: Drawing['colors']) {
  const fill = textColor(kind, colors);
  const size = kind === 'focus' ? 17 : 13;
  const weight = kind === 'word' || kind === 'near' ? 400 : 600;
  return `<text x="${x.toFixed(1)}" y="${(y + 0.35 * size).toFixed(1)}" ` +
      `font-family="${kind === 'region' ? SANS : SERIF}" font-size="${size}" ` +
      `font-weight="${weight}" fill="${fill}" stroke="${colors.paper}" ` +
      `stroke-width="3" paint-order="stroke">${escapeXml(text)}</text>`;
}

// The picture as a file of SVG, with circles and text.
// `image` draws the points as a picture, for maps of too many circles.
export function svgOf(drawing: Drawing, image: () => string): string {
  const {camera, points, ids, look, marked, texts, keys, colors} = drawing;
  const {width, height} = camera;
  const circle = (id: number, radius: number, fill: string) => {
    const [x, y] = camera.screenOf(points, id);
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${
        radius.toFixed(2)}" fill="${fill}"/>`;
  };
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${
        height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${colors.paper}"/>`,
  ];
  if (ids.length > MOST_CIRCLES) {
    parts.push(
        `<image width="${width}" height="${height}" href="${image()}"/>`);
  } else {
    const base = pointSize(camera.zoom, look.sizes.length) / 2;
    parts.push(`<g opacity="${
        pointOpacity(camera.zoom, look.sizes.length).toFixed(2)}">`);
    for (let i = ids.length - 1; i >= 0; --i) {
      const id = ids[i];
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
    const [x0, y0, x1, y1] = line.map((value) => value.toFixed(1));
    parts.push(
        `<path d="M${x0} ${y0}L${x1} ${y1}" stroke="${colors.accent}"/>`);
  }
  parts.push(...texts.map((text) => svgText(text, colors)));
  keys.forEach(({color, text}, i) => {
    const y = 20 + 20 * i;
    parts.push(
        `<circle cx="18" cy="${y}" r="6" fill="${color}" stroke="${
            colors.paper}" stroke-width="2"/>`,
        svgText({text, x: 32, y, kind: 'word'}, colors));
  });
  parts.push('</svg>\n');
  return parts.join('\n');
}

// The canvases over one another on paper, with the legend.
export function pngOf(
    canvases: HTMLCanvasElement[], {camera, keys, colors}: Drawing) {
  const ratio = canvases[canvases.length - 1].width / camera.width;
  const canvas = h('canvas', {
    width: Math.round(camera.width * ratio),
    height: Math.round(camera.height * ratio),
  });
  const context = contextOf(canvas);
  context.fillStyle = colors.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const layer of canvases) {
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
  context.globalAlpha = 1;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = `13px ${SANS}`;
  context.textBaseline = 'middle';
  keys.forEach(({color, text}, i) => {
    const y = 20 + 20 * i;
    context.beginPath();
    context.arc(18, y, 6, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    context.strokeStyle = colors.paper;
    context.lineWidth = 4;
    context.strokeText(text, 32, y);
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
