// Fields and buttons of the views' forms.

import {h, newId} from '../dom';

export interface Choice {
  value: string;
  text: string;
}

export function selectField(
    label: string, choices: Choice[], value: string,
    onChange: (value: string) => void) {
  const id = newId();
  const select = h(
      'select', {id},
      ...choices.map(
          (choice) => h(
              'option', {value: choice.value, selected: choice.value === value},
              choice.text)));
  select.addEventListener('change', () => onChange(select.value));
  return h('div', {class: 'field'}, h('label', {for: id
           }, label), select);
}

export interface TextArea {
  element: HTMLElement;
  input: HTMLTextAreaElement;
}

export function textArea(
    label: string, value: string, placeholder: string, rows = 2): TextArea {
  const id = newId();
  const input =
      h('textarea', {id, rows, placeholder, spellcheck: 'false', dir: 'auto'});
  input.value = value;
  const element = h('div', {class: 'field'}, h('label', {for: id
                    }, label), input);
  return {element, input};
}

export function button(
    text: string, onClick: () => void, className = '', title = '') {
  return h(
      'button', {
        type: 'button',
        class: className,
        title: title || null,
        onclick: onClick,
      },
      text);
}

export function submitButton(text: string) {
  return h('button', {type: 'submit', class: 'primary'}, text);
}

export function form(onSubmit: () => void, ...children: Array<Node|null>) {
  const element = h('form', {
    class: 'question',
    onsubmit: (event: Event) => {
      event.preventDefault();
      onSubmit();
    },
  });
  for (const child of children)
    if (child) element.append(child);
  return element;
}
