// Light or dark: as the system says, unless the reader chose. The choice is
// kept where the browser lets a page keep something.

export type Theme = 'light'|'dark';

const KEY = 'firth-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function chosen(): Theme|null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

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
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // The choice holds for this visit.
  }
  show(next);
}

export function startTheme() {
  const kept = chosen();
  const ofSystem = () => dark.matches ? 'dark' : 'light';
  isChosen = kept !== null;
  show(kept || ofSystem());
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
