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
  const shown = document.documentElement.dataset.theme;
  if (shown === 'light' || shown === 'dark') return shown;
  return dark.matches ? 'dark' : 'light';
}

function tell() {
  document.dispatchEvent(new Event('themechange'));
}

export function switchTheme() {
  const next = theme() === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // The choice holds for this visit.
  }
  tell();
}

export function startTheme() {
  const kept = chosen();
  if (kept) document.documentElement.dataset.theme = kept;
  dark.addEventListener('change', tell);
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
