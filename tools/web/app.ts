// The frame of the page: search, theme, the tabs of the views, and the road
// from the address to the view that shows it.

import {announce, append, h, page, replaceChildren} from './dom';
import {counted, thousands} from './format';
import {copy} from './map/export';
import {Combobox} from './parts/combobox';
import {button, iconButton, namesOf, selectField} from './parts/fields';
import {errorNotice} from './parts/results';
import {SearchedWords} from './search';
import {Feature, Model, remedyOf, Source} from './source/source';
import {formatAddress, go, keptOf, NO_PARAMETERS, Parameters, parseAddress, ViewName, VIEWS} from './state';
import {switchTheme, theme} from './theme';
import {AnalogiesView} from './views/analogies';
import {AxesView} from './views/axes';
import {CompareView} from './views/compare';
import {ContextView} from './views/context';
import {MapView} from './views/map';
import {MAP_SETTINGS} from './views/map/settings';
import {NeighborsView} from './views/neighbors';
import {TrainingView} from './views/training';
import {Frame, View} from './views/view';

// The views. A view whose features are all missing shows the reason instead.
const KINDS: Record<
    ViewName,
    {title: string, make: new (frame: Frame) => View, needs: Feature[]}> = {
  map: {title: 'Map', make: MapView, needs: ['map']},
  neighbors: {title: 'Neighbors', make: NeighborsView, needs: ['neighbors']},
  compare: {
    title: 'Compare',
    make: CompareView,
    needs: ['compare words', 'compare models'],
  },
  axes: {title: 'Axes', make: AxesView, needs: ['axes']},
  analogies: {
    title: 'Analogies',
    make: AnalogiesView,
    needs: ['analogy', 'evaluation'],
  },
  context: {title: 'In context', make: ContextView, needs: ['context']},
  training: {title: 'Training', make: TrainingView, needs: ['log']},
};

const SUGGESTIONS = 8;
// Any two letters are similar to all words of two letters.
const LEAST_MISTYPED = 3;

// The window that explains the keys.
const KEYS: Array<[string, string]> = [
  ['/', 'search words'],
  ['?', 'show these shortcuts'],
  ['← →', 'on the tabs: move to another tab; Enter opens it'],
  ['← ↑ → ↓', 'map: select the nearest word'],
  ['Shift and ← ↑ → ↓', 'map: move the map'],
  ['+ −', 'map: zoom in, zoom out'],
  ['0', 'map: show the whole map'],
  ['Home', 'map: select the most frequent word'],
  ['Enter', 'map: show the neighbors of the word'],
  ['Space', 'map: add the word to the selection, or remove it'],
  ['V', 'map: select all visible words'],
  ['Escape', 'close a dialog or list; map: deselect the word'],
];

function keysDialog() {
  if (document.querySelector('dialog[open]')) return;
  const list = h('dl.keys');
  for (const [key, meaning] of KEYS) {
    list.append(h('dt', h('kbd', key)), h('dd', meaning));
  }
  const dialog: HTMLDialogElement =
      h('dialog', {'aria-labelledby': 'keys-title'},
        h('h2', {id: 'keys-title'}, 'Keyboard shortcuts'), list,
        button('Close', () => dialog.close(), {class: 'primary'}));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// The command that provides what a view lacks, with a button that copies it.
function remedy(feature: Feature) {
  const command = remedyOf(feature);
  if (!command) return null;
  return h(
      'div.command', h('pre', {tabindex: '0'}, command),
      button(
          'Copy', () => copy(command, 'Command'),
          {'aria-label': 'Copy the command'}));
}

export class App implements Frame {
  readonly #views = new Map<ViewName, View>();
  readonly #tabs = new Map<ViewName, HTMLAnchorElement>();
  readonly #panel = h('div', {
    id: 'panel',
    role: 'tabpanel',
  });
  readonly #main = h('main', {id: 'main', tabindex: '-1'}, this.#panel);
  readonly #modelSlot = h('div.model');
  readonly #search: Combobox;
  #shown: ViewName|null = null;
  parameters = NO_PARAMETERS;
  #map = NO_PARAMETERS;  // of the map when it was last shown
  #words: SearchedWords|null = null;
  #hasAll = false;  // the search knows every word of the model

  constructor(readonly source: Source, root: Element) {
    this.#search = new Combobox({
      label: 'Search words',
      hideLabel: true,
      suggest: (text) => this.suggest(text),
      onChoose: (word) => this.#lookUp(word),
    });
    this.#search.element.classList.add('search');
    replaceChildren(
        root,
        button('Skip to content', () => this.#main.focus(), {class: 'skip'}),
        this.#header(), this.#main, this.#footer());
    document.addEventListener('keydown', (e) => this.#onKey(e));
    window.addEventListener('hashchange', () => this.#route());
    this.#route();
  }

  #header() {
    const themeButton =
        iconButton('◐', 'Switch between the light and dark theme', () => {
          switchTheme();
          announce(`${theme()} theme`);
        });
    const keysButton = iconButton(
        '?', 'Keyboard shortcuts', keysDialog, 'Keyboard shortcuts (?)');
    return h(
        'header',
        h('div.top', h('h1.wordmark', h('a', {href: '#map'}, 'Firth')),
          this.#search, this.#modelSlot, keysButton, themeButton),
        this.#tabList());
  }

  // One tab stop: the arrow keys walk the tabs, Enter opens one.
  #tabList() {
    const list = h('div.tabs', {
      role: 'tablist',
      'aria-label': 'Views',
      onkeydown: (e: KeyboardEvent) => this.#walkTabs(e),
    });
    for (const view of VIEWS) {
      const tab =
          h('a', {
            id: `tab-${view}`,
            role: 'tab',
            href: `#${view}`,
            tabindex: '-1',
            'aria-selected': 'false',
            'aria-controls': 'panel',
          },
            KINDS[view].title);
      this.#tabs.set(view, tab);
      list.append(tab);
    }
    return list;
  }

  #walkTabs(event: KeyboardEvent) {
    const tabs = [...this.#tabs.values()];
    const at = tabs.indexOf(event.target as HTMLAnchorElement);
    const next: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    if (event.key === ' ') {
      event.preventDefault();
      tabs[at].click();
    } else if (event.key in next) {
      event.preventDefault();
      tabs[(next[event.key] + tabs.length) % tabs.length].focus();
    }
  }

  #footer() {
    const {version, models} = this.source.info();
    const footer = h('footer', h('span', `Firth ${version}`));
    for (const model of models) {
      const size = model.words ?
          `, ${counted(model.words, model.texts ? 'text' : 'word')}` :
          '';
      const form = model.dim ? `, ${thousands(model.dim)} dimensions` : '';
      const ngrams = model.subwords ? ', with n-grams' : '';
      append(
          footer,
          h('span', h('bdi', model.name),
            `: ${model.kind.replace('-', ' ')}${size}${form}${ngrams}`));
    }
    return footer;
  }

  vectorModels(): Model[] {
    return this.source.info().models.filter(
        (model) => model.kind === 'vectors');
  }

  vectorModel(name: string|null) {
    return this.vectorModels().find((model) => model.name === name);
  }

  #modelOf(parameters: URLSearchParams) {
    const asked = this.vectorModel(parameters.get('model'));
    return (asked || this.vectorModels()[0])?.name ?? '';
  }

  get model() {
    return this.#modelOf(this.parameters);
  }

  address(view: ViewName, parameters: Parameters) {
    const model = this.vectorModels().length > 1 ? this.model : null;
    const isShown = view === 'map' && this.model === this.#modelOf(this.#map);
    const kept = isShown ? keptOf(this.#map, MAP_SETTINGS) : {};
    // The first ones fix the order.
    const all = {model, ...parameters, ...kept, ...parameters};
    return formatAddress(view, all);
  }

  note(address: string) {
    if (location.hash !== address) history.replaceState(null, '', address);
    this.#remember();
  }

  // Each tab leads back to what it showed last.
  #remember() {
    const {view, parameters} = parseAddress(location.hash);
    this.parameters = parameters;
    if (view === 'map') this.#map = parameters;
    const tab = this.#tabs.get(view);
    if (tab) tab.href = location.hash || `#${view}`;
    return view;
  }

  neighborsOf(word: string) {
    return this.address('neighbors', {plus: [word]});
  }

  searchIn(model: string, words: string[]) {
    if (this.#words && this.#words.model === model) return;
    this.#hasAll = this.vectorModel(model)?.words === words.length;
    this.#words = new SearchedWords(model, words);
  }

  readonly suggest = async (text: string) => {
    const {model} = this;
    const words = this.#words?.model === model ? this.#words : null;
    const search = words && (words.ready || await words.search());
    if (search) {
      const found = search.find(text, SUGGESTIONS);
      if (found.length) return found.map((id) => search.wordOf(id));
    }
    const {source} = this;
    const more = search && this.#hasAll ?
        [] :
        await source.wordsWithPrefix(model, text, SUGGESTIONS);
    if (more.length || text.length < LEAST_MISTYPED) return more;
    const sum = {plus: [text], minus: []};
    return (await source.neighbors(model, sum, 1)).unknown[0]?.spellings ?? [];
  };

  #lookUp(word: string) {
    const isMap = this.#shown === 'map' && this.#views.has('map');
    go(isMap ? this.address('map', {word}) : this.neighborsOf(word));
    if (isMap) {
      this.#main.querySelector<HTMLElement>('.map-canvas')?.focus();
    }
    this.#search.value = '';
  }

  #onKey(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    const isTyping = target.matches('input, textarea, select');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      this.#search.input.focus();
      this.#search.input.select();
    } else if (event.key === '?') {
      keysDialog();
    }
  }

  #route() {
    const view = this.#remember();
    this.#showModels(view);
    const about = this.vectorModel(this.model);
    this.#search.rename(about?.texts ? 'Search texts' : 'Search words');
    if (view !== this.#shown) this.#open(view);
    this.#views.get(view)?.show(this.parameters);
  }

  #showModels(view: ViewName) {
    const models = this.vectorModels();
    if (models.length < 2) return;
    const choose = (model: string) => {
      const changed = new URLSearchParams(this.parameters);
      changed.set('model', model);
      for (const key of ['x', 'y', 'z', ...MAP_SETTINGS]) changed.delete(key);
      go(`#${view}?${changed}`);
    };
    replaceChildren(
        this.#modelSlot,
        selectField('Model', namesOf(models), this.model, choose));
  }

  #open(view: ViewName) {
    if (this.#shown) this.#views.get(this.#shown)?.hide?.();
    this.#shown = view;
    document.title = `${KINDS[view].title} – Firth`;
    document.body.dataset.view = view;
    for (const [name, tab] of this.#tabs) {
      tab.setAttribute('aria-selected', String(name === view));
      tab.tabIndex = name === view ? 0 : -1;
    }
    this.#panel.setAttribute('aria-labelledby', `tab-${view}`);
    const made = this.#viewOf(view);
    replaceChildren(this.#panel, made);
    window.scrollTo(0, 0);
  }

  // The view, or why there is none.
  #viewOf(name: ViewName): View|Element {
    const {title, make, needs} = KINDS[name];
    const reasons =
        needs.map((feature) => this.source.lacks(feature, this.model));
    if (reasons.every((reason) => reason !== null)) {
      this.#views.delete(name);
      return page(title, h('p.notice', reasons[0]), remedy(needs[0]));
    }
    try {
      const view = this.#views.get(name) || new make(this);
      this.#views.set(name, view);
      return view;
    } catch (error) {
      return h('section.page', errorNotice(error));
    }
  }
}
