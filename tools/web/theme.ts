// Light or dark: as the system says, unless the reader chose. The choice is
// kept where the browser lets a page keep something.

import {kept} from './state';

export type Theme = 'light'|'dark';

const KEY = 'firth-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function theme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

function show(shown: Theme) {
  document.documentElement.dataset.theme = shown;
  document.dispatchEvent(new Event('themechange'));
}

let isChosen = false;

export function switchTheme() {
  const next = theme() === 'dark' ? 'light' : 'dark';
  isChosen = true;
  kept(KEY, next);
  show(next);
}

export function startTheme() {
  const chosen = kept(KEY);
  const ofSystem = () => dark.matches ? 'dark' : 'light';
  isChosen = chosen === 'light' || chosen === 'dark';
  show(isChosen ? chosen as Theme : ofSystem());
  dark.addEventListener('change', () => isChosen || show(ofSystem()));
}

// The value of a color of the style, such as "--accent".
export function color(name: string): string {
  return getComputedStyle(document.documentElement)
      .getPropertyValue(name)
      .trim();
}

export function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
