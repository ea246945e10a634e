// What the page shows is in its address, behind the #: the view, then what it
// was asked, as #neighbors?plus=king&plus=woman&minus=man. A link shows what
// its sender saw, and the browser's back works.

import {clamp} from './numbers';

export const VIEWS = [
  'map',
  'neighbors',
  'compare',
  'axes',
  'analogies',
  'context',
  'training',
] as const;

export type ViewName = typeof VIEWS[number];

// An address that names no view is the map's.
export function parseAddress(hash: string) {
  const text = hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const name = mark < 0 ? text : text.slice(0, mark);
  const view = VIEWS.find((candidate) => candidate === name) || 'map';
  const parameters = new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1));
  return {view, parameters};
}

// Of a view that has not been shown yet.
export const NO_PARAMETERS = new URLSearchParams();

export type Parameters = Record<string, string|number|string[]|null|undefined>;

// What another part of a view shows stays in the address.
export function keptOf(
    parameters: URLSearchParams, names: readonly string[]): Parameters {
  return Object.fromEntries(
      names.map((name) => [name, parameters.getAll(name)]));
}

// Parameters that are empty are left out.
export function formatAddress(view: ViewName, parameters: Parameters): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (one === null || one === undefined || one === '') continue;
      pairs.append(name, String(one));
    }
  }
  const query = pairs.toString();
  return query ? `#${view}?${query}` : `#${view}`;
}

// A parameter as a number within a range, or the default where it is none.
export function numberIn(
    parameters: URLSearchParams, name: string, least: number, most: number,
    otherwise: number): number {
  const text = parameters.get(name);
  const value = text === null || text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(value)) return otherwise;
  return clamp(value, least, most);
}

// Words that are typed into one field: between spaces, commas or line ends.
export function splitWords(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== '');
}

// Goes to the address as a step that the browser's back undoes.
export function go(address: string) {
  if (location.hash === address) return;
  location.hash = address;
}

// Returns what the browser keeps under a key, or null, and then puts `value`
// there if it is given. A page in a sandbox may not keep anything.
export function kept(key: string, value?: string): string|null {
  try {
    const old = localStorage.getItem(key);
    if (value) localStorage.setItem(key, value);
    return old;
  } catch {
    return null;
  }
}
