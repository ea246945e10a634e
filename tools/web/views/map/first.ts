// The first visit: a word to begin with, and three sentences on what the map
// shows.

import {h} from '../../dom';
import {assignClusters} from '../../map/coloring';
import {button} from '../../parts/fields';
import {Cluster} from '../../source/source';

const KEY = 'firth-map-explained';
// Ranks at which words are frequent and yet have content.
const FROM = 50;
const TO = 500;

// Returns true once per browser, or on each visit if it keeps nothing.
export function isFirstVisit(): boolean {
  try {
    if (localStorage.getItem(KEY)) return false;
    localStorage.setItem(KEY, 'yes');
  } catch {
    // A page in a sandbox may not keep anything.
  }
  return true;
}

export function isTouch() {
  return matchMedia('(pointer: coarse)').matches;
}

// The id of a word to begin with: of the words of rank 50 to 500, the nearest
// to the center of its cluster, of clusters that hold a twentieth of the words.
// Returns -1 if there are no words.
export function exampleOf(
    words: string[], points: Float32Array, clusters: Cluster[]): number {
  const centers = clusters.filter((cluster) => cluster.level === 0);
  const of = assignClusters(points, clusters);
  const counts = centers.map(() => 0);
  of.forEach((center) => ++counts[center]);
  let best = Math.min(words.length, FROM) - 1;
  let least = Infinity;
  for (let id = FROM - 1; id < Math.min(words.length, TO); ++id) {
    // Numbers, names of files and single letters are poor examples.
    if (!/^\p{L}{4,}$/u.test(words[id])) continue;
    if (!(counts[of[id]] >= words.length / 20)) continue;
    const {x, y} = centers[of[id]];
    const distance = Math.hypot(points[2 * id] - x, points[2 * id + 1] - y);
    if (distance >= least) continue;
    least = distance;
    best = id;
  }
  return best;
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
