// The field that finds words on the map, with its list of results.

import {announce, h, newId, quiet, replaceChildren} from '../../dom';
import {counted, thousands} from '../../format';
import {findPattern, findText, Found, parseQuery} from '../../map/find';
import {VERBATIM} from '../../parts/combobox';
import {button} from '../../parts/fields';

const PAUSE = 150;        // milliseconds after the last key
const MOST_LISTED = 100;  // results that are shown
// Characters up to which an expression is tried.
const LONGEST_WORD = 200;
const LONGEST_TEXT = 2000;

export interface FindHandlers {
  words: string[];
  noun: string;
  visible: () => Uint8Array;
  link: (id: number) => HTMLElement;
  // The text was changed by the reader.
  onChange: (text: string) => void;
  onFound: (ids: number[]) => void;
  onSelect: (ids: number[]) => void;
}

export class FindField {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #results = h('div.found');
  #shown = '';
  #asked = 0;
  #timer = 0;

  readonly #handlers: FindHandlers;

  constructor(handlers: FindHandlers) {
    this.#handlers = handlers;
    const id = newId();
    this.#input = h('input', {
      id,
      type: 'search',
      ...VERBATIM,
      placeholder: 'part of a word, or /expression/',
      oninput: () => {
        clearTimeout(this.#timer);
        this.#timer = window.setTimeout(() => this.#typed(), PAUSE);
      },
      onkeydown: (e: KeyboardEvent) => {
        if (e.key === 'Enter') this.#typed();
      },
    });
    this.element =
        h('div.find', {}, h('div.field', {}, h('label', {for: id
                            }, 'Find on the map'), this.#input), this.#results);
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
    const {words, visible, onFound} = this.#handlers;
    const query = parseQuery(this.#shown);
    if (query.kind === 'none') {
      replaceChildren(this.#results);
      return onFound([]);
    }
    if (query.kind === 'invalid') {
      onFound([]);
      return this.#tell(query.problem, true);
    }
    try {
      const found = query.kind === 'text' ?
          findText(words, visible(), query.text) :
          await findPattern(
              words, visible(), query,
              this.#handlers.noun === 'text' ? LONGEST_TEXT : LONGEST_WORD);
      if (ask === this.#asked) this.#render(found);
    } catch (error) {
      if (ask === this.#asked) this.#tell(String(error), true);
    }
  }

  #tell(message: string, isError: boolean) {
    announce(message);
    replaceChildren(
        this.#results,
        h('p', {class: isError ? 'notice error' : 'quiet'}, message));
  }

  #render({ids, stopped}: Found) {
    const {words, noun, onFound, onSelect, link} = this.#handlers;
    onFound(ids);
    const number = `${counted(ids.length, noun)} found`;
    const notice = stopped < 0 ?
        '' :
        `The search was stopped after one second, at ${thousands(stopped)} ` +
            `of ${thousands(words.length)} ${noun}s.`;
    this.#tell(`${number}. ${notice}`.trim(), false);
    const items = ids.slice(0, MOST_LISTED).map((id) => h('li', {}, link(id)));
    const rest = ids.length - items.length;
    replaceChildren(
        this.#results, quiet(number), notice && h('p.notice', {}, notice),
        ids.length > 0 &&
            h('div.row', {}, button(`Select these`, () => onSelect(ids))),
        items.length > 0 &&
            h('ul.listed', {
              tabindex: '0',
              'aria-label': `Found ${noun}s`,
            },
              ...items),
        rest > 0 && quiet(`and ${thousands(rest)} more`));
  }
}
