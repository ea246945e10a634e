// The map: all words as points, the focused one with its neighbors, and a list
// of words that the reader takes from it.

import {announce, h, replaceChildren} from '../dom';
import {counted, cut} from '../format';
import {Gestures} from '../map/gestures';
import {Scene} from '../map/scene';
import {button, iconButton} from '../parts/fields';
import {errorNotice, Results} from '../parts/results';
import {bar, spoken, wordLink} from '../parts/word_table';
import {Neighbors, WordMap} from '../source/source';
import {go, note, numberIn} from '../state';

import {Frame, View} from './view';

const K = 10;
const CLOSE = 6;          // zoom at which a word that was searched is shown
const MOST_LISTED = 500;  // words of the list that are shown

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

function save(words: string[]) {
  const file = new Blob([words.join('\n') + '\n'], {type: 'text/plain'});
  const address = URL.createObjectURL(file);
  h('a', {href: address, download: 'words.txt'}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// The map of one model.
class ModelMap {
  readonly element: HTMLElement;
  readonly scene: Scene;
  private readonly canvas: HTMLElement;
  private readonly panel = h('aside', {
    class: 'panel',
    'aria-label': 'Selected word and list',
  });
  private readonly word = h('div', {class: 'word-card'});
  private readonly results = new Results();
  private readonly list = h('div', {class: 'list'});
  private readonly lasso: HTMLButtonElement;
  private readonly ids: Map<string, number>;
  private current = new URLSearchParams();
  private isShown = false;
  private missing: string|null = null;  // a word that is not on the map

  constructor(
      private readonly frame: Frame, private readonly model: string,
      private readonly map: WordMap) {
    this.ids = new Map(map.words.map((word, id) => [word, id]));
    this.canvas = h('div', {
      class: 'map-canvas',
      role: 'application',
      tabindex: '0',
      'aria-label': `Map of ${counted(map.words.length, 'word')}`,
      'aria-roledescription': 'map',
      'aria-describedby': 'map-keys',
      onkeydown: (e: KeyboardEvent) => this.onKey(e),
    });
    this.lasso = button('Lasso', () => this.toggleLasso(), {
      'aria-pressed': 'false',
      title: 'Draw a line around words to add them to the list',
    });
    const hint = h(
        'p', {id: 'map-keys', class: 'unseen'},
        'The arrow keys select the nearest word in that direction. Plus and ' +
            'minus zoom in and out. Enter shows the neighbors. Space adds ' +
            'the word to the list or removes it.');
    replaceChildren(this.panel, this.word, this.results.element, this.list);
    this.element =
        h('div', {class: 'map'},
          h('div', {class: 'map-main'}, this.canvas, this.tools(), hint),
          this.panel);
    this.scene = new Scene(this.canvas, map);
    this.scene.onSettled = () => this.noteCamera();
    new Gestures(this.canvas, this.scene, {
      isLasso: () => this.isLasso(),
      onWord: (id) => this.choose(id),
      onLasso: (ids) => this.listMore(ids),
    });
    this.showList();
  }

  private tools() {
    const zoom = (factor: number) => this.scene.zoomBy(factor);
    return h(
        'div', {class: 'tools', role: 'group', 'aria-label': 'Map tools'},
        iconButton('+', 'Zoom in', () => zoom(1.6)),
        iconButton('\u2212', 'Zoom out', () => zoom(1 / 1.6)),
        iconButton('⤢', 'Show the whole map', () => this.scene.fit()),
        this.lasso);
  }

  private isLasso() {
    return this.lasso.getAttribute('aria-pressed') === 'true';
  }

  private toggleLasso(on = !this.isLasso()) {
    this.lasso.setAttribute('aria-pressed', String(on));
    this.canvas.classList.toggle('lassoing', on);
  }

  private addressOf(word: string|null, withCamera: boolean) {
    const {camera} = this.scene;
    const place = withCamera ? {
      x: Number(camera.x.toPrecision(5)),
      y: Number(camera.y.toPrecision(5)),
      z: Number(camera.zoom.toPrecision(4)),
    } :
                               {};
    return this.frame.address('map', {word, ...place}, this.current);
  }

  private focused() {
    const {focus} = this.scene.marks;
    return focus < 0 ? null : this.map.words[focus];
  }

  private noteCamera() {
    if (!this.isShown) return;
    note(this.addressOf(this.focused(), true));
  }

  // By pointer: a step in the history.
  private choose(id: number) {
    const word = id < 0 ? null : this.map.words[id];
    if (word === this.focused()) return;
    go(this.addressOf(word, true));
  }

  hide() {
    this.isShown = false;
  }

  show(parameters: URLSearchParams) {
    const isFirst = !this.isShown;
    this.isShown = true;
    this.current = parameters;
    const word = parameters.get('word');
    const id = word === null ? -1 : this.ids.get(word) ?? -1;
    const {camera, marks} = this.scene;
    if (parameters.has('z')) {
      camera.x = numberIn(parameters, 'x', -1e9, 1e9, camera.x);
      camera.y = numberIn(parameters, 'y', -1e9, 1e9, camera.y);
      camera.zoom = numberIn(parameters, 'z', 0.5, 2000, camera.zoom);
      this.scene.land();
      this.scene.redraw();
    } else if (id >= 0) {
      this.scene.flyTo(id, Math.max(camera.zoom, CLOSE));
    } else if (isFirst && word === null) {
      this.scene.redraw();
    }
    const isSame = id === marks.focus && (id >= 0 || word === this.missing);
    if (!isSame || isFirst) this.focus(id, word);
  }

  private focus(id: number, word: string|null) {
    const {marks} = this.scene;
    marks.focus = id;
    marks.neighbors = [];
    this.scene.redraw();
    if (id < 0) return this.showNone(word);
    const name = this.map.words[id];
    const address =
        this.frame.address('neighbors', {plus: [name]}, this.current);
    replaceChildren(
        this.word, h('h2', {}, wordLink(name, address)),
        h('p', {class: 'quiet'}, `Frequency rank ${id + 1}`));
    this.results.load(
        [this.model, name],
        this.frame.source.neighbors(this.model, {plus: [name], minus: []}, K),
        (answer) => this.renderNeighbors(name, answer));
  }

  private showNone(word: string|null) {
    this.missing = word;
    const isMissing = word !== null;
    replaceChildren(
        this.word, h('h2', {class: 'unseen'}, 'Map'),
        isMissing ?
            h('p', {class: 'notice', role: 'status'},
              h('bdi', {class: 'word'}, word), ' is not on this map.') :
            h('p', {class: 'quiet'},
              'Click a word, use the arrow keys, or press / to search.'));
    this.results.show();
  }

  private renderNeighbors(name: string, answer: Neighbors) {
    const {marks} = this.scene;
    marks.neighbors =
        answer.neighbors.map((neighbor) => this.ids.get(neighbor.word) ?? -1)
            .filter((id) => id >= 0);
    this.scene.redraw();
    this.results.say(spoken(name, answer.neighbors));
    const items = answer.neighbors.map(
        ({word, score}) =>
            h('li', {}, this.linkTo(word), bar(score),
              h('span', {class: 'number'}, score.toFixed(2))));
    return [h(
        'ol', {
          class: 'near',
          'aria-label': `Nearest to ${cut(name, 60)}`,
        },
        ...items)];
  }

  private linkTo(word: string) {
    return wordLink(word, this.frame.address('map', {word}, this.current));
  }

  private listMore(ids: number[]) {
    const selected = new Set(this.scene.marks.selected);
    for (const id of ids) selected.add(id);
    this.setList(selected);
    announce(`${counted(selected.size, 'word')} in the list`);
    this.toggleLasso(false);
  }

  private setList(selected: Set<number>) {
    this.scene.marks.selected = selected;
    this.scene.redraw();
    this.showList();
  }

  private listed() {
    return [...this.scene.marks.selected]
        .sort((a, b) => a - b)
        .map((id) => this.map.words[id]);
  }

  private showList() {
    const words = this.listed();
    const items = words.slice(0, MOST_LISTED)
                      .map((word) => h('li', {}, this.linkTo(word)));
    const buttons = words.length ?
        [
          button('Save', () => save(this.listed()), {class: 'primary'}),
          button('Clear', () => this.setList(new Set())),
        ] :
        [];
    const inView = button(
        'List visible words', () => this.listMore(this.scene.wordsOnScreen()));
    const rest = words.length - items.length;
    replaceChildren(
        this.list,
        h('h3', {}, words.length ? counted(words.length, 'word') : 'List'),
        h('div', {class: 'row'}, inView, ...buttons),
        items.length ?
            h('ul', {class: 'listed', tabindex: '0', 'aria-label': 'List'},
              ...items) :
            null,
        rest > 0 ?
            h('p', {class: 'quiet'}, `and ${counted(rest, 'more word')}`) :
            null);
  }

  private onKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.actionOf(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  private actionOf(event: KeyboardEvent): (() => void)|null {
    const arrow = ARROWS[event.key];
    if (arrow) {
      return () => event.shiftKey ? this.shift(...arrow) : this.walk(...arrow);
    }
    const {focus, selected} = this.scene.marks;
    switch (event.key) {
      case '+':
      case '=':
        return () => this.scene.zoomBy(1.6);
      case '-':
        return () => this.scene.zoomBy(1 / 1.6);
      case '0':
        return () => this.scene.fit();
      case 'Home':
        return () => this.walkTo(0);
      case 'v':
      case 'V':
        return () => this.listMore(this.scene.wordsOnScreen());
      case 'Escape':
        return () => this.isLasso() ? this.toggleLasso(false) : this.walkTo(-1);
      case 'Enter':
        return focus < 0 ? null : () => this.openNeighbors();
      case ' ':
        return focus < 0 ? null : () => this.toggleListed(focus, selected);
      default:
        return null;
    }
  }

  private openNeighbors() {
    const word = this.focused();
    if (word === null) return;
    go(this.frame.address('neighbors', {plus: [word]}, this.current));
  }

  private toggleListed(id: number, selected: ReadonlySet<number>) {
    const changed = new Set(selected);
    const isNew = !changed.delete(id);
    if (isNew) changed.add(id);
    this.setList(changed);
    announce(`${this.map.words[id].slice(0, 60)} ${
        isNew ? 'added to' : 'removed from'} the list`);
  }

  private shift(dx: number, dy: number) {
    this.scene.camera.pan(-80 * dx, 80 * dy);
    this.scene.moved();
  }

  private walk(dx: number, dy: number) {
    const next = this.scene.wordToward(this.scene.marks.focus, dx, dy);
    if (next >= 0) this.walkTo(next);
  }

  // By keyboard: no step in the history, which would fill with them.
  private walkTo(id: number) {
    this.focus(id, null);
    if (id >= 0 && !this.scene.isOnScreen(id)) {
      this.scene.flyTo(id);
    } else {
      this.noteCamera();
    }
  }
}

export class MapView implements View {
  readonly element = h('div', {class: 'map-view'});
  private readonly maps = new Map<string, ModelMap>();
  private shown: ModelMap|null = null;
  private asked = '';
  private parameters = new URLSearchParams();

  constructor(private readonly frame: Frame) {}

  show(parameters: URLSearchParams) {
    const model = this.frame.model(parameters);
    this.parameters = parameters;
    if (this.asked === model && !this.maps.has(model)) return;
    this.asked = model;
    const map = this.maps.get(model);
    if (map) return this.showMap(map, parameters);
    this.hide();
    replaceChildren(
        this.element, h('p', {class: 'start quiet'}, 'Loading the map …'));
    this.load(model).catch((error) => {
      this.asked = '';
      replaceChildren(
          this.element, h('section', {class: 'page'}, errorNotice(error)));
    });
  }

  hide() {
    if (this.shown) this.shown.hide();
    this.shown = null;
  }

  private async load(model: string) {
    const words = await this.frame.source.map(model);
    if (this.asked !== model) return;
    const map = this.maps.get(model) || new ModelMap(this.frame, model, words);
    this.maps.set(model, map);
    this.frame.searchIn(model, words.words);
    this.showMap(map, this.parameters);
  }

  private showMap(map: ModelMap, parameters: URLSearchParams) {
    if (this.shown !== map) {
      this.hide();
      replaceChildren(this.element, map.element);
      this.shown = map;
    }
    map.show(parameters);
  }
}
