// Numbers and words as people read them.

function isNumber(value: number|null): value is number {
  return Number.isFinite(value);
}

export function thousands(value: number): string {
  // A thin space groups the digits alike in every language.
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

// A value of a legend: few digits, and a minus as wide as a plus. Years have no
// separator.
export function shortNumber(value: number): string {
  if (!isNumber(value)) return '–';
  const size = Math.abs(value);
  const text = size >= 1e4 ? thousands(size) :
      size >= 100          ? String(Math.round(size)) :
                             String(Number(size.toPrecision(2)));
  return value < 0 ? `\u2212${text}` : text;
}

// Numbers that are none are a dash.
export function score(value: number|null): string {
  if (!isNumber(value)) return '–';
  // A minus as wide as a plus.
  return value.toFixed(3).replace('-', '\u2212');
}

export function percent(share: number|null): string {
  if (!isNumber(share)) return '–';
  return `${(100 * share).toFixed(1)}\u202f%`;
}

// A p-value is never 0.
export function pValue(p: number): string {
  if (!isNumber(p)) return '–';
  return p < 0.0001 ? 'less than 0.0001' : p.toFixed(4);
}

export function duration(seconds: number): string {
  if (!isNumber(seconds) || seconds < 0) return '–';
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
}

// The first letters of a word that is too long to be read out or drawn.
export function cut(word: string, most: number): string {
  if (word.length <= most) return word;
  // No letter is more than two units of UTF-16.
  const letters = Array.from(word.slice(0, 2 * most + 2));
  return letters.length > most ? `${letters.slice(0, most).join('')}…` : word;
}

// Without the control characters that change the direction of other text.
export function undirected(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

// Letters, and the first half of those beyond the basic plane.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufefc\ud802\ud803\ud83a\ud83b]/;

// A word next to others in one text, which does not change their order even if
// it is written from right to left.
export function isolated(word: string): string {
  const plain = undirected(word);
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

// "1 word", "20 words".
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? '' : 's'}`;
}
