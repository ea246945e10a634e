// The words of a map, or its texts: what all parts of the view know of them.

import {counted, thousands} from '../../format';
import {hasCounts} from '../../map/coloring';
import {nameClusters} from '../../map/typical';
import {Layout, WordMap} from '../../source/source';
import {Frame} from '../view';

const K = 10;  // neighbors

export class MapWords {
  readonly isText: boolean;
  readonly noun: string;
  readonly map: WordMap;
  readonly hasCounts: boolean;
  readonly #ids: Map<string, number>;

  constructor(readonly frame: Frame, readonly model: string, map: WordMap) {
    this.isText = Boolean(frame.vectorModel(model)?.texts);
    this.noun = this.isText ? 'text' : 'word';
    this.hasCounts = hasCounts(map.counts);
    this.#ids = new Map(map.words.map((word, id) => [word, id]));
    this.map = {...map, first: this.named(map.first, map.words)};
  }

  get list() {
    return this.map.words;
  }

  get source() {
    return this.frame.source;
  }

  // The word's id, or -1.
  idOf(word: string|null) {
    return word === null ? -1 : this.#ids.get(word) ?? -1;
  }

  get hasSums() {
    return this.source.lacks('sums', this.model) === null;
  }

  // The words nearest to a word, or to the sum of several.
  neighborsOf(words: string[]) {
    return this.source.neighbors(this.model, {plus: words, minus: []}, K);
  }

  counted(count: number) {
    return counted(count, this.noun);
  }

  // The clusters of texts are named by tokens, and not by texts.
  named(layout: Layout, words = this.list): Layout {
    const {points, clusters} = layout;
    return this.isText ?
        {...layout, clusters: nameClusters(words, points, clusters)} :
        layout;
  }

  // Rank and count, as a sentence without its end.
  about(id: number) {
    const count = this.map.counts[id];
    const kind = this.isText ? 'Text' : 'Frequency rank';
    const rank = `${kind} ${thousands(id + 1)}`;
    return count > 0 ? `${rank}, ${counted(count, 'occurrence')}` : rank;
  }
}
