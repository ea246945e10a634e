// Which points are at, beside or within a place. All points are looked at every
// time: 100,000 take a third of a millisecond, which no index is worth.

// The point nearest to (x, y), within `reach`; -1 where there is none.
export function nearest(
    points: Float32Array, x: number, y: number, reach: number) {
  let found = -1;
  let least = reach * reach;
  for (let id = 0, i = 0; i < points.length; ++id, i += 2) {
    const dx = points[i] - x;
    const dy = points[i + 1] - y;
    const distance = dx * dx + dy * dy;
    if (distance <= least) {
      least = distance;
      found = id;
    }
  }
  return found;
}

// The point nearest to (x, y) of those at least `step` away in the direction
// (dx, dy) of length 1, no more than 45 degrees off; -1 where there is none.
export function nearestToward(
    points: Float32Array, x: number, y: number, dx: number, dy: number,
    step: number) {
  let found = -1;
  let least = Infinity;
  for (let id = 0, i = 0; i < points.length; ++id, i += 2) {
    const px = points[i] - x;
    const py = points[i + 1] - y;
    const ahead = px * dx + py * dy;
    if (ahead < step) continue;
    const aside = px * dy - py * dx;
    if (Math.abs(aside) > ahead) continue;
    const distance = ahead * ahead + aside * aside;
    if (distance < least) {
      least = distance;
      found = id;
    }
  }
  return found;
}

// Whether the polygon (x and y in turn) holds the point: whether a ray from it
// crosses an odd number of edges.
export function isInside(polygon: number[], x: number, y: number) {
  let inside = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const yi = polygon[i + 1];
    const yj = polygon[j + 1];
    if ((yi > y) === (yj > y)) continue;
    const crossing =
        polygon[i] + (y - yi) / (yj - yi) * (polygon[j] - polygon[i]);
    if (x < crossing) inside = !inside;
  }
  return inside;
}

// Ids of the points within the polygon, in their order.
export function within(points: Float32Array, polygon: number[]): number[] {
  const found: number[] = [];
  if (polygon.length < 6) return found;
  const xs = polygon.filter((_, i) => i % 2 === 0);
  const ys = polygon.filter((_, i) => i % 2 === 1);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  for (let id = 0, i = 0; i < points.length; ++id, i += 2) {
    const x = points[i];
    const y = points[i + 1];
    if (x < x0 || x > x1 || y < y0 || y > y1) continue;
    if (isInside(polygon, x, y)) found.push(id);
  }
  return found;
}
