// Fields and buttons of the views' forms.

import {append, Child, h, newId} from '../dom';

export type Choice = [value: string, text: string];

// A choice for each of some things by its name.
export function namesOf(named: Array<{name: string}>): Choice[] {
  return named.map(({name}) => [name, name]);
}

export function field(label: string, id: string, input: Node) {
  return h('div.field', h('label', {for: id
           }, label), input);
}

export function selectField(
    label: string, choices: Choice[], value: string,
    onChange: (value: string) => void) {
  const id = newId();
  const select =
      h('select', {id},
        ...choices.map(
            ([own, text]) =>
                h('option', {value: own, selected: own === value}, text)));
  select.addEventListener('change', () => onChange(select.value));
  return field(label, id, select);
}

export interface TextArea {
  element: HTMLElement;
  input: HTMLTextAreaElement;
}

export function textArea(
    label: string, placeholder: string, rows = 2): TextArea {
  const id = newId();
  const input =
      h('textarea', {id, rows, placeholder, spellcheck: 'false', dir: 'auto'});
  return {element: field(label, id, input), input};
}

export function button(
    text: string, onClick: () => void,
    attributes: Record<string, string> = {}) {
  return h('button', {type: 'button', onclick: onClick, ...attributes}, text);
}

// A button with a sign, which is named to those who hear the page.
export function iconButton(
    sign: string, label: string, onClick: () => void, title = label) {
  return button(sign, onClick, {class: 'icon', title, 'aria-label': label});
}

export function submitButton(text: string) {
  return h('button', {type: 'submit', class: 'primary'}, text);
}

export function form(onSubmit: () => void, ...children: Child[]) {
  const element = h('form.question', {
    onsubmit: (event: Event) => {
      event.preventDefault();
      onSubmit();
    },
  });
  append(element, ...children);
  return element;
}
