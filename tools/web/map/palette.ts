// Colors of points. Categories have ten colors that differ in lightness as well
// as in hue, so that readers without red or green cones distinguish them, and
// whose contrast with both the light and the dark paper is at least 3:1.
// Quantities have colors that grow steadily darker on light paper, and lighter
// on dark paper. The unit test computes all of this.

import {clamp} from '../numbers';

import {Colors, DrawnText} from './overlay';

export type Rgb = [number, number, number];  // 0 to 255

export function rgbOf(color: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(color.trim());
  if (!hex) return [128, 128, 128];
  const value = parseInt(hex[1], 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export function hexOf(rgb: Rgb) {
  const digits =
      rgb.map((part) => Math.round(part).toString(16).padStart(2, '0'));
  return `#${digits.join('')}`;
}

// A color as the word that holds its bytes in the order red, green, blue,
// opacity on a little-endian machine.
export function packed([red, green, blue]: Rgb) {
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

export const CATEGORIES: Rgb[] = [
  '#3873be', '#c88001', '#17a550', '#b22e82', '#0f9abb', '#eb5642', '#8779f6',
  '#706615', '#449d82', '#95534f'
].map(rgbOf);

// The rest of the categories, and points without a value.
export const OTHER = rgbOf('#80868b');

// The color of a group, of which -1 is the rest.
export function groupColor(color: number) {
  return color < 0 ? OTHER : CATEGORIES[color];
}

// The color of a label, in the colors of a theme.
export function textColor(
    kind: DrawnText['kind'], colors: Omit<Colors, 'second'>) {
  return kind === 'word' ? colors.ink :
      kind === 'region'  ? colors.muted :
                           colors.accent;
}

const LIGHT = ['#2b9d86', '#26828e', '#355f8d', '#443983', '#440154'];
const DARK = ['#3d6c97', '#21908c', '#35b779', '#90d743', '#fde725'];
const RAMPS = {
  light: LIGHT.map(rgbOf),
  dark: DARK.map(rgbOf),
};

// The color of a fraction from 0 (least) to 1 (greatest).
export function ramp(fraction: number, isDark: boolean): Rgb {
  const stops = isDark ? RAMPS.dark : RAMPS.light;
  const at = clamp(fraction, 0, 1) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  const mix = at - low;
  return stops[low].map((part, i) => part + mix * (stops[low + 1][i] - part)) as
      Rgb;
}

function linear(part: number) {
  const value = part / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

export function luminance([red, green, blue]: Rgb) {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

// The contrast ratio of WCAG 2, from 1 to 21.
export function contrast(a: Rgb, b: Rgb) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}
