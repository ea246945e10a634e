// Elements. Text becomes text nodes and never markup, so a word may be
// <script>alert(1)</script>; the page's policy refuses markup from strings
// besides.

type Child = Node|string|number|null|undefined|false;
type Listener = (event: never) => void;
type Attribute = string|number|boolean|null|undefined|Listener;
type Attributes = Record<string, Attribute>;

const SVG = 'http://www.w3.org/2000/svg';

function fill(element: Element, attributes: Attributes, children: Child[]) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value as EventListener);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  append(element, ...children);
}

export function append(parent: Element, ...children: Child[]) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

// h('a.word', {href: '#map', onclick: f}, 'Map') makes an element of the class
// "word"; the attributes can be omitted. Those that are null or false are left
// out, and functions listen to the event after "on".
export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K|`${K}.${string}`, first?: Attributes|Child,
    ...children: Child[]): HTMLElementTagNameMap[K] {
  const [name, className] = tag.split('.');
  const element = document.createElement(name as K);
  if (className) element.className = className;
  const isChild = !first || typeof first !== 'object' || first instanceof Node;
  if (isChild) append(element, first);
  fill(element, isChild ? {} : first, children);
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
  return h('div.notice', {role: 'status'}, ...content);
}

export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Attributes = {},
    ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

export function contextOf(canvas: HTMLCanvasElement) {
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser does not support canvas.');
  return context;
}

export function replaceChildren(parent: Element, ...children: Child[]) {
  parent.textContent = '';
  append(parent, ...children);
}

let lastId = 0;

export function newId(): string {
  return `id-${++lastId}`;
}

// Says it to readers who listen to the page.
export function announce(text: string) {
  const region = document.getElementById('live');
  if (region) region.textContent = text;
}
