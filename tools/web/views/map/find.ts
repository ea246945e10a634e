// The field that finds words on the map, with its list of results.

import {announce, h, newId, quiet, replaceChildren} from '../../dom';
import {counted, thousands} from '../../format';
import {findPattern, findText, Found, parseQuery} from '../../map/find';
import {Shared} from '../../map/scene';
import {VERBATIM} from '../../parts/combobox';
import {button, field} from '../../parts/fields';

import {MapAddress} from './address';
import {MapWords} from './map_words';

const PAUSE = 150;        // milliseconds after the last key
const MOST_LISTED = 100;  // results that are shown
// Characters up to which an expression is tried.
const LONGEST_WORD = 200;
const LONGEST_TEXT = 2000;

export interface FindHandlers {
  // The text was changed by the reader.
  onChange: (text: string) => void;
  onSelect: (ids: number[]) => void;
}

export class FindField {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #results = h('div.found');
  #shown = '';
  #asked = 0;
  #timer = 0;

  readonly #words: MapWords;
  readonly #address: MapAddress;
  readonly #shared: Shared;
  readonly #handlers: FindHandlers;

  constructor(
      words: MapWords, address: MapAddress, shared: Shared,
      handlers: FindHandlers) {
    this.#words = words;
    this.#address = address;
    this.#shared = shared;
    this.#handlers = handlers;
    const id = newId();
    this.#input = h('input', {
      id,
      type: 'search',
      ...VERBATIM,
      placeholder: 'part or /expression/',
      oninput: () => {
        clearTimeout(this.#timer);
        this.#timer = window.setTimeout(() => this.#typed(), PAUSE);
      },
      onkeydown: (e: KeyboardEvent) => {
        if (e.key === 'Enter') this.#typed();
      },
    });
    this.element =
        h('div.find', field('Find on the map', id, this.#input), this.#results);
  }

  #typed() {
    clearTimeout(this.#timer);
    const text = this.#input.value.trim();
    if (text !== this.#shown) this.#handlers.onChange(text);
  }

  // Shows the results of a text that comes from the address.
  show(text: string) {
    if (text === this.#shown) return;
    if (text !== this.#input.value.trim()) this.#input.value = text;
    this.#shown = text;
    this.update();
  }

  // Searches again, since other words are visible.
  async update() {
    const ask = ++this.#asked;
    const {list, isText} = this.#words;
    const {visible} = this.#shared.look;
    const query = parseQuery(this.#shown);
    if (query.kind === 'none') {
      replaceChildren(this.#results);
      return this.#mark([]);
    }
    if (query.kind === 'invalid') {
      this.#mark([]);
      return this.#fail(query.problem);
    }
    try {
      const found = query.kind === 'text' ?
          findText(list, visible, query.text) :
          await findPattern(
              list, visible, query, isText ? LONGEST_TEXT : LONGEST_WORD);
      if (ask === this.#asked) this.#render(found);
    } catch (error) {
      if (ask === this.#asked) this.#fail(String(error));
    }
  }

  // Rings around what was found.
  #mark(ids: number[]) {
    this.#shared.marks.found = ids;
    this.#shared.redraw();
  }

  #fail(message: string) {
    announce(message);
    replaceChildren(this.#results, h('p.notice error', message));
  }

  #render({ids, stopped}: Found) {
    const {list, noun} = this.#words;
    this.#mark(ids);
    const number = `${counted(ids.length, noun)} found`;
    const notice = stopped < 0 ?
        '' :
        `The search was stopped after one second, at ${thousands(stopped)} ` +
            `of ${thousands(list.length)} ${noun}s.`;
    announce(`${number}. ${notice}`.trim());
    replaceChildren(
        this.#results, quiet(number), notice && h('p.notice', notice),
        ids.length > 0 &&
            h('div.row',
              button(`Select these`, () => this.#handlers.onSelect(ids))),
        ...this.#address.links(
            ids.map((id) => list[id]), MOST_LISTED, `Found ${noun}s`));
  }
}
