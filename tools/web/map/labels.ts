// Which labels are drawn where. Labels are placed greedily in the order of the
// request, each to the right of its point, or to the left, above or below,
// where it covers no other label, no other dot and no reserved box. Labels that
// matter may also be at a corner of their dots, or farther away. Where dots are
// so dense that no place is free of them, some labels cover dots.

// Of the labels of words, 13 pixels high.
export const SANS = 'system-ui, sans-serif';
export const SERIF = '\'Iowan Old Style\', Charter, Georgia, serif';
export const WORD_FONT = `13px ${SERIF}`;

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function overlaps(a: Box, b: Box) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
      b.y < a.y + a.height;
}

// The boxes of labels and controls on a screen of this size. There are a few
// hundred, so each new box is compared with all of them.
export class Occupied {
  readonly #boxes: Box[] = [];

  constructor(readonly width: number, readonly height: number) {}

  isFree(box: Box) {
    return box.x >= 0 && box.y >= 0 && box.x + box.width <= this.width &&
        box.y + box.height <= this.height &&
        !this.#boxes.some((other) => overlaps(box, other));
  }

  mark(box: Box) {
    this.#boxes.push(box);
  }
}

const BUCKET = 16;

// The dots on the screen, in buckets of the place where they are. `place` holds
// x and y of each in pixels; dots without a radius, or outside, are left out.
export class Dots {
  readonly #columns: number;
  readonly #rows: number;
  readonly #starts: Uint32Array;  // of each bucket in `ids`
  readonly #ids: Uint32Array;
  #widest = 0;

  constructor(
      readonly place: Float32Array, readonly radii: Float32Array, width: number,
      height: number) {
    this.#columns = Math.ceil(width / BUCKET) + 1;
    this.#rows = Math.ceil(height / BUCKET) + 1;
    this.#starts = new Uint32Array(this.#columns * this.#rows + 1);
    const buckets = new Int32Array(radii.length).fill(-1);
    for (let id = 0; id < radii.length; ++id) {
      const column = Math.floor(place[2 * id] / BUCKET);
      const row = Math.floor(place[2 * id + 1] / BUCKET);
      const isOutside =
          column < 0 || row < 0 || column >= this.#columns || row >= this.#rows;
      if (isOutside || !radii[id]) continue;
      buckets[id] = row * this.#columns + column;
      ++this.#starts[buckets[id] + 1];
      this.#widest = Math.max(this.#widest, radii[id]);
    }
    for (let i = 1; i < this.#starts.length; ++i) {
      this.#starts[i] += this.#starts[i - 1];
    }
    const next = this.#starts.slice();
    this.#ids = new Uint32Array(this.#starts[this.#starts.length - 1]);
    buckets.forEach((bucket, id) => {
      if (bucket >= 0) this.#ids[next[bucket]++] = id;
    });
  }

  // The number of dots that the box touches, other than `own`; at most `most`.
  covered(box: Box, own: number, most: number) {
    const {place, radii} = this;
    const widest = this.#widest;
    const left = Math.max(0, Math.floor((box.x - widest) / BUCKET));
    const top = Math.max(0, Math.floor((box.y - widest) / BUCKET));
    const right = Math.min(
        this.#columns - 1, Math.floor((box.x + box.width + widest) / BUCKET));
    const bottom = Math.min(
        this.#rows - 1, Math.floor((box.y + box.height + widest) / BUCKET));
    let count = 0;
    for (let row = top; row <= bottom; ++row) {
      const end = this.#starts[row * this.#columns + right + 1];
      let i = this.#starts[row * this.#columns + left];
      for (; i < end && right >= left; ++i) {
        const id = this.#ids[i];
        const x = place[2 * id];
        const y = place[2 * id + 1];
        const dx = Math.max(box.x - x, 0, x - box.x - box.width);
        const dy = Math.max(box.y - y, 0, y - box.y - box.height);
        if (dx * dx + dy * dy >= radii[id] * radii[id] || id === own) continue;
        if (++count >= most) return count;
      }
    }
    return count;
  }
}

// Where a label is: right, left, above or below of its dot, at one of its four
// corners, and the same eight again for each STEP farther away.
export type Side = number;
const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1]];
const CORNERS = [[1, -1], [1, 1], [-1, -1], [-1, 1]];
const DIRECTIONS = [...SIDES, ...CORNERS];
const STEP = 14;  // pixels
const STEPS = 7;

export interface Label {
  id: number;
  text: string;
  side: Side;
  isOver: boolean;  // it covers dots
  dx: number;       // from the point to the left end of the text
  dy: number;       // and to its middle
  width: number;
}

// A label that is not at its dot, and needs a line to it.
export function isAway({side}: Label) {
  return side >= DIRECTIONS.length;
}

export interface LabelRequest {
  // Ids in the order in which they are to be labelled.
  order: Iterable<number>;
  // Labels of an earlier picture, which stay where they were if they can.
  kept: ReadonlyMap<number, Side>;
  text: (id: number) => string;
  measure: (text: string) => number;  // pixels
  height: number;                     // of a line, pixels
  gap: number;                        // from the dot to its label, pixels
  most: number;                       // labels
  mustPlace?: boolean;  // on the right or the left, if no side is free
  // Labels may be at corners and away from their dots, and each of them may
  // cover dots where they are dense, not one per part of the screen.
  matters?: boolean;
}

const PAD = 3;  // pixels that stay free around a label
// Dots, and dots per pixel of its width, that a label must cover before it may
// cover any.
const DENSE = 5;
const DENSITY = 0.1;

function offsetOf(
    side: Side, radius: number, width: number, {gap, height}: LabelRequest) {
  const [right, down] = DIRECTIONS[side % DIRECTIONS.length];
  const reach = radius + gap + STEP * Math.floor(side / DIRECTIONS.length);
  const out = right && down ? reach * Math.SQRT1_2 : reach;
  return {
    dx: right > 0 ? out :
        right < 0 ? -out - width :
                    -width / 2,
    dy: down && down * (out + height / 2),
  };
}

export function boxOf(label: Label, x: number, y: number, height: number) {
  return {
    x: x + label.dx,
    y: y + label.dy - height / 2,
    width: label.width,
    height,
  };
}

// Places the label of one point at the first side that is free, and marks it.
function placeLabel(
    id: number, dots: Dots, wanted: LabelRequest, occupied: Occupied,
    mayCover: boolean): Label|null {
  const x = dots.place[2 * id];
  const y = dots.place[2 * id + 1];
  const text = wanted.text(id);
  const width = wanted.measure(text);
  const at = (side: Side): Label => {
    const offset = offsetOf(side, dots.radii[id], width, wanted);
    return {id, text, width, side, isOver: false, ...offset};
  };
  const boxAt = (label: Label, pad: number) => {
    const box = boxOf(label, x, y, wanted.height);
    return {...box, x: box.x - pad, width: box.width + 2 * pad};
  };
  const first = wanted.kept.get(id);
  const count = wanted.matters ? STEPS * DIRECTIONS.length : SIDES.length;
  const sides = [...Array(count).keys()];
  // At another zoom, there may be a place that is nearer.
  const last = Math.min(count, DIRECTIONS.length);
  if (first !== undefined && first < last) sides.unshift(first);
  let best: Label|null = null;
  let fewest = Infinity;
  for (const side of sides) {
    const label = at(side);
    if (!occupied.isFree(boxAt(label, PAD))) continue;
    const covered = dots.covered(boxAt(label, 0), id, mayCover ? 99 : 1);
    if (covered < fewest) {
      fewest = covered;
      best = label;
    }
    if (!covered) break;
  }
  const isDense = mayCover && fewest >= Math.max(DENSE, DENSITY * width);
  if (!best || (fewest > 0 && !isDense)) {
    if (!wanted.mustPlace) return null;
    best = at(x + width + 20 < occupied.width ? 0 : 1);
    fewest = 1;
  }
  best.isOver = fewest > 0;
  occupied.mark(boxAt(best, PAD));
  return best;
}

// Labels where no dot is covered come first; then, in each block of the screen
// that has no label, one that covers the dots of a dense place. Gives up after
// many points that have no free side.
export function placeLabels(
    wanted: LabelRequest, dots: Dots, occupied: Occupied) {
  const labels: Label[] = [];
  const [BLOCK_X, BLOCK_Y] = [150, 72];
  const blockOf = (id: number) => wanted.matters ?
      id :
      1000 * Math.floor(dots.place[2 * id + 1] / BLOCK_Y) +
          Math.floor(dots.place[2 * id] / BLOCK_X);
  const firstOf = new Map<number, number>();
  const labelled = new Set<number>();
  let tries = 12 * wanted.most;
  for (const id of wanted.order) {
    if (labels.length === wanted.most || --tries < 0) break;
    const block = blockOf(id);
    if (!firstOf.has(block)) firstOf.set(block, id);
    const label = placeLabel(id, dots, wanted, occupied, false);
    if (!label) continue;
    labels.push(label);
    labelled.add(block);
  }
  for (const [block, id] of firstOf) {
    if (labelled.has(block)) continue;
    const label = placeLabel(id, dots, wanted, occupied, true);
    if (label) labels.push(label);
  }
  return labels;
}

// Visible ids in the order of labels: the most frequent of each region first,
// then `most` by frequency. `region` is the part of the map that a point is in.
export function labelOrder(
    ids: number[], region: (id: number) => number, most: number) {
  const seen = new Set<number>();
  const first = ids.filter((id) => {
    const at = region(id);
    return !seen.has(at) && seen.add(at);
  });
  return [...new Set([...first, ...ids.slice(0, most)])];
}
