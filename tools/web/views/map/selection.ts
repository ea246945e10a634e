// The selection: words that were taken from the map, and what can be done with
// them.

import {announce, h, quiet, replaceChildren} from '../../dom';
import {counted, thousands} from '../../format';
import {copy, csvOf, save} from '../../map/export';
import {Typical} from '../../map/typical';
import {button} from '../../parts/fields';
import {Results} from '../../parts/results';
import {Neighbors} from '../../source/source';

const MOST_LISTED = 200;  // words of the list that are shown
const MOST_ON_AXIS = 50;  // words of each end
export const MOST_SUMMED = 500;

export interface SelectionHandlers {
  words: string[];
  noun: string;
  link: (id: number) => HTMLElement;
  selectVisible: () => void;
  set: (selected: Set<number>) => void;
  hide: (ids: ReadonlySet<number>, keep: boolean) => void;
  showAll: () => void;
  // Rows of a table, with a line of titles, of these words.
  rows: (ids: number[]) => Promise<Array<Array<string|number>>>;
  typical: (ids: ReadonlySet<number>) => Typical[];
  // Null where the source computes neither sums nor axes.
  neighbors: ((words: string[]) => Promise<Neighbors>)|null;
  listOf: (answer: Neighbors, label: string) => HTMLElement;
  openAxis: (from: string[], to: string[]) => void;
}

export class Selection {
  readonly element = h('div.list');
  readonly #results = new Results();
  readonly #body = h('div');
  #selected: ReadonlySet<number> = new Set();
  #hidden = 0;
  readonly #ends: Record<'A'|'B', string[]> = {A: [], B: []};

  readonly #handlers: SelectionHandlers;

  constructor(handlers: SelectionHandlers) {
    this.#handlers = handlers;
    replaceChildren(this.element, this.#body, this.#results.element);
    this.#render();
  }

  show(selected: ReadonlySet<number>, hidden: number) {
    if (selected !== this.#selected) this.#results.show();
    this.#selected = selected;
    this.#hidden = hidden;
    this.#render();
  }

  get #ids() {
    return [...this.#selected].sort((a, b) => a - b);
  }

  #words(most = Infinity) {
    return this.#ids.slice(0, most).map((id) => this.#handlers.words[id]);
  }

  #render() {
    const handlers = this.#handlers;
    const selected = this.#selected;
    const count = selected.size;
    const items = this.#ids.slice(0, MOST_LISTED)
                      .map((id) => h('li', {}, handlers.link(id)));
    const rest = count - items.length;
    replaceChildren(
        this.#body,
        h('h3', {},
          count ? `${counted(count, handlers.noun)} selected` : 'Selection'),
        h('div.row', {},
          button(`Select visible ${handlers.noun}s`, handlers.selectVisible),
          count ? button('Clear', () => handlers.set(new Set())) : null,
          this.#hidden ? button(
                             `Show all (${thousands(this.#hidden)} hidden)`,
                             handlers.showAll) :
                         null),
        count ?
            this.#actions() :
            quiet('Select with the lasso, ⊕ in the legend, or the space key.'),
        items.length > 0 &&
            h('ul.listed', {
              tabindex: '0',
              'aria-label': 'Selection',
            },
              ...items),
        rest > 0 && quiet(`and ${thousands(rest)} more`));
  }

  #actions() {
    const handlers = this.#handlers;
    const ends = this.#ends;
    const keep = (end: 'A'|'B') =>
        button(ends[end].length ? `Replace ${end}` : `Keep as ${end}`, () => {
          ends[end] = this.#words(MOST_ON_AXIS);
          announce(
              `${counted(ends[end].length, handlers.noun)} kept as ${end}. ${
                  ends.A.length && ends.B.length ?
                      'The axis from A to B can be opened.' :
                      'Select others, and keep them as the other end.'}`);
          this.#render();
        });
    const axis = ends.A.length && ends.B.length ?
        button(
            'Axis from A to B', () => handlers.openAxis(ends.A, ends.B),
            {class: 'primary'}) :
        null;
    return h(
        'div.row tight', {}, button(`Typical words`, () => this.#showTypical()),
        handlers.neighbors &&
            button('Neighbors of the mean', () => this.#sum()),
        button('Hide', () => handlers.hide(this.#selected, false)),
        button('Keep only these', () => handlers.hide(this.#selected, true)),
        button(
            'Copy',
            () => copy(
                this.#words().join('\n'),
                counted(this.#selected.size, handlers.noun))),
        button('Save text', () => this.#saveText()),
        button('Save CSV', () => this.#saveCsv()),
        handlers.neighbors && keep('A'), handlers.neighbors && keep('B'), axis);
  }

  #showTypical() {
    const found = this.#handlers.typical(this.#selected);
    const items = found.map(({text}) => h('li', {}, h('bdi', {}, text)));
    announce(
        found.length ?
            `Typical: ${found.slice(0, 5).map((one) => one.text).join(', ')}` :
            'Nothing is typical of this selection.');
    this.#results.show(
        h('h3', {}, 'Typical of the selection'),
        found.length ? h('ol.typical', {}, ...items) :
                       quiet('Nothing is typical of this selection.'));
  }

  #sum() {
    const handlers = this.#handlers;
    if (!handlers.neighbors) return;
    const words = this.#words(MOST_SUMMED);
    const title = this.#selected.size > words.length ?
        `Neighbors of the mean of the ${MOST_SUMMED} most frequent` :
        'Neighbors of the mean';
    this.#results.load(['mean', words], handlers.neighbors(words), (answer) => {
      this.#results.say(`${title}: ${
          answer.neighbors.slice(0, 5).map((one) => one.word).join(', ')}`);
      return [h('h3', {}, title), handlers.listOf(answer, title)];
    });
  }

  #saveText() {
    save(`${this.#words().join('\n')}\n`, 'text/plain', 'words.txt');
  }

  async #saveCsv() {
    const rows = await this.#handlers.rows(this.#ids);
    save(csvOf(rows), 'text/csv', 'words.csv');
  }
}
