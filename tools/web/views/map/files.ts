// The menu that saves what the map shows, and the contents of its files.

import {h} from '../../dom';
import {Categories} from '../../map/coloring';
import {Drawing, pngOf, save, svgOf} from '../../map/export';
import {button} from '../../parts/fields';
import {Source, WordMap} from '../../source/source';

export interface ExportHandlers {
  png: () => void;
  svg: () => void;
  table: () => void;
  address: () => void;
}

export function exportMenu(noun: string, handlers: ExportHandlers) {
  const menu =
      h('details.menu', {}, h('summary', {}, 'Export'),
        h('div.menu-items', {}, button('Picture (PNG)', handlers.png),
          button('Picture (SVG)', handlers.svg),
          button(`Table of visible ${noun}s (CSV)`, handlers.table),
          button('Copy the address', handlers.address)));
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
  return menu;
}

// A table of words with their positions, clusters and columns.
export async function rowsOf(
    source: Source, model: string, map: WordMap, points: Float32Array,
    clusters: Categories, noun: string, ids: number[]) {
  const {words, counts, columns} = map;
  const values =
      await Promise.all(columns.map(({name}) => source.column(model, name)));
  const cells = (id: number) => columns.map((column, i) => {
    const value = values[i][id];
    return column.type === 'continuous' ? value : column.values[value] ?? '';
  });
  return [
    [noun, 'count', 'x', 'y', 'cluster', ...columns.map(({name}) => name)],
    ...ids.map(
        (id) =>
            [words[id], counts[id], points[2 * id], points[2 * id + 1],
             clusters.groups[clusters.of[id]].name, ...cells(id)]),
  ];
}

export type Layers = Drawing&{canvases: HTMLCanvasElement[]};

export function savePng(layers: Layers) {
  pngOf(layers.canvases, layers)
      .toBlob((blob) => blob && save(blob, 'image/png', 'map.png'));
}

export function saveSvg(layers: Layers) {
  // Of the legend and the labels, SVG has its own.
  const dots =
      layers.canvases.filter((canvas) => canvas.classList.contains('points'));
  const image = () => pngOf(dots, {...layers, keys: []}).toDataURL();
  save(svgOf(layers, image), 'image/svg+xml', 'map.svg');
}
