// Which labels are drawn where: greedily, the most frequent words first, each
// where it covers no other. What a label covers is marked in a grid of cells,
// so that a label costs its own cells however many there are. The choice
// depends on places relative to one another only, so labels stay while the map
// is moved, and more come as it is enlarged.

export interface Label {
  id: number;
  text: string;
  x: number;  // of the text's left end
  y: number;  // of its middle
  width: number;
}

const CELL = 6;

export class Occupied {
  private readonly columns: number;
  private readonly rows: number;
  private readonly cells: Uint8Array;

  // Labels may hang over the border by `outside` pixels.
  constructor(
      private readonly width: number, private readonly height: number,
      private readonly outside = 0) {
    this.columns = Math.ceil((width + 2 * outside) / CELL) + 1;
    this.rows = Math.ceil((height + 2 * outside) / CELL) + 1;
    this.cells = new Uint8Array(this.columns * this.rows);
  }

  // Marks the box and returns true where it is free and inside.
  take(x: number, y: number, width: number, height: number): boolean {
    const left = Math.floor((x + this.outside) / CELL);
    const top = Math.floor((y + this.outside) / CELL);
    const right = Math.floor((x + width + this.outside) / CELL);
    const bottom = Math.floor((y + height + this.outside) / CELL);
    const isInside = left >= 0 && top >= 0 &&
        x + width <= this.width + this.outside &&
        y + height <= this.height + this.outside;
    if (!isInside) return false;
    for (let row = top; row <= bottom; ++row) {
      const start = row * this.columns;
      for (let i = start + left; i <= start + right; ++i) {
        if (this.cells[i]) return false;
      }
    }
    for (let row = top; row <= bottom; ++row) {
      const start = row * this.columns;
      this.cells.fill(1, start + left, start + right + 1);
    }
    return true;
  }
}

export interface LabelRequest {
  count: number;
  // Where point i is on the screen; null where it is not to be labelled.
  place: (id: number) => readonly[number, number] | null;
  text: (id: number) => string;
  measure: (text: string) => number;  // pixels
  height: number;                     // of a line, pixels
  gap: number;                        // from the point to its label, pixels
  most: number;                       // labels
}

// Of the points 0, 1, ... in turn: a label stands to the right of its point, or
// to the left where that is taken. Gives up after many that found no place.
export function placeLabels(wanted: LabelRequest, occupied: Occupied) {
  const labels: Label[] = [];
  let tries = 12 * wanted.most;
  for (let id = 0; id < wanted.count; ++id) {
    const place = wanted.place(id);
    if (!place) continue;
    if (labels.length === wanted.most || --tries < 0) break;
    const text = wanted.text(id);
    const width = wanted.measure(text);
    const [px, y] = place;
    const {gap, height} = wanted;
    const isFree = (left: number) =>
        occupied.take(left, y - height / 2, width + gap + 6, height);
    if (isFree(px - 2)) {
      labels.push({id, text, x: px + gap, y, width});
    } else if (isFree(px - gap - width - 4)) {
      labels.push({id, text, x: px - gap - width, y, width});
    }
  }
  return labels;
}
