// The part of a view that shows an answer: it says that it waits, what went
// wrong, and never shows an answer that comes after a later question. A part
// that has answered and is asked the same again, since another part of its view
// was asked something new, is silent.

import {announce, h, quiet, replaceChildren} from '../dom';
import {SourceError} from '../source/source';

const PATIENCE = 200;  // milliseconds before the page says that it waits

export function errorNotice(error: unknown) {
  const reason = error instanceof Error ? error.message : String(error);
  const message = error instanceof SourceError ?
      reason :
      `This page has an internal error: ${reason}`;
  return h('p.notice error', {role: 'alert'}, message);
}

export class Results {
  readonly element = h('div.results');
  #asked = 0;
  #question = '';
  #isNew = true;  // the question has no answer yet

  // Tells who hears the page what was found.
  say(text: string) {
    if (this.#isNew) announce(text);
  }

  show(...content: Array<Node|null>) {
    ++this.#asked;
    this.#question = '';
    this.#finish(content);
  }

  #finish(content: Array<Node|null>) {
    this.element.removeAttribute('aria-busy');
    replaceChildren(this.element, ...content);
    this.#isNew = false;
  }

  // `question`: all that the answer depends on.
  async load<T>(
      question: unknown[], answer: Promise<T>,
      render: (value: T) => Array<Node|null>, waiting = 'Loading …') {
    const ask = ++this.#asked;
    const asked = JSON.stringify(question);
    if (asked !== this.#question) this.#isNew = true;
    this.#question = asked;
    this.element.setAttribute('aria-busy', 'true');
    const patience = setTimeout(() => {
      if (ask !== this.#asked) return;
      replaceChildren(this.element, quiet(waiting));
      this.say(waiting);
    }, PATIENCE);
    try {
      const value = await answer;
      if (ask === this.#asked) this.#finish(render(value));
    } catch (error) {
      if (ask === this.#asked) this.#finish([errorNotice(error)]);
    } finally {
      clearTimeout(patience);
    }
  }
}
