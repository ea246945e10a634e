// The menu that saves what the map shows, and the contents of its files.

import {h} from '../../dom';
import {Categories} from '../../map/coloring';
import {copy, csvOf, Drawing, pngOf, save, svgOf} from '../../map/export';
import {button} from '../../parts/fields';

import {MapWords} from './map_words';

type Rows = Array<Array<string|number>>;
type Layers = Drawing&{canvases: HTMLCanvasElement[]};

export interface ExportHandlers {
  layers: () => Layers;
  rows: () => Promise<Rows>;  // of the words on the screen
  noteState: () => void;      // brings the address up to date
}

export function exportMenu(
    noun: string, {layers, rows, noteState}: ExportHandlers) {
  const saveTable = async () =>
      save(csvOf(await rows()), 'text/csv', 'map.csv');
  const copyAddress = () => {
    noteState();
    copy(location.href, 'Address');
  };
  const menu =
      h('details.menu', h('summary', 'Export'),
        h('div.menu-items', button('Picture (PNG)', () => savePng(layers())),
          button('Picture (SVG)', () => saveSvg(layers())),
          button(`Table of visible ${noun}s (CSV)`, saveTable),
          button('Copy the address', copyAddress)));
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
  return menu;
}

// A table of words with their positions, clusters and columns.
export async function rowsOf(
    {source, model, map, noun}: MapWords, points: Float32Array,
    clusters: Categories, ids: number[]): Promise<Rows> {
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

function savePng(layers: Layers) {
  pngOf(layers.canvases, layers)
      .toBlob((blob) => blob && save(blob, 'image/png', 'map.png'));
}

function saveSvg(layers: Layers) {
  // Of the legend and the labels, SVG has its own.
  const dots =
      layers.canvases.filter((canvas) => canvas.classList.contains('points'));
  const image = () => pngOf(dots, {...layers, keys: []}).toDataURL();
  save(svgOf(layers, image), 'image/svg+xml', 'map.svg');
}
