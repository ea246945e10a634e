// Elements. Text becomes text nodes and never markup, so a word may be
// <script>alert(1)</script>; the page's policy refuses markup from strings
// besides.

// What an element can hold: text, elements, and parts of the page, each of
// which has one.
export type Child =
    Node|{readonly element: Node}|string|number|null|undefined|false;
type Listener = (event: never) => void;
type Attribute = string|number|boolean|null|undefined|Listener;
type Attributes = Record<string, Attribute>;

const SVG = 'http://www.w3.org/2000/svg';

type Nothing = null|undefined|false;

function isNothing(value: unknown): value is Nothing {
  return (value ?? false) === false;
}

// Sets attributes. Those that are null or false are left out, and functions
// listen to the event after "on".
export function set(element: Element, attributes: Attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (isNothing(value)) continue;
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value as EventListener);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

export function append(parent: Element, ...children: Child[]) {
  for (const child of children) {
    if (isNothing(child)) continue;
    const isPart = typeof child === 'object' && 'element' in child;
    // A number becomes text.
    parent.append(isPart ? child.element : child as string);
  }
}

function isAttributes(first?: Attributes|Child): first is Attributes {
  return !!first && typeof first === 'object' && !(first instanceof Node) &&
      !('element' in first);
}

// h('a.word', {href: '#map', onclick: f}, 'Map') makes an element of the class
// "word"; the attributes can be omitted.
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K|`${K}.${string}`, first?: Attributes|Child,
    ...children: Child[]): HTMLElementTagNameMap[K] {
  const [name, className] = tag.split('.');
  const element = document.createElement(name as K);
  if (className) element.className = className;
  if (isAttributes(first)) {
    set(element, first);
  } else {
    append(element, first);
  }
  append(element, ...children);
  return element;
}

// A paragraph of less weight.
export function quiet(...children: Child[]) {
  return h('p.quiet', ...children);
}

// The page of a view, with its title.
export function page(title: string, ...content: Child[]) {
  return h('section.page', h('h2', title), ...content);
}

// A part of a page, which its title names.
export function section(title: string, ...content: Child[]) {
  const id = newId();
  return h(
      'section', {'aria-labelledby': id}, h('h3', {id}, title), ...content);
}

// A notice that listeners hear when it appears.
export function statusNotice(...content: Child[]) {
  return h('p.notice', {role: 'status'}, ...content);
}

export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Attributes = {},
    ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  append(element, ...children);
  return element;
}

export function contextOf(canvas: HTMLCanvasElement) {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser does not support canvas.');
  return context;
}

// Returns a function that measures a text in pixels.
export function measurer(font: string) {
  const context = contextOf(h('canvas'));
  context.font = font;
  return (text: string) => context.measureText(text).width;
}

export function replaceChildren(parent: Element, ...children: Child[]) {
  parent.textContent = '';
  append(parent, ...children);
}

// For pictures that say nothing to listeners.
export const UNHEARD = {
  'aria-hidden': 'true'
};

let lastId = 0;

export function newId(): string {
  return `id-${++lastId}`;
}

// Says it to readers who listen to the page.
export function announce(text: string) {
  const region = document.getElementById('live');
  if (region) region.textContent = text;
}
