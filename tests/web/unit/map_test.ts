import assert from 'node:assert/strict';
import test from 'node:test';

import {boundsOf, Camera} from '../../../tools/web/map/camera';
import {Occupied, placeLabels} from '../../../tools/web/map/labels';
import {isInside, nearest, nearestToward, within} from '../../../tools/web/map/picking';

// A cross: middle, right, left, up, down.
const CROSS = Float32Array.from([0, 0, 2, 0, -3, 0, 0, 4, 0, -5]);

test('the nearest point within reach', () => {
  assert.equal(nearest(CROSS, 1.5, 0.2, 10), 1);
  assert.equal(nearest(CROSS, 1.5, 0.2, 0.1), -1);
  assert.equal(nearest(new Float32Array(0), 0, 0, 10), -1);
});

test('an arrow goes to the nearest point in its direction', () => {
  const from = (dx: number, dy: number) =>
      nearestToward(CROSS, 0, 0, dx, dy, 0.1);
  assert.deepEqual(
      [from(1, 0), from(-1, 0), from(0, 1), from(0, -1)], [1, 2, 3, 4]);
  assert.equal(nearestToward(CROSS, 0, 0, 1, 0, 2.5), -1);
  assert.equal(nearestToward(CROSS, 2, 0, 1, 0, 0.1), -1);
});

test('a polygon holds what is inside, also where it is hollow', () => {
  const u = [0, 0, 6, 0, 6, 6, 4, 6, 4, 2, 2, 2, 2, 6, 0, 6];
  assert(isInside(u, 1, 5));
  assert(isInside(u, 3, 1));
  assert(!isInside(u, 3, 5));
  assert(!isInside(u, 7, 1));
  const points = Float32Array.from([1, 5, 3, 5, 5, 5, 9, 9]);
  assert.deepEqual(within(points, u), [0, 2]);
  assert.deepEqual(within(points, [0, 0, 9, 9]), []);
});

test('the whole map is in view, and what is under the pointer stays', () => {
  const camera = new Camera(boundsOf(CROSS));
  camera.width = 800;
  camera.height = 400;
  for (let i = 0; i < CROSS.length; i += 2) {
    const x = camera.screenX(CROSS[i]);
    const y = camera.screenY(CROSS[i + 1]);
    assert(x >= 0 && x <= 800 && y >= 0 && y <= 400);
  }
  const [x, y] = [camera.mapX(300), camera.mapY(150)];
  camera.zoomAt(300, 150, 1.7);
  assert(Math.abs(camera.screenX(x) - 300) < 1e-9);
  assert(Math.abs(camera.screenY(y) - 150) < 1e-9);
});

test('the map cannot be lost', () => {
  const camera = new Camera(boundsOf(CROSS));
  camera.pan(1e9, -1e9);
  assert(camera.x >= -3 && camera.x <= 2 && camera.y >= -5 && camera.y <= 4);
  camera.zoomAt(0, 0, 1e9);
  assert.equal(camera.zoom, 2000);
});

test('one point, or none, makes a map too', () => {
  for (const points of [new Float32Array(0), Float32Array.from([3, 3])]) {
    const camera = new Camera(boundsOf(points));
    camera.width = camera.height = 100;
    assert(Number.isFinite(camera.scale) && camera.scale > 0);
  }
});

test('no label covers another, and the frequent come first', () => {
  const places = Array.from(
      {length: 300},
      (_, i): [number, number] => [10 + i * 37 % 400, 20 + i * 91 % 260]);
  const labels = placeLabels(
      {
        count: places.length,
        place: (id) => places[id],
        text: (id) => `word ${id}`,
        measure: () => 50,
        height: 14,
        gap: 5,
        most: 100,
      },
      new Occupied(500, 300));
  assert(labels.length > 20 && labels.length <= 100);
  assert.equal(labels[0].id, 0);
  labels.forEach((a, i) => {
    for (const b of labels.slice(i + 1)) {
      assert(Math.abs(a.x - b.x) >= 50 || Math.abs(a.y - b.y) >= 14);
    }
  });
});

test('at the right border a label stands to the left of its point', () => {
  const labelAt = (x: number) => placeLabels(
      {
        count: 1,
        place: () => [x, 50],
        text: () => 'word',
        measure: () => 50,
        height: 14,
        gap: 5,
        most: 1,
      },
      new Occupied(200, 100));
  assert.equal(labelAt(100)[0].x, 105);
  assert.equal(labelAt(142)[0].x, 142 - 5 - 50);
  assert.equal(labelAt(197)[0].x, 197 - 5 - 50);
});
