// The words nearest to a word, or to a sum of words, as a table with bars.

import {h, page, quiet} from '../dom';
import {Choice, selectField} from '../parts/fields';
import {Results} from '../parts/results';
import {WordSet} from '../parts/word_set';
import {notices, spoken, wordTable} from '../parts/word_table';
import {Neighbors, SumOfWords} from '../source/source';
import {go, numberIn} from '../state';

import {Frame, View} from './view';

const COUNTS = [10, 25, 50, 100];

export function sumText(sum: SumOfWords): string {
  const minus = sum.minus.map((word) => `\u2212 ${word}`);
  return [sum.plus.join(' + '), ...minus].join(' ').trim();
}

export class NeighborsView implements View {
  readonly element: HTMLElement;
  readonly #set: WordSet;
  readonly #results = new Results();
  readonly #countSlot = h('div');
  #k = COUNTS[0];

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    const model = frame.model;
    const hasSums = frame.source.lacks('sums', model) === null;
    this.#set = new WordSet(
        frame.suggest, (sum) => this.#ask(sum), hasSums, this.#countSlot);
    this.element = page(
        'Neighbors',
        h('p.lead',
          hasSums ? 'The words closest to a word, or to a sum of words.' :
                    'The words closest to a word.'),
        h('div.question', this.#set), this.#results);
  }

  #ask(sum: SumOfWords) {
    const k = this.#k === COUNTS[0] ? null : this.#k;
    go(this.#frame.address('neighbors', {...sum, k}));
  }

  show(parameters: URLSearchParams) {
    const sum = {
      plus: parameters.getAll('plus'),
      minus: parameters.getAll('minus'),
    };
    this.#k = numberIn(parameters, 'k', 1, 100, COUNTS[0]);
    this.#set.show(sum);
    const choices = COUNTS.map((k): Choice => [String(k), `${k} words`]);
    this.#countSlot.replaceChildren(
        selectField('Show', choices, String(this.#k), (value) => {
          this.#k = Number(value);
          this.#ask(sum);
        }));
    if (!sum.plus.length && !sum.minus.length) {
      return this.#results.show(
          quiet('Type a word above, or press / to search from any view.'));
    }
    const model = this.#frame.model;
    this.#results.load(
        [model, sum, this.#k],
        this.#frame.source.neighbors(model, sum, this.#k),
        (answer) => this.#render(sum, answer));
  }

  #render(sum: SumOfWords, answer: Neighbors) {
    const title = sumText(sum);
    this.#results.say(spoken(title, answer.neighbors));
    const replaced = (word: string) => this.#frame.neighborsOf(word);
    const about = notices(answer, replaced);
    if (!answer.neighbors.length) return about;
    const onMap = sum.plus.length === 1 && !sum.minus.length ?
        this.#actions(sum.plus[0]) :
        null;
    const table = wordTable(
        answer.neighbors, {caption: `Nearest to ${title}`, link: replaced});
    return [...about, table, onMap];
  }

  #actions(word: string) {
    const frame = this.#frame;
    const model = frame.model;
    return h(
        'p.actions',
        frame.source.lacks('map', model) === null &&
            h('a', {href: frame.address('map', {word})}, 'Show on the map'),
        frame.source.lacks('compare words', model) === null &&
            h('a', {
              href: frame.address('compare', {a: word}),
            },
              'Compare with another word'));
  }
}
