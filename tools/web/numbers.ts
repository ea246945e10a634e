// Arithmetic of several parts of the page.

export function clamp(value: number, least: number, most: number) {
  return Math.min(most, Math.max(least, value));
}

// Of the ids 0 to count - 1, the k with the least values, least first. Ids
// whose value is NaN are left out.
export function smallest(
    count: number, k: number, valueOf: (id: number) => number) {
  const found: Array<{id: number, value: number}> = [];
  for (let id = 0; id < count; ++id) {
    const value = valueOf(id);
    if (Number.isNaN(value)) continue;
    if (found.length === k && !(value < found[k - 1].value)) continue;
    let at = found.length;
    while (at > 0 && found[at - 1].value > value) --at;
    found.splice(at, 0, {id, value});
    if (found.length > k) found.pop();
  }
  return found;
}
