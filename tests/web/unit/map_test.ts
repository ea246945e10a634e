import assert from 'node:assert/strict';
import test from 'node:test';

import {boundsOf, Camera, robustBounds} from '../../../tools/web/map/camera';
import {Box, boxOf, Dots, isAway, Label, labelOrder, LabelRequest, Occupied, overlaps, placeLabels, Side} from '../../../tools/web/map/labels';
import {isInside, lineBetween, nearest, nearestTo, nearestToward, outliers, within} from '../../../tools/web/map/picking';

// A cross: middle, right, left, up, down.
const CROSS = Float32Array.from([0, 0, 2, 0, -3, 0, 0, 4, 0, -5]);
const ALL = new Uint8Array(5).fill(1);

// Numbers from 0 to 1, the same each time.
function randomNumbers(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function scattered(count: number, width: number, height: number, seed = 1) {
  const random = randomNumbers(seed);
  return Float32Array.from(
      {length: 2 * count}, (_, i) => random() * (i % 2 ? height : width));
}

test('the nearest point within reach', () => {
  assert.equal(nearest(CROSS, ALL, 1.5, 0.2, 10), 1);
  assert.equal(nearest(CROSS, ALL, 1.5, 0.2, 0.1), -1);
  assert.equal(nearest(new Float32Array(0), ALL, 0, 0, 10), -1);
});

test('points that are not visible are not found', () => {
  const visible = Uint8Array.from([1, 0, 1, 1, 1]);
  assert.equal(nearest(CROSS, visible, 1.5, 0.2, 10), 0);
  assert.equal(nearestToward(CROSS, visible, 0, 0, 1, 0, 0.1), -1);
  assert.deepEqual(nearestTo(CROSS, visible, 0, 2), [2, 3]);
  assert.deepEqual(
      within(CROSS, visible, [-9, -9, 9, -9, 9, 9, -9, 9]), [0, 2, 3, 4]);
});

test('the k nearest points of a point, nearest first', () => {
  assert.deepEqual(nearestTo(CROSS, ALL, 0, 3), [1, 2, 3]);
  assert.deepEqual(nearestTo(CROSS, ALL, 4, 9), [0, 1, 2, 3]);
});

test('an arrow goes to the nearest point in its direction', () => {
  const from = (dx: number, dy: number) =>
      nearestToward(CROSS, ALL, 0, 0, dx, dy, 0.1);
  assert.deepEqual(
      [from(1, 0), from(-1, 0), from(0, 1), from(0, -1)], [1, 2, 3, 4]);
  assert.equal(nearestToward(CROSS, ALL, 0, 0, 1, 0, 2.5), -1);
  assert.equal(nearestToward(CROSS, ALL, 2, 0, 1, 0, 0.1), -1);
});

test('a polygon holds what is inside, also where it is hollow', () => {
  const u = [0, 0, 6, 0, 6, 6, 4, 6, 4, 2, 2, 2, 2, 6, 0, 6];
  assert(isInside(u, 1, 5));
  assert(isInside(u, 3, 1));
  assert(!isInside(u, 3, 5));
  assert(!isInside(u, 7, 1));
  const points = Float32Array.from([1, 5, 3, 5, 5, 5, 9, 9]);
  assert.deepEqual(within(points, ALL, u), [0, 2]);
  assert.deepEqual(within(points, ALL, [0, 0, 9, 9]), []);
});

test('a line to a neighbor ends at the rims and at the border', () => {
  const round = (line: number[]|null) =>
      line && line.map((value) => Math.round(value));
  assert.deepEqual(
      round(lineBetween([10, 50], 5, [90, 50], 10, 100, 100)),
      [15, 50, 80, 50]);
  // The rims touch.
  assert.equal(lineBetween([10, 50], 5, [20, 50], 5, 100, 100), null);
  // The neighbor is outside, to the right and below.
  assert.deepEqual(
      round(lineBetween([50, 50], 0, [250, 50], 4, 100, 100)),
      [50, 50, 100, 50]);
  assert.deepEqual(
      round(lineBetween([50, 50], 0, [50, 350], 4, 100, 100)),
      [50, 50, 50, 100]);
  // Both are outside.
  assert.equal(lineBetween([-90, -9], 1, [90, -9], 1, 100, 100), null);
  assert.deepEqual(
      round(lineBetween([-50, 50], 1, [150, 50], 1, 100, 100)),
      [0, 50, 100, 50]);
});

test('two outliers do not stretch the fitted box', () => {
  const points = scattered(500, 10, 10);
  points.set([1000, 5], 0);
  points.set([5, -2000], 100);
  const box = robustBounds(points);
  assert(box.x0 >= 0 && box.x1 <= 12, `${box.x0} to ${box.x1}`);
  assert(box.y0 >= -2 && box.y1 <= 12, `${box.y0} to ${box.y1}`);
  const sectors = outliers(points, new Uint8Array(500).fill(1), box);
  const far = sectors.flat().filter((id) => id === 0 || id === 50);
  assert.equal(far.length, 2);
});

test('the fitted box holds 98 % of any cloud', () => {
  const random = randomNumbers(3);
  // Heavy tails: ratios of uniform numbers.
  const tails = Float32Array.from(
      {length: 4000}, () => (random() - 0.5) / (random() + 1e-3));
  for (const points of [scattered(3000, 5, 1), tails, CROSS]) {
    const box = robustBounds(points);
    let inside = 0;
    for (let i = 0; i < points.length; i += 2) {
      inside += Number(
          points[i] >= box.x0 && points[i] <= box.x1 &&
          points[i + 1] >= box.y0 && points[i + 1] <= box.y1);
    }
    assert(2 * inside / points.length >= 0.98);
  }
});

test('a cloud without outliers is shown whole', () => {
  const points = scattered(3000, 5, 1);
  assert.deepEqual(robustBounds(points), boundsOf(points));
});

test('outliers are listed by direction, the nearest first', () => {
  const points = Float32Array.from([0, 0, 9, 0, 5, 0, 0, 7, -8, -8]);
  const box = {x0: -1, y0: -1, x1: 1, y1: 1};
  assert.deepEqual(outliers(points, ALL, box), [[2, 1], [3], [4]]);
  const visible = Uint8Array.from([1, 1, 0, 1, 1]);
  assert.deepEqual(outliers(points, visible, box)[0], [1]);
});

test('the whole map is in view, and what is under the pointer stays', () => {
  const camera = new Camera(boundsOf(CROSS));
  camera.width = 800;
  camera.height = 400;
  camera.left = 200;
  for (let i = 0; i < CROSS.length; i += 2) {
    const x = camera.screenX(CROSS[i]);
    const y = camera.screenY(CROSS[i + 1]);
    assert(x >= 200 && x <= 800 && y >= 0 && y <= 400);
  }
  const [x, y] = [camera.mapX(300), camera.mapY(150)];
  camera.zoomAt(300, 150, 1.7);
  assert(Math.abs(camera.screenX(x) - 300) < 1e-9);
  assert(Math.abs(camera.screenY(y) - 150) < 1e-9);
});

test('the map cannot be lost, and can be moved to every point', () => {
  const all = boundsOf(CROSS);
  const camera = new Camera({x0: -1, y0: -1, x1: 1, y1: 1}, all);
  camera.width = camera.height = 300;
  camera.pan(1e9, -1e9);
  assert.deepEqual([camera.x, camera.y], [all.x0, all.y0]);
  camera.zoomAt(0, 0, 1e9);
  assert.equal(camera.zoom, 2000);
  camera.fit();
  camera.zoomAt(150, 150, 1e-9);
  for (let i = 0; i < CROSS.length; i += 2) {
    const y = camera.screenY(CROSS[i + 1]);
    assert(y >= 0 && y <= 300, 'all points are visible at the least zoom');
  }
});

test('one point, or none, makes a map too', () => {
  for (const points of [new Float32Array(0), Float32Array.from([3, 3])]) {
    const camera = new Camera(robustBounds(points), boundsOf(points));
    camera.width = camera.height = 100;
    assert(Number.isFinite(camera.scale) && camera.scale > 0);
  }
});

const HEIGHT = 14;

function labelsOf(
    place: Float32Array, radius: number, width: number, height: number,
    given: Partial<LabelRequest> = {}, reserved: Box[] = []) {
  const radii = new Float32Array(place.length / 2).fill(radius);
  const occupied = new Occupied(width, height);
  for (const box of reserved) occupied.mark(box);
  return placeLabels(
      {
        order: radii.keys(),
        kept: new Map<number, Side>(),
        text: (id) => `word ${id}`,
        measure: () => 50,
        height: HEIGHT,
        gap: 3,
        most: 100,
        ...given,
      },
      new Dots(place, radii, width, height), occupied);
}

const placed = (place: Float32Array, label: Label) =>
    boxOf(label, place[2 * label.id], place[2 * label.id + 1], HEIGHT);

function dotsUnder(place: Float32Array, radius: number, label: Label) {
  const box = placed(place, label);
  let count = 0;
  for (let id = 0; id < place.length / 2; ++id) {
    const x = place[2 * id];
    const y = place[2 * id + 1];
    const dx = Math.max(box.x - x, 0, x - box.x - box.width);
    const dy = Math.max(box.y - y, 0, y - box.y - box.height);
    count += Number(id !== label.id && Math.hypot(dx, dy) < radius);
  }
  return count;
}

test('no label covers another, a foreign dot, a button or the border', () => {
  const button = {x: 0, y: 300, width: 200, height: 60};
  for (const seed of [1, 2, 3]) {
    const place = scattered(60, 600, 360, seed);
    const labels = labelsOf(place, 3, 600, 360, {}, [button]);
    assert(labels.length > 20, `${labels.length} labels`);
    const boxes = labels.map((label) => placed(place, label));
    boxes.forEach((box, i) => {
      assert.equal(dotsUnder(place, 3, labels[i]), 0);
      assert(!overlaps(box, button));
      assert(box.x >= 0 && box.y >= 0);
      assert(box.x + box.width <= 600 && box.y + box.height <= 360);
      for (const other of boxes.slice(i + 1)) assert(!overlaps(box, other));
    });
  }
});

test('dots are covered only where no side is free of many', () => {
  const place = scattered(6000, 600, 360);
  const labels = labelsOf(place, 2, 600, 360);
  assert(labels.length >= 8, `${labels.length} labels`);
  for (const label of labels) {
    const count = dotsUnder(place, 2, label);
    assert(label.isOver ? count >= 5 : count === 0, `${count} dots`);
  }
});

test('a long label may cover dots only where they are dense', () => {
  // Three lines of dots, one dot per `step` pixels.
  const labelled = (step: number) => {
    const others: number[] = [];
    for (let x = step; x < 600; x += step) {
      for (const y of [35, 50, 65]) others.push(x, y);
    }
    const place = Float32Array.from([301, 50, ...others]);
    return labelsOf(place, 3, 600, 100, {order: [0], measure: () => 250})
        .length;
  };
  assert.equal(labelled(20), 0);
  assert.equal(labelled(5), 1);
});

test('a label takes the first free side: right, left, above, below', () => {
  const side = (x: number, y: number, others: number[][] = []) => {
    const place = Float32Array.from([x, y, ...others.flat()]);
    return labelsOf(place, 3, 200, 100, {order: [0]})[0]?.side;
  };
  assert.equal(side(100, 50), 0);
  assert.equal(side(180, 50), 1);
  const right = [120, 50];
  const left = [80, 50];
  const above = [100, 38];
  const below = [100, 62];
  assert.equal(side(100, 50, [right]), 1);
  assert.equal(side(100, 50, [right, left]), 2);
  assert.equal(side(100, 50, [right, left, above]), 3);
  assert.equal(side(100, 50, [right, left, above, below]), undefined);
});

test('a label that matters takes a corner, or a place farther away', () => {
  const label = (others: number[][], matters: boolean) => {
    const place = Float32Array.from([150, 100, ...others.flat()]);
    const [found] = labelsOf(place, 3, 300, 200, {order: [0], matters});
    if (found) assert.equal(dotsUnder(place, 3, found), 0);
    return found;
  };
  // Dots at the four sides leave the corners free.
  const sides = [[170, 100], [130, 100], [150, 88], [150, 112]];
  assert.equal(label(sides, false), undefined);
  const corner = label(sides, true);
  assert(!isAway(corner) && corner.dx && corner.dy, JSON.stringify(corner));
  // Rings of dots around it.
  const ring = (radius: number) => Array.from(
      {length: 16},
      (_, i) =>
          [150 + radius * Math.cos(Math.PI * i / 8),
           100 + radius * Math.sin(Math.PI * i / 8),
  ]);
  const away = label([...ring(14), ...ring(28)], true);
  assert(isAway(away));
  assert(Math.hypot(away.dx, away.dy) > 28, JSON.stringify(away));
});

test('each label that matters may cover dots where they are dense', () => {
  const place = scattered(6000, 600, 360);
  const order = Array.from({length: 10}, (_, i) => i);
  const count = (matters: boolean) =>
      labelsOf(
          place.map((value, i) => i < 20 ? 180 + value / 10 : value), 2, 600,
          360, {order, matters})
          .length;
  assert(count(false) <= 2, `${count(false)} labels`);
  assert.equal(count(true), 10);
});

test(
    'a corner is kept where labels matter, a place farther away is not', () => {
      const place = Float32Array.from([100, 50]);
      const side = (kept: Side, matters: boolean) =>
          labelsOf(place, 3, 200, 100, {kept: new Map([[0, kept]]), matters})[0]
              .side;
      assert.deepEqual([side(5, true), side(5, false)], [5, 0]);
      assert.deepEqual([side(11, true), side(11, false)], [0, 0]);
    });

test('a label that is kept stays on its side', () => {
  const place = Float32Array.from([100, 50]);
  const [label] = labelsOf(place, 3, 200, 100, {kept: new Map([[0, 3]])});
  assert.equal(label.side, 3);
});

test('the most frequent word of each region is labelled first', () => {
  const region = [0, 0, 1, 0, 2, 1];
  const order = [...labelOrder([0, 1, 2, 3, 4, 5], (id) => region[id], 5)];
  assert.deepEqual(order, [0, 2, 4, 1, 3]);
});
