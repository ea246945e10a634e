// The first visit: a word to begin with, and three sentences on what the map
// shows.

import {h} from '../../dom';
import {robustBounds} from '../../map/camera';
import {assignClusters} from '../../map/coloring';
import {distance} from '../../map/picking';
import {smallest} from '../../numbers';
import {button} from '../../parts/fields';
import {Cluster, Near} from '../../source/source';
import {kept} from '../../state';

const KEY = 'firth-map-explained';
// Ranks at which words are frequent and yet have content.
const FROM = 50;
const TO = 500;

// Returns true once per browser, or on each visit if it keeps nothing.
export function isFirstVisit(): boolean {
  return !kept(KEY, 'yes');
}

export function isTouch() {
  return matchMedia('(pointer: coarse)').matches;
}

// What counts against a similarity of 1: distances on the map in halves of its
// diagonal, and what is beyond MIDDLE on the way from its center to its border.
const APART = 3;
const OUTWARD = 0.5;
const MIDDLE = 0.5;
// What counts for a word: a cluster of average size or more, and each time that
// its rank doubles.
const LARGE = 0.1;
const RARE = 0.02;

const mean = (values: number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

// The id of a word to begin with: of the words of rank 50 to 500 that are made
// of letters, one whose nearest words are similar to it and close to it on the
// map. A large cluster, a place that is not at the border, and a rare word, as
// those that have content are, count for a little. Returns -1 if there are no
// words.
export function exampleOf(
    words: string[], points: Float32Array, clusters: Cluster[],
    nearbyOf: (id: number) => Near[], isText = false): number {
  const {x0, x1, y0, y1} = robustBounds(points);
  const wide = (x1 - x0) / 2 || 1;
  const high = (y1 - y0) / 2 || 1;
  const of = assignClusters(points, clusters);
  const counts = new Map<number, number>();
  of.forEach((center) => counts.set(center, (counts.get(center) || 0) + 1));
  const large = words.length / counts.size;
  const scoreOf = (id: number) => {
    // Numbers, names of files and single letters are poor examples.
    if (!isText && !/^\p{L}{4,}$/u.test(words[id])) return NaN;
    const near = nearbyOf(id);
    const [x, y] = [points[2 * id], points[2 * id + 1]];
    const apart = mean(near.map((other) => distance(points, id, other.id)));
    const similar = mean(near.map(({score}) => score)) || 0;
    const outward = Math.max(
        Math.abs(x - (x0 + x1) / 2) / wide, Math.abs(y - (y0 + y1) / 2) / high);
    const share = Math.min(1, (counts.get(of[id]) || 0) / large);
    return similar - APART * apart / Math.hypot(wide, high) -
        OUTWARD * Math.max(0, outward - MIDDLE) + LARGE * share +
        RARE * Math.log2(id + 1);
  };
  const from = Math.min(words.length, FROM) - 1;
  const [best] =
      smallest(Math.min(words.length, TO) - from, 1, (i) => -scoreOf(from + i));
  return best ? from + best.id : from;
}

export function explanation(noun: string) {
  const sentences = [
    `Each dot is a ${noun}, and ${noun}s of similar ${
        noun === 'text' ? 'content' : 'use'} are close to each other.`,
    'The legend explains the colors.',
    `${noun === 'text' ? '' : 'Larger dots are more frequent. '}${
        isTouch() ? 'Tap a dot and pinch' :
                    'Click a dot and scroll'} to see more.`,
  ];
  const element: HTMLElement =
      h('section.notice first', {'aria-label': 'About this map'},
        ...sentences.map((sentence) => h('p', sentence)),
        button('Got it', () => element.remove(), {class: 'primary'}));
  return element;
}
