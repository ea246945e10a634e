// The selection: words that were taken from the map, what can be done with
// them, and the words that were hidden.

import {announce, h, quiet, replaceChildren} from '../../dom';
import {counted, thousands} from '../../format';
import {Coloring} from '../../map/coloring';
import {copy, csvOf, save} from '../../map/export';
import {Shared} from '../../map/scene';
import {Typical, typicalTokens, typicalWords} from '../../map/typical';
import {button} from '../../parts/fields';
import {Results} from '../../parts/results';
import {spoken} from '../../parts/word_table';
import {go} from '../../state';

import {MapAddress} from './address';
import {neighborList} from './chosen';
import {MapWords} from './map_words';

const MOST_LISTED = 200;  // words of the list that are shown
const MOST_ON_AXIS = 50;  // words of each end
const MOST_SUMMED = 500;
const MOST_TYPICAL = 20;
const NONE_TYPICAL = 'Nothing is typical of this selection.';

export interface SelectionHandlers {
  visible: () => number[];  // ids of the words on the screen
  // Rows of a table, with a line of titles, of these words.
  rows: (ids: number[]) => Promise<Array<Array<string|number>>>;
  onAdded: () => void;
  onHidden: () => void;  // other words are hidden now
}

export class Selection {
  readonly element = h('div.list');
  hidden: ReadonlySet<number> = new Set();
  readonly #results = new Results();
  readonly #body = h('div');
  readonly #ends: Record<'A'|'B', string[]> = {A: [], B: []};

  readonly #words: MapWords;
  readonly #address: MapAddress;
  readonly #shared: Shared;
  readonly #handlers: SelectionHandlers;

  constructor(
      words: MapWords, address: MapAddress, shared: Shared,
      handlers: SelectionHandlers) {
    this.#words = words;
    this.#address = address;
    this.#shared = shared;
    this.#handlers = handlers;
    replaceChildren(this.element, this.#body, this.#results.element);
    this.#render();
  }

  get #selected() {
    return this.#shared.marks.selected;
  }

  #set(selected: ReadonlySet<number>) {
    this.#shared.marks.selected = selected;
    this.#shared.redraw();
    this.#results.show();
    this.#render();
  }

  add(ids: number[]) {
    this.#set(new Set([...this.#selected, ...ids]));
    announce(`${this.#words.counted(this.#selected.size)} selected`);
    this.#handlers.onAdded();
  }

  // Adds the words of a group that are not hidden.
  addGroup(coloring: Coloring, group: number) {
    if (coloring.kind !== 'categories') return;
    this.add([...coloring.of.keys()].filter(
        (id) => coloring.of[id] === group && !this.hidden.has(id)));
  }

  // Adds the word, or removes it.
  toggle(id: number) {
    const changed = new Set(this.#selected);
    const isNew = !changed.delete(id);
    if (isNew) changed.add(id);
    this.#set(changed);
    announce(`${this.#words.list[id].slice(0, 60)} ${
        isNew ? 'added to' : 'removed from'} the selection`);
  }

  // Hides the selected words, or all others.
  #hide(others: boolean) {
    const hidden = new Set(this.hidden);
    this.#words.list.forEach((_, id) => {
      if (this.#selected.has(id) !== others) hidden.add(id);
    });
    this.#setHidden(hidden);
    if (!others) this.#set(new Set());
  }

  #setHidden(hidden: ReadonlySet<number>) {
    this.hidden = hidden;
    this.#handlers.onHidden();
    this.#render();
    const {noun} = this.#words;
    announce(
        hidden.size ? `${counted(hidden.size, noun)} hidden` :
                      `All ${noun}s are shown`);
  }

  get #ids() {
    return [...this.#selected].sort((a, b) => a - b);
  }

  #texts(most = Infinity) {
    return this.#ids.slice(0, most).map((id) => this.#words.list[id]);
  }

  #render() {
    const {noun} = this.#words;
    const count = this.#selected.size;
    const hidden = this.hidden.size;
    replaceChildren(
        this.#body,
        h('h3', count ? `${counted(count, noun)} selected` : 'Selection'),
        h('div.row',
          button(
              `Select visible ${noun}s`,
              () => this.add(this.#handlers.visible())),
          count ? button('Clear', () => this.#set(new Set())) : null,
          hidden ? button(
                       `Show all (${thousands(hidden)} hidden)`,
                       () => this.#setHidden(new Set())) :
                   null),
        count ?
            this.#actions() :
            quiet('Select with the lasso, ⊕ in the legend, or the space key.'),
        ...this.#address.links(this.#texts(), MOST_LISTED, 'Selection'));
  }

  #actions() {
    const {hasSums} = this.#words;
    const ends = this.#ends;
    const keep = (end: 'A'|'B') =>
        button(ends[end].length ? `Replace ${end}` : `Keep as ${end}`, () => {
          ends[end] = this.#texts(MOST_ON_AXIS);
          announce(`${this.#words.counted(ends[end].length)} kept as ${end}. ${
              ends.A.length && ends.B.length ?
                  'The axis from A to B can be opened.' :
                  'Select others, and keep them as the other end.'}`);
          this.#render();
        });
    const axis = ends.A.length && ends.B.length ?
        button(
            'Axis from A to B', () => go(this.#address.axis(ends.A, ends.B)),
            {class: 'primary'}) :
        null;
    return h(
        'div.row tight', button(`Typical words`, () => this.#showTypical()),
        button('Hide', () => this.#hide(false)),
        button(
            'Copy',
            () => copy(
                this.#texts().join('\n'),
                this.#words.counted(this.#selected.size))),
        hasSums && button('Neighbors of the mean', () => this.#sum()),
        button('Save CSV', () => this.#saveCsv()),
        button('Keep only these', () => this.#hide(true)),
        button('Save text', () => this.#saveText()), hasSums && keep('A'),
        hasSums && keep('B'), axis);
  }

  #showTypical() {
    const {list, isText, map} = this.#words;
    const found: Typical[] = isText ?
        typicalTokens(list, this.#selected, MOST_TYPICAL) :
        typicalWords(list, map.first.points, this.#selected, MOST_TYPICAL);
    const items = found.map(({text}) => h('li', h('bdi', text)));
    announce(
        found.length ?
            `Typical: ${found.slice(0, 5).map((one) => one.text).join(', ')}` :
            NONE_TYPICAL);
    this.#results.show(
        h('h3', 'Typical of the selection'),
        found.length ? h('ol.typical', ...items) : quiet(NONE_TYPICAL));
  }

  #sum() {
    const words = this.#texts(MOST_SUMMED);
    const title = this.#selected.size > words.length ?
        `Neighbors of the mean of the ${MOST_SUMMED} most frequent` :
        'Neighbors of the mean';
    const answer = this.#words.neighborsOf(words);
    this.#results.load(['mean', words], answer, (answer) => {
      this.#results.say(spoken(title, answer.neighbors));
      return [
        h('h3', title),
        neighborList(answer, title, this.#address, this.#words.isText),
      ];
    });
  }

  #saveText() {
    save(`${this.#texts().join('\n')}\n`, 'text/plain', 'words.txt');
  }

  async #saveCsv() {
    const rows = await this.#handlers.rows(this.#ids);
    save(csvOf(rows), 'text/csv', 'words.csv');
  }
}
