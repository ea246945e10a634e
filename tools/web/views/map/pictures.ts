// The pictures of a map: one by the chosen method, and perhaps another one next
// to it, with their gestures and keys, the tools, the notices and the card
// under the pointer.

import {announce, h, replaceChildren, statusNotice} from '../../dom';
import {cut} from '../../format';
import {Gestures} from '../../map/gestures';
import {Scene, Shared} from '../../map/scene';
import {button, iconButton} from '../../parts/fields';
import {Layout, Near, remember} from '../../source/source';

import {MOST_OF_TEXT} from './chosen';
import {HoverCard} from './hover';
import {onMapKey} from './keys';
import {methodName} from './legend';
import {MapWords} from './map_words';

const NEARBY = 5;   // neighbors on the card under the pointer
const LEAST = 180;  // pixels of a picture next to the legend
const STEP = 1.6;   // of the zoom, by a button

export interface PicturesHandlers {
  choose: (id: number) => void;              // by pointer
  walk: (id: number, scene: Scene) => void;  // by keyboard
  select: (ids: number[]) => void;
  openNeighbors: () => void;
  toggleSelected: () => void;
}

export class Pictures {
  readonly element: HTMLElement;
  readonly main: Scene;
  method: string;  // of the main picture
  readonly #pictures = h('div.pictures');
  readonly #status = h('div.map-status');
  readonly #card = new HoverCard();
  readonly #lasso: HTMLButtonElement;
  readonly #layouts = new Map<string, Promise<Layout>>();
  #beside: Scene|null = null;
  // The methods that are being loaded.
  #wanted = '';
  #wantedBeside = '';

  readonly #words: MapWords;
  readonly #shared: Shared;
  readonly #legend: HTMLDetailsElement;
  readonly #handlers: PicturesHandlers;

  constructor(
      words: MapWords, shared: Shared, legend: HTMLDetailsElement, menu: Node,
      handlers: PicturesHandlers) {
    this.#words = words;
    this.#shared = shared;
    this.#legend = legend;
    this.#handlers = handlers;
    this.#lasso = button('Lasso', () => this.toggleLasso(), {
      'aria-pressed': 'false',
      title: `Draw a line around ${words.noun}s to select them`,
    });
    const hint = h(
        'p', {id: 'map-keys', class: 'unseen'},
        `The arrow keys select the nearest ${words.noun} in that direction. ` +
            'Press question mark for all keys.');
    this.element =
        h('div.map-main', this.#pictures, legend, this.#tools(menu),
          this.#status, this.#card, hint);
    const {first} = words.map;
    this.method = first.method;
    this.#layouts.set(first.method, Promise.resolve(first));
    this.main = this.#makeScene(first);
    new ResizeObserver(() => this.makeRoom()).observe(this.#pictures);
    legend.addEventListener('toggle', () => this.makeRoom());
    this.makeRoom();
  }

  #makeScene(layout: Layout): Scene {
    const host: HTMLElement = h('div.map-canvas', {
      role: 'application',
      tabindex: '0',
      'aria-label': this.#nameOf(layout.method),
      'aria-roledescription': 'map',
      'aria-describedby': 'map-keys',
      onkeydown: (event: KeyboardEvent) => this.#onKey(event, scene),
    });
    this.#pictures.append(host);
    const scene: Scene = new Scene(host, layout, this.#shared);
    scene.reserved = () => this.#reservedIn(host);
    new Gestures(host, scene, this.#shared, {
      isLasso: () => this.#isLasso(),
      onWord: (id) => this.#handlers.choose(id),
      onLasso: (ids) => this.#handlers.select(ids),
      onHover: (id, x, y) => this.#hover(id, scene, host, x, y),
    });
    return scene;
  }

  #nameOf(method: string) {
    const {map, list} = this.#words;
    return `Map of ${this.#words.counted(list.length)}${
        map.methods.length > 1 ? ` by ${methodName(method)}` : ''}`;
  }

  // The controls over the picture, in its pixels.
  #reservedIn(host: HTMLElement) {
    const origin = host.getBoundingClientRect();
    const covers = this.element.querySelectorAll<HTMLElement>(
        '.legend, .tools, .map-status .notice, .arrow');
    return [...covers].map((element) => {
      const {left, top, width, height} = element.getBoundingClientRect();
      return {x: left - origin.left, y: top - origin.top, width, height};
    });
  }

  // The first picture leaves room for the legend where there is enough, and is
  // wider by that than one next to it.
  makeRoom() {
    const {open, clientWidth} = this.#legend;
    const left = clientWidth + 16;
    const free = this.#pictures.clientWidth - left;
    const isWide = free >= LEAST * this.#pictures.children.length;
    const room = open && isWide ? left : 0;
    this.#pictures.style.setProperty('--room', `${room}px`);
    this.main.resize(room);
    this.#shared.relabel();
  }

  #tools(menu: Node) {
    const zoom = (factor: number) =>
        this.#shared.scenes.forEach((scene) => scene.zoomBy(factor));
    return h(
        'div.tools', {role: 'group', 'aria-label': 'Map tools'},
        iconButton('+', 'Zoom in', () => zoom(STEP)),
        iconButton('\u2212', 'Zoom out', () => zoom(1 / STEP)),
        iconButton(
            '⤢', 'Show the whole map',
            () => this.#shared.scenes.forEach((scene) => scene.fit())),
        this.#lasso, menu);
  }

  #isLasso() {
    return this.#lasso.getAttribute('aria-pressed') === 'true';
  }

  toggleLasso(on = !this.#isLasso()) {
    this.#lasso.setAttribute('aria-pressed', String(on));
    this.#pictures.classList.toggle('lassoing', on);
  }

  tell(notice: Element|null) {
    replaceChildren(this.#status, notice);
    this.#shared.relabel();
  }

  // Ends the notice of an error. That of a method that is being computed stays.
  endError() {
    if (this.#status.querySelector('.error')) this.tell(null);
  }

  // One request per method: a service may compute it first.
  layoutOf(method: string): Promise<Layout> {
    const {source, model, map} = this.#words;
    return remember(this.#layouts, method, async () => {
      if (!map.ready.includes(method)) {
        this.tell(statusNotice(`Computing the map by ${methodName(method)} …`));
      }
      return this.#words.named(await source.layout(model, method));
    });
  }

  // Shows the map by a method, and throws if that fails. Nothing happens if
  // another method was chosen in the meantime.
  async setMethod(method: string, onShown: () => void) {
    this.#wanted = method;
    if (method === this.method) return;
    try {
      const layout = await this.layoutOf(method);
      if (this.#wanted !== method) return;
      this.tell(null);
      this.main.setPicture(layout);
      this.method = method;
      const host = this.#pictures.children[0] as HTMLElement;
      host.dataset.method = method;
      host.setAttribute('aria-label', this.#nameOf(method));
      onShown();
      announce(`Map by ${methodName(method)}`);
    } catch (error) {
      if (this.#wanted === method) throw error;
    }
  }

  // Shows another method next to the first, or none ("").
  async setBeside(method: string) {
    this.#wantedBeside = method;
    this.#beside?.remove();
    this.#beside = null;
    this.#pictures.classList.toggle('two', method !== '');
    if (!method) return this.makeRoom();
    try {
      const layout = await this.layoutOf(method);
      if (this.#wantedBeside !== method || this.#beside) return;
      this.#beside = this.#makeScene(layout);
      this.makeRoom();
      this.tell(null);
    } catch (error) {
      if (this.#wantedBeside === method) throw error;
    }
  }

  // The nearest words that need no request: those that the page holds, or the
  // nearest on the map.
  nearby(id: number, scene = this.main): Near[] {
    return this.#words.source.nearby(id, NEARBY) ||
        scene.nearby(id, NEARBY).map((near) => ({id: near, score: NaN}));
  }

  // The card under the pointer, from data at hand.
  #hover(id: number, scene: Scene, host: HTMLElement, x: number, y: number) {
    if (id < 0) return this.hideCard();
    const {list, isText} = this.#words;
    const near = this.nearby(id, scene);
    const box = host.getBoundingClientRect();
    const all = this.#pictures.getBoundingClientRect();
    this.#card.show(
        cut(list[id], isText ? MOST_OF_TEXT : 60), this.#words.about(id),
        near.map((other) => cut(list[other.id], 28)), box.left - all.left + x,
        box.top - all.top + y, all.width, all.height);
  }

  hideCard() {
    this.#card.hide();
  }

  #onKey(event: KeyboardEvent, scene: Scene) {
    const {walk, select, openNeighbors, toggleSelected} = this.#handlers;
    onMapKey(event, {
      walk: (dx, dy) => {
        const next = scene.wordToward(this.#shared.marks.focus, dx, dy);
        if (next >= 0) walk(next, scene);
      },
      shift: (dx, dy) => {
        scene.camera.pan(-80 * dx, 80 * dy);
        scene.moved();
      },
      zoom: (factor) => scene.zoomBy(factor),
      fit: () => scene.fit(),
      first: () => walk(0, scene),
      selectVisible: () => select(scene.wordsOnScreen()),
      leave: () => this.#isLasso() ? this.toggleLasso(false) : walk(-1, scene),
      open: openNeighbors,
      toggle: toggleSelected,
    });
  }
}
