// The map of one model: all words as points, the chosen one with its neighbors,
// and what can be done with a selection. The address holds what the reader
// chose; this class shows what it says, in the parts of the view.

import {h, measurer} from '../../dom';
import {Coloring, paint, sizesOf, visibility} from '../../map/coloring';
import {keysOf} from '../../map/export';
import {WORD_FONT} from '../../map/labels';
import {readColors} from '../../map/overlay';
import {Scene, Shared} from '../../map/scene';
import {errorNotice} from '../../parts/results';
import {WordMap} from '../../source/source';
import {go} from '../../state';
import {theme} from '../../theme';
import {Frame} from '../view';

import {MapAddress} from './address';
import {ChosenWord} from './chosen';
import {Colorings} from './colors';
import {exportMenu, rowsOf} from './files';
import {FindField} from './find';
import {exampleOf, explanation, isFirstVisit} from './first';
import {Legend} from './legend';
import {MapWords} from './map_words';
import {Pictures} from './pictures';
import {Selection} from './selection';
import {Settings} from './settings';

const CLOSE = 6;  // zoom at which a word without neighbors is shown

function isDark() {
  return theme() === 'dark';
}

export class ModelMap {
  readonly element: HTMLElement;
  readonly #words: MapWords;
  readonly #address: MapAddress;
  readonly #shared: Shared;
  readonly #colorings: Colorings;
  readonly #chosen: ChosenWord;
  readonly #legend: Legend;
  readonly #find: FindField;
  readonly #selection: Selection;
  readonly #pictures: Pictures;
  #coloring: Coloring;
  #isShown = false;
  #isStarted = false;

  constructor(frame: Frame, model: string, map: WordMap) {
    const words = new MapWords(frame, model, map);
    this.#words = words;
    this.#colorings = new Colorings(words, () => this.#chosen.word);
    this.#coloring = this.#colorings.clusters;
    const colors = this.#colorings.choices;
    const address = new MapAddress(frame, {
      colors: colors.map(([value]) => value),
      methods: map.methods,
    });
    this.#address = address;
    this.#shared = new Shared(this.#look(new Set()));
    this.#chosen = new ChosenWord(words, address, this.#shared);
    this.#legend = new Legend(colors, map.methods, words.noun, {
      change: (changed) => this.#change(changed),
      select: (group) => this.#selection.addGroup(this.#coloring, group),
    });
    this.#find = new FindField(words, address, this.#shared, {
      onChange: (find) => this.#change({find}),
      onSelect: (ids) => this.#selection.add(ids),
    });
    this.#selection = new Selection(words, address, this.#shared, {
      visible: () => this.#pictures.main.wordsOnScreen(),
      rows: (ids) => this.#rows(ids),
      onAdded: () => this.#pictures.toggleLasso(false),
      onHidden: () => this.#repaint(),
    });
    this.#pictures = this.#makePictures();
    this.#pictures.main.onSettled = () => this.#noteState();
    document.addEventListener('themechange', () => this.#repaint());
    const panel =
        h('aside.panel', {'aria-label': 'Selection'}, ...this.#chosen.elements,
          this.#find, this.#selection);
    this.element = h('div.map', this.#pictures.element, panel);
  }

  #makePictures() {
    const menu = exportMenu(this.#words.noun, {
      drawing: () => this.#drawing(),
      rows: () => this.#rows(this.#pictures.main.wordsOnScreen()),
      noteState: () => this.#noteState(),
    });
    return new Pictures(this.#words, this.#shared, this.#legend.element, menu, {
      choose: (id) => this.#choose(id),
      walk: (id, scene) => this.#walk(id, scene),
      select: (ids) => this.#selection.add(ids),
      openNeighbors: () => {
        const {word} = this.#chosen;
        if (word !== null) go(this.#address.neighborsOf(word));
      },
      toggleSelected: () => {
        const {id} = this.#chosen;
        if (id >= 0) this.#selection.toggle(id);
      },
    });
  }

  #noteState() {
    if (!this.#isShown) return;
    this.#words.frame.note(this.#addressNow(this.#chosen.word));
  }

  #addressNow(word: string|null) {
    return this.#address.of(word, this.#pictures.main.camera);
  }

  // By pointer: a step in the history.
  #choose(id: number) {
    const word = id < 0 ? null : this.#words.list[id];
    if (word !== this.#chosen.word) go(this.#addressNow(word));
  }

  // By keyboard: no step in the history, which would fill with them.
  #walk(id: number, scene: Scene) {
    this.#focus(id);
    if (id >= 0 && !scene.isOnScreen(id)) {
      scene.flyTo(id);
    } else {
      this.#noteState();
    }
  }

  // Returns when the neighbors of the word are shown.
  #focus(id: number, missing: string|null = null) {
    const shown = this.#chosen.show(id, missing);
    if (this.#address.settings.color === 'similarity') this.#recolor();
    return shown;
  }

  // Flies to the chosen word, so near that its neighbors are apart.
  async #visit(id: number, shown: Promise<void>) {
    await shown;
    if (id !== this.#chosen.id || !this.#isShown) return;
    // The picture may have been put into the page just now.
    this.#pictures.makeRoom();
    const {main} = this.#pictures;
    const {neighbors} = this.#shared.marks;
    main.flyTo(id, main.zoomAround(id, neighbors, CLOSE));
  }

  hide() {
    this.#isShown = false;
    this.#pictures.hideCard();
  }

  show() {
    const isFirst = !this.#isShown;
    this.#isShown = true;
    const settings = this.#address.read();
    const {main} = this.#pictures;
    const move = this.#address.cameraMove();
    const word = this.#words.frame.parameters.get('word') || null;
    const id = this.#words.idOf(word);
    const isNew = isFirst || !this.#chosen.shows(word);
    const shown = isNew ? this.#focus(id, word) : Promise.resolve();
    this.#apply(settings, () => move?.(main));
    if (move) {
      // The address of what is shown is rounded, and would move it a little.
      if (location.hash !== this.#addressNow(this.#chosen.word)) move(main);
    } else if (id >= 0) {
      this.#visit(id, shown);
    } else if (isFirst && word === null) {
      main.redraw();
    }
    if (!this.#isStarted && word === null && !move) this.#welcome();
    this.#isStarted = true;
  }

  // Opens an example, and explains the map, on the first visit.
  #welcome() {
    if (!isFirstVisit()) return;
    const {list, map, noun, isText} = this.#words;
    const {points, clusters} = map.first;
    const id = exampleOf(
        list, points, clusters, (one) => this.#pictures.nearby(one), isText);
    if (id >= 0) this.#focus(id);
    this.element.querySelector('.panel')?.prepend(explanation(noun));
  }

  // By the controls: no step in the history.
  #change(changed: Partial<Settings>) {
    const settings = {...this.#address.settings, ...changed};
    if (settings.beside === settings.method) settings.beside = '';
    this.#apply(settings);
    this.#noteState();
  }

  // `onMethod` is called once the picture of another method is shown.
  #apply(settings: Settings, onMethod = () => {}) {
    const old = this.#address.settings;
    this.#address.settings = settings;
    const isFirst = !this.#isStarted;
    if (isFirst || settings.method !== old.method) this.#setMethod(onMethod);
    if (settings.beside !== old.beside) this.#setBeside();
    if (isFirst || settings.color !== old.color) {
      this.#recolor();
    } else if (
        settings.isSized !== old.isSized ||
        `${[...settings.off]}` !== `${[...old.off]}`) {
      this.#repaint();
    }
    this.#showLegend();
    this.#find.show(settings.find);
  }

  async #setMethod(onShown: () => void) {
    const before = this.#pictures.method;
    const {settings} = this.#address;
    try {
      await this.#pictures.setMethod(settings.method, onShown);
    } catch (error) {
      // What is shown is as before.
      this.#address.settings = {...this.#address.settings, method: before};
      this.#showLegend();
      this.#noteState();
      this.#pictures.tell(errorNotice(error));
    }
  }

  async #setBeside() {
    try {
      await this.#pictures.setBeside(this.#address.settings.beside);
    } catch (error) {
      this.#change({beside: ''});
      this.#pictures.tell(errorNotice(error));
    }
  }

  #look(hidden: ReadonlySet<number>) {
    const {list, map, isText} = this.#words;
    const {isSized, off} = this.#address.settings;
    const visible = visibility(list.length, this.#coloring, off, hidden);
    return {
      colors: paint(this.#coloring, visible, isDark()),
      visible,
      sizes: sizesOf(map.counts, isSized && !isText),
      text: (id: number) => list[id],
      longest: isText ? 40 : 28,
    };
  }

  #repaint() {
    this.#shared.setLook(this.#look(this.#selection.hidden));
    this.#showLegend();
    if (this.#address.settings.find) this.#find.update();
  }

  // Colors by what was chosen; what is on its way leaves the old colors.
  async #recolor() {
    const {color} = this.#address.settings;
    const isWanted = () => color === this.#address.settings.color;
    try {
      const coloring = await this.#colorings.of(color);
      if (!isWanted()) return;
      this.#coloring = coloring;
      this.#repaint();
      this.#pictures.endError();
    } catch (error) {
      if (isWanted()) this.#pictures.tell(errorNotice(error));
    }
  }

  #showLegend() {
    const {settings} = this.#address;
    const needsWord =
        settings.color === 'similarity' && this.#chosen.word === null;
    this.#legend.show(
        settings, this.#coloring, isDark(),
        needsWord ? `Choose a ${this.#words.noun} first.` : '');
  }

  async #rows(ids: number[]) {
    const {points} =
        await this.#pictures.layoutOf(this.#address.settings.method);
    return rowsOf(this.#words, points, this.#colorings.clusters, ids);
  }

  #drawing() {
    const {marks, look, scenes} = this.#shared;
    const panels = scenes.map((scene) => scene.content);
    const keys = keysOf(this.#coloring, this.#address.settings.off, isDark());
    const widthOf = measurer(WORD_FONT);
    return {
      width: Math.max(...panels.map(({x, camera}) => x + camera.width)),
      height: Math.max(...panels.map(({y, camera}) => y + camera.height)),
      panels,
      look,
      marked: [...marks.neighbors, marks.focus],
      keys,
      keyWidth: Math.ceil(Math.max(...keys.map(({text}) => widthOf(text)))),
      colors: readColors(),
    };
  }
}
