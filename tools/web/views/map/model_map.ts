// The map: all words as points, the focused one with its neighbors, and what
// can be done with a selection. The address holds what the reader chose.

import {announce, h, quiet, replaceChildren} from '../../dom';
import {counted, cut, thousands} from '../../format';
import {Coloring, paint, sizesOf, visibility} from '../../map/coloring';
import {copy, csvOf, keysOf, save} from '../../map/export';
import {Gestures} from '../../map/gestures';
import {readColors} from '../../map/overlay';
import {Scene, Shared} from '../../map/scene';
import {nameClusters, Typical, typicalTokens, typicalWords} from '../../map/typical';
import {button, iconButton} from '../../parts/fields';
import {errorNotice, Results} from '../../parts/results';
import {bar, spoken, wordLink} from '../../parts/word_table';
import {Layout, Neighbors, WordMap} from '../../source/source';
import {go, note, numberIn} from '../../state';
import {theme} from '../../theme';
import {Frame} from '../view';

import {Colorings} from './colors';
import {exportMenu, rowsOf, savePng, saveSvg} from './files';
import {FindField} from './find';
import {exampleOf, explanation, isFirstVisit, isTouch} from './first';
import {HoverCard} from './hover';
import {KeyActions, onMapKey} from './keys';
import {Legend, methodName, shortNumber} from './legend';
import {Selection} from './selection';
import {parametersOf, Possible, readSettings, Settings} from './settings';

const K = 10;
const NEARBY = 5;  // neighbors on the card under the pointer
const CLOSE = 6;   // zoom at which a word that was searched is shown
const MOST_TYPICAL = 20;
const MOST_OF_TEXT = 2000;  // characters of a text that are shown
const MOST_OF_LINK = 80;    // characters of a word in a list
const ROOM = 440;  // pixels of a picture beside which the legend has room

function isDark() {
  return theme() === 'dark';
}

// The map of one model.
export class ModelMap {
  readonly element: HTMLElement;
  readonly #noun: string;
  readonly #shared: Shared;
  readonly #scene: Scene;
  #beside: Scene|null = null;  // another method, next to the first
  readonly #pictures = h('div.pictures');
  readonly #status = h('div.map-status');
  readonly #card = new HoverCard();
  readonly #word = h('div.word-card');
  readonly #results = new Results();
  readonly #lasso: HTMLButtonElement;
  readonly #legend: Legend;
  readonly #find: FindField;
  readonly #selection: Selection;
  readonly #ids: Map<string, number>;
  readonly #colorings: Colorings;
  readonly #possible: Possible;
  readonly #layouts = new Map<string, Promise<Layout>>();
  #settings: Settings;
  #coloring: Coloring;
  #hidden: ReadonlySet<number> = new Set();
  #wanted = '';  // the method that is being loaded
  #current = new URLSearchParams();
  #isShown = false;
  #isStarted = false;
  #missing: string|null = null;  // a word that is not on the map

  readonly #frame: Frame;
  readonly #model: string;
  readonly #map: WordMap;

  constructor(frame: Frame, model: string, map: WordMap) {
    this.#frame = frame;
    this.#model = model;
    const {words} = map;
    const about = frame.vectorModels().find((one) => one.name === model);
    this.#noun = about?.texts ? 'text' : 'word';
    const first = this.#named(map.first, words);
    this.#map = {...map, first};
    this.#ids = new Map(words.map((word, id) => [word, id]));
    this.#layouts.set(first.method, Promise.resolve(first));
    this.#colorings = new Colorings(
        frame.source, model, this.#map, this.#noun, () => this.#focused());
    const colors = this.#colorings.choices;
    this.#possible = {
      colors: colors.map(({value}) => value),
      methods: map.methods,
    };
    this.#settings = readSettings(this.#current, this.#possible);
    this.#coloring = this.#colorings.clusters;
    this.#shared = new Shared(this.#look());
    this.#lasso = button('Lasso', () => this.#toggleLasso(), {
      'aria-pressed': 'false',
      title: `Draw a line around ${this.#noun}s to select them`,
    });
    this.#legend = new Legend(colors, map.methods, this.#noun, {
      change: (changed) => this.#change(changed),
      select: (group) => this.#selectGroup(group),
    });
    this.#find = new FindField({
      words,
      noun: this.#noun,
      visible: () => this.#shared.look.visible,
      link: (id) => this.#linkTo(words[id]),
      onChange: (find) => this.#change({find}),
      onFound: (ids) => {
        this.#shared.marks.found = ids;
        this.#shared.redraw();
      },
      onSelect: (ids) => this.#selectMore(ids),
    });
    this.#selection = this.#makeSelection();
    this.element = this.#layOut();
    this.#scene = this.#makeScene(first);
    this.#scene.onSettled = () => this.#noteState();
    new ResizeObserver(() => this.#makeRoom()).observe(this.#pictures);
    this.#legend.element.addEventListener('toggle', () => this.#makeRoom());
    document.addEventListener('themechange', () => this.#repaint());
    this.#selection.show(this.#shared.marks.selected, 0);
    this.#makeRoom();
  }

  // The clusters of texts are named by tokens, and not by texts.
  #named(layout: Layout, words = this.#map.words): Layout {
    const {points, clusters} = layout;
    return this.#noun === 'word' ? layout : {
      ...layout,
      clusters: nameClusters(words, points, clusters),
    };
  }

  #layOut() {
    const hint = h(
        'p', {id: 'map-keys', class: 'unseen'},
        `The arrow keys select the nearest ${this.#noun} in that direction. ` +
            'Press question mark for all keys.');
    const panel =
        h('aside.panel', {'aria-label': 'Selection'}, this.#word,
          this.#results.element, this.#find.element, this.#selection.element);
    return h(
        'div.map', {},
        h('div.map-main', {}, this.#pictures, this.#legend.element,
          this.#tools(), this.#status, this.#card.element, hint),
        panel);
  }

  #makeScene(layout: Layout): Scene {
    const host: HTMLElement = h('div.map-canvas', {
      role: 'application',
      tabindex: '0',
      'aria-label': this.#sceneName(layout.method),
      'aria-roledescription': 'map',
      'aria-describedby': 'map-keys',
      onkeydown: (e: KeyboardEvent) => onMapKey(e, this.#keysOf(scene)),
    });
    this.#pictures.append(host);
    const scene: Scene = new Scene(host, layout, this.#shared);
    scene.reserved = () => this.#reservedIn(host);
    new Gestures(host, scene, this.#shared, {
      isLasso: () => this.#isLasso(),
      onWord: (id) => this.#choose(id),
      onLasso: (ids) => this.#selectMore(ids),
      onHover: (id, x, y) => this.#hover(id, scene, host, x, y),
    });
    return scene;
  }

  #sceneName(method: string) {
    const several = this.#map.methods.length > 1;
    return `Map of ${counted(this.#map.words.length, this.#noun)}${
        several ? ` by ${methodName(method)}` : ''}`;
  }

  #host(scene = 0) {
    return this.#pictures.children[scene] as HTMLElement;
  }

  // The controls over the picture, in its pixels.
  #reservedIn(host: HTMLElement) {
    const origin = host.getBoundingClientRect();
    const covers = this.element.querySelectorAll<HTMLElement>(
        '.legend, .tools, .first, .map-status .notice, .arrow');
    return [...covers].map((element) => {
      const {left, top, width, height} = element.getBoundingClientRect();
      return {x: left - origin.left, y: top - origin.top, width, height};
    });
  }

  // The picture leaves room for the legend where it is wide enough.
  #makeRoom() {
    const {open, clientWidth} = this.#legend.element;
    const isWide = this.#host().clientWidth >= ROOM;
    this.#scene.resize(open && isWide ? clientWidth + 16 : 0);
    this.#shared.relabel();
  }

  #tools() {
    const zoom = (factor: number) =>
        this.#shared.scenes.forEach((scene) => scene.zoomBy(factor));
    const copyAddress = () => {
      this.#noteState();
      copy(location.href, 'Address');
    };
    const menu = exportMenu(this.#noun, {
      png: () => savePng(this.#layers()),
      svg: () => saveSvg(this.#layers()),
      table: async () => save(
          csvOf(await this.#rows(this.#scene.wordsOnScreen())), 'text/csv',
          'map.csv'),
      address: copyAddress,
    });
    return h(
        'div.tools', {role: 'group', 'aria-label': 'Map tools'},
        iconButton('+', 'Zoom in', () => zoom(1.6)),
        iconButton('\u2212', 'Zoom out', () => zoom(1 / 1.6)),
        iconButton(
            '⤢', 'Show the whole map',
            () => this.#shared.scenes.forEach((scene) => scene.fit())),
        this.#lasso, menu);
  }

  #makeSelection() {
    const {source} = this.#frame;
    const hasSums = source.lacks('sums', this.#model) === null;
    return new Selection({
      words: this.#map.words,
      noun: this.#noun,
      link: (id) => this.#linkTo(this.#map.words[id]),
      selectVisible: () => this.#selectMore(this.#scene.wordsOnScreen()),
      set: (selected) => this.#setSelected(selected),
      hide: (ids, keep) => this.#hideThese(ids, keep),
      showAll: () => this.#setHidden(new Set()),
      rows: (ids) => this.#rows(ids),
      typical: (ids) => this.#typical(ids),
      neighbors: hasSums ? (words) => source.neighbors(
                               this.#model, {plus: words, minus: []}, K) :
                           null,
      listOf: (answer, label) => this.#listOf(answer, label),
      openAxis: (from, to) =>
          go(this.#frame.address('axes', {from, to}, this.#current)),
    });
  }

  #isLasso() {
    return this.#lasso.getAttribute('aria-pressed') === 'true';
  }

  #toggleLasso(on = !this.#isLasso()) {
    this.#lasso.setAttribute('aria-pressed', String(on));
    this.#pictures.classList.toggle('lassoing', on);
  }

  #addressOf(word: string|null, withCamera: boolean) {
    const {camera} = this.#scene;
    const place = withCamera ? {
      x: Number(camera.x.toPrecision(5)),
      y: Number(camera.y.toPrecision(5)),
      z: Number(camera.zoom.toPrecision(4)),
    } :
                               {};
    const kept = parametersOf(this.#settings, this.#possible);
    return this.#frame.address('map', {word, ...place, ...kept}, this.#current);
  }

  #focused() {
    const {focus} = this.#shared.marks;
    return focus < 0 ? null : this.#map.words[focus];
  }

  #noteState() {
    if (!this.#isShown) return;
    note(this.#addressOf(this.#focused(), true));
  }

  // By pointer: a step in the history.
  #choose(id: number) {
    const word = id < 0 ? null : this.#map.words[id];
    if (word === this.#focused()) return;
    go(this.#addressOf(word, true));
  }

  hide() {
    this.#isShown = false;
    this.#card.hide();
  }

  show(parameters: URLSearchParams) {
    const isFirst = !this.#isShown;
    this.#isShown = true;
    this.#current = parameters;
    const settings = readSettings(parameters, this.#possible);
    const camera = this.#cameraIn(parameters);
    const word = parameters.get('word');
    const id = word === null ? -1 : this.#ids.get(word) ?? -1;
    const {marks} = this.#shared;
    const isSame = id === marks.focus && (id >= 0 || word === this.#missing);
    if (!isSame || isFirst) this.#focus(id, word);
    this.#apply(settings, camera);
    if (camera) {
      // The address of what is shown is rounded, and would move it a little.
      if (location.hash !== this.#addressOf(this.#focused(), true)) camera();
    } else if (id >= 0) {
      this.#scene.flyTo(id, Math.max(this.#scene.camera.zoom, CLOSE));
    } else if (isFirst && word === null) {
      this.#scene.redraw();
    }
    if (!this.#isStarted && word === null && !camera) this.#welcome();
    this.#isStarted = true;
  }

  // What moves the camera as the address says, or null.
  #cameraIn(parameters: URLSearchParams) {
    if (!parameters.has('z')) return null;
    return () => {
      const {camera} = this.#scene;
      camera.x = numberIn(parameters, 'x', -1e9, 1e9, camera.x);
      camera.y = numberIn(parameters, 'y', -1e9, 1e9, camera.y);
      camera.zoom = numberIn(
          parameters, 'z', camera.leastZoom, camera.mostZoom, camera.zoom);
      this.#scene.land();
      this.#scene.relabel();
    };
  }

  // Opens an example, and explains the map, on the first visit.
  #welcome() {
    if (!isFirstVisit()) return;
    const {words, first} = this.#map;
    const id = exampleOf(words, first.points, first.clusters);
    if (id >= 0) this.#focus(id, null);
    this.element.querySelector('.map-main')?.append(explanation(this.#noun));
    this.#shared.relabel();
  }

  // By the controls: no step in the history.
  #change(changed: Partial<Settings>) {
    const settings = {...this.#settings, ...changed};
    if (settings.beside === settings.method) settings.beside = '';
    this.#apply(settings, null);
    this.#noteState();
  }

  // `camera` is called once the picture that it belongs to is shown.
  #apply(settings: Settings, camera: (() => void)|null) {
    const old = this.#settings;
    this.#settings = settings;
    if (settings.method !== old.method || !this.#isStarted) {
      this.#setMethod(settings.method, camera);
    }
    if (settings.beside !== old.beside) this.#setBeside(settings.beside);
    if (settings.color !== old.color || !this.#isStarted) {
      this.#recolor();
    } else if (
        settings.isSized !== old.isSized ||
        `${[...settings.off]}` !== `${[...old.off]}`) {
      this.#repaint();
    }
    this.#showLegend();
    this.#find.show(settings.find);
  }

  #look() {
    const {words, counts} = this.#map;
    const {isSized, off} = this.#settings;
    const isText = this.#noun === 'text';
    const visible = visibility(words.length, this.#coloring, off, this.#hidden);
    return {
      colors: paint(this.#coloring, visible, isDark()),
      visible,
      sizes: sizesOf(counts, isSized),
      text: (id: number) => words[id],
      longest: isText ? 40 : 28,
    };
  }

  #repaint() {
    this.#shared.setLook(this.#look());
    this.#showLegend();
    if (this.#settings.find) this.#find.update();
  }

  // Colors by what was chosen; what is on its way leaves the old colors.
  async #recolor() {
    const {color} = this.#settings;
    try {
      const coloring = await this.#colorings.of(color);
      if (color !== this.#settings.color) return;
      this.#coloring = coloring;
      this.#repaint();
      // A notice of a method that is being computed stays.
      if (this.#status.querySelector('.error')) this.#tell(null);
    } catch (error) {
      if (color === this.#settings.color) this.#tell(errorNotice(error));
    }
  }

  #showLegend() {
    const needsWord =
        this.#settings.color === 'similarity' && this.#focused() === null;
    this.#legend.show(
        this.#settings, this.#coloring, isDark(),
        needsWord ? `Choose a ${this.#noun} first.` : '');
  }

  #tell(notice: Element|null) {
    replaceChildren(this.#status, notice);
    this.#shared.relabel();
  }

  // One request per method: a service may compute it first.
  #layoutOf(method: string): Promise<Layout> {
    let layout = this.#layouts.get(method);
    if (!layout) {
      layout = this.#frame.source.layout(this.#model, method)
                   .then((loaded) => this.#named(loaded));
      this.#layouts.set(method, layout);
      layout.catch(() => this.#layouts.delete(method));
      const text = `Computing the map by ${methodName(method)} …`;
      if (!this.#map.ready.includes(method)) {
        this.#tell(h('p.notice', {role: 'status'}, text));
      }
    }
    return layout;
  }

  async #setMethod(method: string, camera: (() => void)|null) {
    const before = this.#host().dataset.method || this.#map.first.method;
    this.#wanted = method;
    if (method === before) return;
    try {
      const layout = await this.#layoutOf(method);
      if (this.#wanted !== method) return;
      this.#tell(null);
      this.#scene.setPicture(layout);
      this.#host().dataset.method = method;
      this.#host().setAttribute('aria-label', this.#sceneName(method));
      camera?.();
      announce(`Map by ${methodName(method)}`);
    } catch (error) {
      if (this.#wanted !== method) return;
      this.#settings = {...this.#settings, method: before};
      this.#showLegend();
      this.#noteState();
      this.#tell(errorNotice(error));
    }
  }

  async #setBeside(method: string) {
    this.#beside?.remove();
    this.#beside = null;
    this.#pictures.classList.toggle('two', method !== '');
    if (!method) return this.#makeRoom();
    try {
      const layout = await this.#layoutOf(method);
      if (this.#settings.beside !== method || this.#beside) return;
      this.#beside = this.#makeScene(layout);
      this.#makeRoom();
      this.#tell(null);
    } catch (error) {
      if (this.#settings.beside !== method) return;
      this.#change({beside: ''});
      this.#tell(errorNotice(error));
    }
  }

  #focus(id: number, word: string|null) {
    const {marks} = this.#shared;
    marks.focus = id;
    marks.neighbors = [];
    this.#shared.relabel();
    if (this.#settings.color === 'similarity') this.#recolor();
    if (id < 0) return this.#showNone(word);
    const name = this.#map.words[id];
    const address =
        this.#frame.address('neighbors', {plus: [name]}, this.#current);
    const isText = this.#noun === 'text';
    replaceChildren(
        this.#word,
        h('h2', {class: isText ? 'long' : ''},
          wordLink(isText ? cut(name, MOST_OF_TEXT) : name, address)),
        quiet(this.#about(id)),
        !this.#shared.look.visible[id] &&
            h('p.notice', {}, `This ${this.#noun} is hidden on the map.`));
    this.#results.load(
        [this.#model, name],
        this.#frame.source.neighbors(this.#model, {plus: [name], minus: []}, K),
        (answer) => this.#renderNeighbors(name, answer));
  }

  #about(id: number) {
    const count = this.#map.counts[id];
    const kind = this.#noun === 'text' ? 'Text' : 'Frequency rank';
    const rank = `${kind} ${thousands(id + 1)}`;
    return count > 0 ? `${rank}, ${counted(count, 'occurrence')}` : rank;
  }

  #showNone(word: string|null) {
    this.#missing = word;
    const isMissing = word !== null;
    replaceChildren(
        this.#word, h('h2.unseen', {}, 'Map'),
        isMissing ?
            h('p.notice', {role: 'status'}, h('bdi.word', {}, word),
              ' is not on this map.') :
            quiet(
                isTouch() ? `Tap a ${this.#noun}, or search above.` :
                            `Click a ${this.#noun}, use the arrow keys, or ` +
                        'press / to search.'));
    this.#results.show();
  }

  #renderNeighbors(name: string, answer: Neighbors) {
    const {marks} = this.#shared;
    marks.neighbors =
        answer.neighbors.map((neighbor) => this.#ids.get(neighbor.word) ?? -1)
            .filter((id) => id >= 0);
    this.#shared.relabel();
    this.#results.say(spoken(name, answer.neighbors));
    return [this.#listOf(answer, `Nearest to ${cut(name, 60)}`)];
  }

  #listOf(answer: Neighbors, label: string) {
    const items = answer.neighbors.map(
        ({word, score}) =>
            h('li', {}, this.#linkTo(word), bar(score),
              h('span.number', {}, score.toFixed(2))));
    return h('ol.near', {'aria-label': label}, ...items);
  }

  #linkTo(word: string) {
    // The address is that of the moment when the link is followed.
    const link =
        wordLink(cut(word, MOST_OF_LINK), this.#addressOf(word, false));
    link.addEventListener(
        'click', () => link.href = this.#addressOf(word, false));
    return link;
  }

  // The card under the pointer, from data at hand.
  #hover(id: number, scene: Scene, host: HTMLElement, x: number, y: number) {
    if (id < 0) return this.#card.hide();
    const {words} = this.#map;
    const most = this.#noun === 'text' ? MOST_OF_TEXT : 60;
    const near = this.#frame.source.nearby(words[id], NEARBY) ||
        scene.nearby(id, NEARBY).map((other) => words[other]);
    const box = host.getBoundingClientRect();
    const all = this.#pictures.getBoundingClientRect();
    this.#card.show(
        cut(words[id], most), this.#about(id),
        near.map((word) => cut(word, 28)), box.left - all.left + x,
        box.top - all.top + y, all.width, all.height);
  }

  #selectMore(ids: number[]) {
    const selected = new Set(this.#shared.marks.selected);
    for (const id of ids) selected.add(id);
    this.#setSelected(selected);
    announce(`${counted(selected.size, this.#noun)} selected`);
    this.#toggleLasso(false);
  }

  #selectGroup(group: number) {
    const coloring = this.#coloring;
    if (coloring.kind !== 'categories') return;
    const ids: number[] = [];
    coloring.of.forEach((of, id) => {
      if (of === group && !this.#hidden.has(id)) ids.push(id);
    });
    this.#selectMore(ids);
  }

  #setSelected(selected: ReadonlySet<number>) {
    this.#shared.marks.selected = selected;
    this.#shared.redraw();
    this.#selection.show(selected, this.#hidden.size);
  }

  #hideThese(ids: ReadonlySet<number>, keep: boolean) {
    const hidden = new Set(this.#hidden);
    this.#map.words.forEach((_, id) => {
      if (ids.has(id) !== keep) hidden.add(id);
    });
    this.#setHidden(hidden);
    if (!keep) this.#setSelected(new Set());
  }

  #setHidden(hidden: ReadonlySet<number>) {
    this.#hidden = hidden;
    this.#repaint();
    this.#selection.show(this.#shared.marks.selected, hidden.size);
    announce(
        hidden.size ? `${counted(hidden.size, this.#noun)} hidden` :
                      `All ${this.#noun}s are shown`);
  }

  #typical(ids: ReadonlySet<number>): Typical[] {
    const {words, first} = this.#map;
    return this.#noun === 'text' ?
        typicalTokens(words, ids, MOST_TYPICAL) :
        typicalWords(words, first.points, ids, MOST_TYPICAL);
  }

  async #rows(ids: number[]) {
    const {points} = await this.#layoutOf(this.#settings.method);
    return rowsOf(
        this.#frame.source, this.#model, this.#map, points,
        this.#colorings.clusters, this.#noun, ids);
  }

  #layers() {
    const {marks} = this.#shared;
    return {
      ...this.#scene.content,
      camera: this.#scene.camera,
      look: this.#shared.look,
      marked: [...marks.neighbors, marks.focus],
      keys: keysOf(this.#coloring, this.#settings.off, isDark(), shortNumber),
      colors: readColors(),
    };
  }

  #keysOf(scene: Scene): KeyActions {
    return {
      walk: (dx, dy) => {
        const {focus} = this.#shared.marks;
        const next = scene.wordToward(focus, dx, dy);
        if (next >= 0) this.#walkTo(next, scene);
      },
      shift: (dx, dy) => {
        scene.camera.pan(-80 * dx, 80 * dy);
        scene.moved();
      },
      zoom: (factor) => scene.zoomBy(factor),
      fit: () => scene.fit(),
      first: () => this.#walkTo(0, scene),
      selectVisible: () => this.#selectMore(scene.wordsOnScreen()),
      leave: () =>
          this.#isLasso() ? this.#toggleLasso(false) : this.#walkTo(-1, scene),
      open: () => this.#openNeighbors(),
      toggle: () => this.#toggleSelected(),
    };
  }

  #openNeighbors() {
    const word = this.#focused();
    if (word === null) return;
    go(this.#frame.address('neighbors', {plus: [word]}, this.#current));
  }

  #toggleSelected() {
    const {focus: id, selected} = this.#shared.marks;
    if (id < 0) return;
    const changed = new Set(selected);
    const isNew = !changed.delete(id);
    if (isNew) changed.add(id);
    this.#setSelected(changed);
    announce(`${this.#map.words[id].slice(0, 60)} ${
        isNew ? 'added to' : 'removed from'} the selection`);
  }

  // By keyboard: no step in the history, which would fill with them.
  #walkTo(id: number, scene: Scene) {
    this.#focus(id, null);
    if (id >= 0 && !scene.isOnScreen(id)) {
      scene.flyTo(id);
    } else {
      this.#noteState();
    }
  }
}
