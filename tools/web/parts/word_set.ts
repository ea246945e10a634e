// The words of a question, to be added and taken away: king, minus man, plus
// woman.

import {h, replaceChildren} from '../dom';
import {SumOfWords} from '../source/source';

import {Combobox, Suggest} from './combobox';
import {button} from './fields';

interface Term {
  word: string;
  isMinus: boolean;
}

// "king - man + woman" in one line; a sign stands between spaces, since words
// may hold one.
export function parseTerms(text: string, isMinus: boolean): Term[] {
  const terms: Term[] = [];
  let minus = isMinus;
  for (const part of text.trim().split(/\s+/)) {
    if (part === '+' || part === '-' || part === '\u2212') {
      minus = part !== '+';
    } else if (part) {
      terms.push({word: part, isMinus: minus});
      minus = isMinus;
    }
  }
  return terms;
}

export class WordSet {
  readonly element: HTMLElement;
  readonly box: Combobox;
  readonly #chips = h('ul.chips', {'aria-label': 'Words'});
  #terms: Term[] = [];

  constructor(
      suggest: Suggest, private readonly onChange: (sum: SumOfWords) => void,
      allowMinus: boolean, beside: Element) {
    this.box = new Combobox({
      label: 'Add a word',
      placeholder: allowMinus ? 'king - man + woman' : 'a word',
      suggest,
      onChoose: (_, extra) => this.#add(extra && allowMinus),
    });
    const row =
        h('div.row', this.box,
          button('+ Add', () => this.#add(false), {class: 'primary'}),
          allowMinus && button('\u2212 Subtract', () => this.#add(true), {
            title: 'You can also press Shift+Enter in the field',
          }),
          beside);
    this.element = h('div.word-set', row, this.#chips);
  }

  show(sum: SumOfWords) {
    this.#terms = [
      ...sum.plus.map((word) => ({word, isMinus: false})),
      ...sum.minus.map((word) => ({word, isMinus: true})),
    ];
    replaceChildren(
        this.#chips, ...this.#terms.map((term) => this.#chip(term)));
    this.#chips.hidden = !this.#terms.length;
  }

  #chip(term: Term) {
    const name = term.word.slice(0, 60);
    const turn = button(term.isMinus ? '\u2212' : '+', () => {
      term.isMinus = !term.isMinus;
      this.#tell();
    }, {
      'aria-label':
          `${term.isMinus ? 'Minus' : 'Plus'} ${name}: change the sign`,
    });
    const remove = button('×', () => {
      this.#terms = this.#terms.filter((other) => other !== term);
      this.#tell();
      this.box.input.focus();
    }, {'aria-label': `Remove ${name}`});
    return h(
        'li', {class: term.isMinus ? 'chip minus' : 'chip'}, turn,
        h('bdi.word', term.word), remove);
  }

  #add(isMinus: boolean) {
    const added = parseTerms(this.box.value, isMinus);
    if (!added.length) return this.box.input.focus();
    this.#terms.push(...added);
    this.box.value = '';
    this.#tell();
  }

  #tell() {
    const words = (isMinus: boolean) =>
        this.#terms.filter((term) => term.isMinus === isMinus)
            .map((term) => term.word);
    this.onChange({plus: words(false), minus: words(true)});
  }
}
