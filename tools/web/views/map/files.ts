// The menu that saves what the map shows, and the contents of its files.

import {h} from '../../dom';
import {undirected} from '../../format';
import {Categories} from '../../map/coloring';
import {copy, csvOf, Drawing, flattened, pngOf, save, svgOf} from '../../map/export';
import {button} from '../../parts/fields';

import {MapWords} from './map_words';

type Rows = Array<Array<string|number>>;

export interface ExportHandlers {
  drawing: () => Drawing;
  rows: () => Promise<Rows>;  // of the words on the screen
  noteState: () => void;      // brings the address up to date
}

export function exportMenu(
    noun: string, {drawing, rows, noteState}: ExportHandlers) {
  const saveTable = async () =>
      save(csvOf(await rows()), 'text/csv', 'map.csv');
  const copyAddress = () => {
    noteState();
    copy(location.href, 'Address');
  };
  const menu =
      h('details.menu', h('summary', 'Export'),
        h('div.menu-items', button('Picture (PNG)', () => savePng(drawing())),
          button('Picture (SVG)', () => saveSvg(drawing())),
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
    all: MapWords, points: Float32Array, clusters: Categories,
    ids: number[]): Promise<Rows> {
  const {source, model, map, noun, isText, hasCounts} = all;
  const {words, counts, columns} = map;
  const values =
      await Promise.all(columns.map(({name}) => source.column(model, name)));
  const cells = (id: number) => columns.map((column, i) => {
    const value = values[i][id];
    return column.type === 'continuous' ? value : column.values[value] ?? '';
  });
  const order = isText ? 'line' : hasCounts ? 'count' : 'rank';
  return [
    [noun, order, 'x', 'y', 'cluster', ...columns.map(({name}) => name)],
    ...ids.map(
        (id) =>
            [words[id],
             // 0 is a count that is not known.
             order === 'count' ? counts[id] || NaN : id + 1, points[2 * id],
             points[2 * id + 1],
             undirected(clusters.groups[clusters.of[id]].name), ...cells(id)]),
  ];
}

function savePng(drawing: Drawing) {
  pngOf(drawing).toBlob((blob) => blob && save(blob, 'image/png', 'map.png'));
}

function saveSvg(drawing: Drawing) {
  const picture = svgOf(drawing, (panel) => {
    // Of the labels, SVG has its own.
    const canvases =
        panel.canvases.filter((canvas) => canvas.classList.contains('points'));
    return flattened({...panel, canvases}, drawing.colors.paper).toDataURL();
  });
  save(picture, 'image/svg+xml', 'map.svg');
}
