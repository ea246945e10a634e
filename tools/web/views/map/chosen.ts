// The chosen word with its neighbors, in the panel and as marks on the map.

import {h, quiet, replaceChildren, statusNotice} from '../../dom';
import {cut} from '../../format';
import {Shared} from '../../map/scene';
import {Results} from '../../parts/results';
import {bar, NO_OTHERS, spoken, wordLink} from '../../parts/word_table';
import {Neighbors} from '../../source/source';

import {MapAddress} from './address';
import {isTouch} from './first';
import {MapWords} from './map_words';

export const MOST_OF_TEXT = 2000;  // characters of a text that are shown

export function neighborList(
    answer: Neighbors, label: string, address: MapAddress, isText: boolean) {
  if (!answer.neighbors.length) return quiet(NO_OTHERS);
  const items = answer.neighbors.map(
      ({word, score}) =>
          h('li', address.link(word), !isText && bar(score),
            h('span.number', score.toFixed(2))));
  return h(
      'ol', {class: isText ? 'near long' : 'near', 'aria-label': label},
      ...items);
}

export class ChosenWord {
  readonly #card = h('div.word-card');
  readonly #results = new Results();
  readonly elements = [this.#card, this.#results.element];
  #missing: string|null = null;  // a word that is not on the map

  readonly #words: MapWords;
  readonly #address: MapAddress;
  readonly #shared: Shared;

  constructor(words: MapWords, address: MapAddress, shared: Shared) {
    this.#words = words;
    this.#address = address;
    this.#shared = shared;
  }

  get id() {
    return this.#shared.marks.focus;
  }

  // The word, or null.
  get word() {
    return this.id < 0 ? null : this.#words.list[this.id];
  }

  shows(word: string|null) {
    const id = this.#words.idOf(word);
    return id === this.id && (id >= 0 || word === this.#missing);
  }

  // Chooses a word by its id, and returns when its neighbors are shown. Without
  // one (-1), `missing` is a word that is not on the map, or null.
  async show(id: number, missing: string|null = null) {
    const {marks} = this.#shared;
    marks.focus = id;
    marks.neighbors = [];
    this.#shared.relabel();
    if (id < 0) return this.#showNone(missing);
    const {list, isText, noun, model} = this.#words;
    const word = list[id];
    replaceChildren(
        this.#card,
        h('h2', {class: isText ? 'long' : ''},
          wordLink(
              isText ? cut(word, MOST_OF_TEXT) : word,
              this.#address.neighborsOf(word))),
        quiet(this.#words.about(id)),
        !this.#shared.look.visible[id] &&
            h('p.notice', `This ${noun} is hidden on the map.`));
    await this.#results.load(
        [model, word], this.#words.neighborsOf([word]),
        (answer) => this.#renderNeighbors(word, answer));
  }

  #showNone(missing: string|null) {
    this.#missing = missing;
    const {noun} = this.#words;
    replaceChildren(
        this.#card, h('h2.unseen', 'Map'),
        missing !== null ?
            statusNotice(h('bdi.word', missing), ' is not on this map.') :
            quiet(
                isTouch() ? `Tap a ${noun}, or search above.` :
                            `Click a ${noun}, use the arrow keys, or press / ` +
                        'to search.'));
    this.#results.show();
  }

  #renderNeighbors(word: string, answer: Neighbors) {
    this.#shared.marks.neighbors =
        answer.neighbors.map((neighbor) => this.#words.idOf(neighbor.word))
            .filter((id) => id >= 0);
    this.#shared.relabel();
    this.#results.say(spoken(word, answer.neighbors));
    const label = `Nearest to ${cut(word, 60)}`;
    return [neighborList(answer, label, this.#address, this.#words.isText)];
  }
}
