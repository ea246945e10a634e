// Words that are spelled like an unknown one.

const MOST_EDITS = 2;
// Longer words are no slips of a hand, and cost too much to compare.
const LONGEST = 40;

// How many letters must be put in, left out, replaced or swapped with their
// neighbor to make b of a; more than `most` where it is not worth counting.
// (The optimal string alignment distance.)
export function edits(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({length: b.length + 1}, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const row = [i];
    for (let j = 1; j <= b.length; ++j) {
      const differs = Number(a[i - 1] !== b[j - 1]);
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + differs);
      const isSwap =
          i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    if (Math.min(...row) > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length];
}

// Up to k of the words, the fewest edits first; among equals the order stays,
// so that frequent words come first.
export function similarSpellings(word: string, words: string[], k: number) {
  if (word.length > LONGEST) return [];
  const found: Array<{word: string, distance: number}> = [];
  const lower = word.toLowerCase();
  for (const candidate of words) {
    const distance = edits(lower, candidate.toLowerCase(), MOST_EDITS);
    if (distance <= MOST_EDITS) found.push({word: candidate, distance});
  }
  found.sort((a, b) => a.distance - b.distance);
  return found.slice(0, k).map((entry) => entry.word);
}
