// A field that suggests words while one types: the combobox of the WAI-ARIA
// Authoring Practices, with a list that the arrow keys walk.

import {h, newId, replaceChildren} from '../dom';

// Attributes of fields whose text no browser should complete or correct.
export const VERBATIM = {
  autocomplete: 'off',
  autocapitalize: 'off',
  spellcheck: 'false',
  dir: 'auto',
};

export type Suggest = (text: string) => Promise<string[]>;

export interface ComboboxOptions {
  label: string;
  placeholder?: string;
  hideLabel?: boolean;
  suggest: Suggest;
  // A suggestion was chosen, or Enter pressed; `extra` is whether Shift was.
  onChoose?: (word: string, extra: boolean) => void;
}

export class Combobox {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #list: HTMLUListElement;
  readonly #label: HTMLLabelElement;
  #words: string[] = [];
  #active = -1;
  #asked = 0;

  constructor(private readonly options: ComboboxOptions) {
    const id = newId();
    const listId = newId();
    this.#list = h('ul', {
      id: listId,
      role: 'listbox',
      class: 'suggestions',
      'aria-label': `${options.label}: suggestions`,
      hidden: true,
    });
    this.input = h('input', {
      id,
      type: 'text',
      role: 'combobox',
      placeholder: options.placeholder,
      ...VERBATIM,
      'aria-autocomplete': 'list',
      'aria-expanded': 'false',
      'aria-controls': listId,
      oninput: () => this.#update(),
      onkeydown: (e: KeyboardEvent) => this.#onKey(e),
      onblur: () => this.close(),
    });
    this.#label =
        h('label', {for: id, class: options.hideLabel ? 'unseen' : ''},
          options.label);
      this.element =
          h('div.field combobox', this.#label, this.input, this.#list);
  }

  // Renames a field whose name is also its placeholder.
  rename(text: string) {
      this.#label.textContent = this.input.placeholder = text;
      this.#list.setAttribute('aria-label', `${text}: suggestions`);
  }

  get value() {
      return this.input.value.trim();
  }

  set value(text: string) {
      this.input.value = text;
  }

  #update() {
      const ask = ++this.#asked;
      const text = this.value;
      if (!text) return this.close();
      // Suggestions that fail are none: the field works without them.
      this.options.suggest(text).then(
          (words) => ask === this.#asked && this.#open(words),
          () => this.close());
  }

  #open(words: string[]) {
      this.#words = words;
      this.#active = -1;
      const items = words.map(
          (word, i) =>
              h('li', {
                id: `${this.#list.id}-${i}`,
                role: 'option',
                'aria-selected': 'false',
                dir: 'auto',
                // Before the field loses the focus.
                onmousedown: (e: MouseEvent) => {
                  e.preventDefault();
                  this.#choose(word, e.shiftKey);
                },
              },
                word));
      replaceChildren(this.#list, ...items);
      this.#list.hidden = !words.length;
      this.input.setAttribute('aria-expanded', String(words.length > 0));
      this.input.removeAttribute('aria-activedescendant');
  }

  close() {
      this.#open([]);
  }

  #activate(index: number) {
      const items = this.#list.children;
      if (this.#active >= 0) {
        items[this.#active].setAttribute('aria-selected', 'false');
      }
      this.#active = (index + items.length) % items.length;
      const item = items[this.#active];
      item.setAttribute('aria-selected', 'true');
      item.scrollIntoView({block: 'nearest'});
      this.input.setAttribute('aria-activedescendant', item.id);
  }

  #choose(word: string, extra: boolean) {
      this.value = word;
      ++this.#asked;  // suggestions that are still on their way come too late
      this.close();
      if (this.options.onChoose) this.options.onChoose(word, extra);
  }

  #onKey(event: KeyboardEvent) {
      const isOpen = !this.#list.hidden;
      if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
        event.preventDefault();
        const down = event.key === 'ArrowDown';
        this.#activate(
            this.#active < 0 && !down ? -1 : this.#active + (down ? 1 : -1));
      } else if (event.key === 'Enter') {
        this.#onEnter(event);
      } else if (event.key === 'Escape') {
        if (isOpen) event.stopPropagation();
        if (!isOpen) this.input.blur();
        this.close();
      }
  }

  // Without handler the form is sent, once a suggestion was taken over.
  #onEnter(event: KeyboardEvent) {
      const chosen = this.#active >= 0 ? this.#words[this.#active] : this.value;
      if (this.#active >= 0 || this.options.onChoose) event.preventDefault();
      if (chosen) this.#choose(chosen, event.shiftKey);
  }
  }
