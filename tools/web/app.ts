// The frame of the page: search, theme, the tabs of the views, and the road
// from the address to the view that shows it.

import {announce, append, h, replaceChildren} from './dom';
import {counted, thousands} from './format';
import {keysDialog} from './keys';
import {Combobox} from './parts/combobox';
import {selectField} from './parts/fields';
import {errorNotice} from './parts/results';
import {SearchedWords, WordSearch} from './search';
import {Feature, Model, Source} from './source/source';
import {formatAddress, go, Parameters, parseAddress, ViewName, VIEWS} from './state';
import {switchTheme, theme} from './theme';
import {analogiesView} from './views/analogies';
import {axesView} from './views/axes';
import {compareView} from './views/compare';
import {contextView} from './views/context';
import {mapView} from './views/map';
import {neighborsView} from './views/neighbors';
import {trainingView} from './views/training';
import {Frame, MakeView, View} from './views/view';

const TITLES: Record<ViewName, string> = {
  map: 'Map',
  neighbors: 'Neighbors',
  compare: 'Compare',
  axes: 'Axes',
  analogies: 'Analogies',
  context: 'In context',
  training: 'Training',
};

const MAKERS: Record<ViewName, MakeView> = {
  map: mapView,
  neighbors: neighborsView,
  compare: compareView,
  axes: axesView,
  analogies: analogiesView,
  context: contextView,
  training: trainingView,
};

// A view whose features are all lacking is told in its place.
const NEEDS: Record<ViewName, Feature[]> = {
  map: ['map'],
  neighbors: ['neighbors'],
  compare: ['compare words', 'compare models'],
  axes: ['axes'],
  analogies: ['analogy', 'evaluation'],
  context: ['context'],
  training: ['log'],
};

const SUGGESTIONS = 8;

export class App implements Frame {
  private readonly views = new Map<ViewName, View>();
  private readonly tabs = new Map<ViewName, HTMLAnchorElement>();
  private readonly panel = h('div', {
    id: 'panel',
    role: 'tabpanel',
  });
  private readonly main = h('main', {id: 'main', tabindex: '-1'}, this.panel);
  private readonly modelSlot = h('div', {class: 'model'});
  private readonly search: Combobox;
  private shown: ViewName|null = null;
  private parameters = new URLSearchParams();
  private words: SearchedWords|null = null;
  private hasAll = false;  // the search knows every word of the model

  constructor(readonly source: Source, root: Element) {
    this.search = new Combobox({
      label: 'Search words',
      hideLabel: true,
      placeholder: 'Search words',
      suggest: (text) => this.suggest(text),
      onChoose: (word) => this.lookUp(word),
    });
    this.search.element.classList.add('search');
    replaceChildren(
        root, this.skipLink(), this.header(), this.main, this.footer());
    document.addEventListener('keydown', (e) => this.onKey(e));
    window.addEventListener('hashchange', () => this.route());
    this.route();
  }

  private skipLink() {
    return h(
        'a', {
          href: '#main',
          class: 'skip',
          onclick: (event: Event) => {
            event.preventDefault();
            this.main.focus();
          },
        },
        'Skip to the view');
  }

  private header() {
    const themeButton =
        h('button', {
          type: 'button',
          class: 'icon',
          'aria-label': 'Switch between light and dark',
          title: 'Switch between light and dark',
          onclick: () => {
            switchTheme();
            announce(`${theme()} colors`);
          },
        },
          '◐');
    const keysButton =
        h('button', {
          type: 'button',
          class: 'icon',
          'aria-label': 'Keys',
          title: 'Keys (?)',
          onclick: () => keysDialog(),
        },
          '?');
    return h(
        'header', {},
        h('div', {class: 'top'},
          h('h1', {class: 'wordmark'}, h('a', {href: '#map'}, 'Firth')),
          this.search.element, this.modelSlot, keysButton, themeButton),
        this.tabList());
  }

  // One tab stop: the arrow keys walk the tabs, Enter opens one.
  private tabList() {
    const list = h('div', {
      class: 'tabs',
      role: 'tablist',
      'aria-label': 'Views',
      onkeydown: (e: KeyboardEvent) => this.walkTabs(e),
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
            TITLES[view]);
      this.tabs.set(view, tab);
      list.append(tab);
    }
    return list;
  }

  private walkTabs(event: KeyboardEvent) {
    const tabs = [...this.tabs.values()];
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

  private footer() {
    const {version, models} = this.source.info();
    const footer = h('footer', {}, h('span', {}, `Firth ${version}`));
    for (const model of models) {
      const size = model.words ? `, ${counted(model.words, 'word')}` : '';
      const form = model.dim ? `, ${thousands(model.dim)} dimensions` : '';
      const ngrams = model.subwords ? ', with n-grams' : '';
      append(
          footer,
          h('span', {}, h('bdi', {}, model.name),
            `: ${model.kind.replace('-', ' ')}${size}${form}${ngrams}`));
    }
    return footer;
  }

  vectorModels(): Model[] {
    return this.source.info().models.filter(
        (model) => model.kind === 'vectors');
  }

  model(parameters: URLSearchParams) {
    const models = this.vectorModels();
    const asked = parameters.get('model');
    const found = models.find((model) => model.name === asked) || models[0];
    return found ? found.name : '';
  }

  address(view: ViewName, parameters: Parameters, current = this.parameters) {
    const isOneOfMany = this.vectorModels().length > 1;
    const model = isOneOfMany ? this.model(current) : null;
    return formatAddress(view, {model, ...parameters});
  }

  searchIn(model: string, words: string[]) {
    if (this.words && this.words.model === model) return;
    const whole = this.vectorModels().find((m) => m.name === model);
    this.hasAll = Boolean(whole && whole.words === words.length);
    this.words = new SearchedWords(model, words);
  }

  readonly suggest = (text: string) => {
    const model = this.model(this.parameters);
    const fromSource = () =>
        this.source.wordsWithPrefix(model, text, SUGGESTIONS);
    const {words} = this;
    if (!words || words.model !== model) return fromSource();
    const find = (search: WordSearch) => {
      const found = search.find(text, SUGGESTIONS);
      return found.length || this.hasAll ?
          found.map((id) => search.wordOf(id)) :
          fromSource();
    };
    return words.ready ? find(words.ready) : words.search().then(find);
  };

  private lookUp(word: string) {
    const isMap = this.shown === 'map' && this.views.has('map');
    go(isMap ? this.address('map', {word}) :
               this.address('neighbors', {plus: [word]}));
    if (isMap) {
      const map = this.main.querySelector<HTMLElement>('.map-canvas');
      if (map) map.focus();
    }
    this.search.value = '';
  }

  private onKey(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    const isTyping = target.matches('input, textarea, select');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      this.search.input.focus();
      this.search.input.select();
    } else if (event.key === '?') {
      keysDialog();
    }
  }

  private route() {
    const {view, parameters} = parseAddress(location.hash);
    this.parameters = parameters;
    this.showModels(view, parameters);
    if (view !== this.shown) this.open(view);
    // Each tab leads back to what it showed last.
    const tab = this.tabs.get(view);
    if (tab) tab.href = location.hash || `#${view}`;
    const shown = this.views.get(view);
    if (shown) shown.show(parameters);
  }

  private showModels(view: ViewName, parameters: URLSearchParams) {
    const models = this.vectorModels();
    if (models.length < 2) return;
    const choices =
        models.map((model) => ({value: model.name, text: model.name}));
    const choose = (model: string) => {
      const changed = new URLSearchParams(parameters);
      changed.set('model', model);
      for (const key of ['x', 'y', 'z']) changed.delete(key);
      go(`#${view}?${changed}`);
    };
    replaceChildren(
        this.modelSlot,
        selectField('Model', choices, this.model(parameters), choose));
  }

  private open(view: ViewName) {
    const before = this.shown && this.views.get(this.shown);
    if (before && before.hide) before.hide();
    this.shown = view;
    document.title = `${TITLES[view]} – Firth`;
    document.body.dataset.view = view;
    for (const [name, tab] of this.tabs) {
      tab.setAttribute('aria-selected', String(name === view));
      tab.tabIndex = name === view ? 0 : -1;
    }
    this.panel.setAttribute('aria-labelledby', `tab-${view}`);
    const made = this.viewOf(view);
    replaceChildren(this.panel, made instanceof Element ? made : made.element);
    window.scrollTo(0, 0);
  }

  // The view, or why there is none.
  private viewOf(name: ViewName): View|Element {
    const model = this.model(this.parameters);
    const reasons =
        NEEDS[name].map((feature) => this.source.lacks(feature, model));
    if (reasons.every((reason) => reason !== null)) {
      this.views.delete(name);
      return h(
          'section', {class: 'page'}, h('h2', {}, TITLES[name]),
          h('p', {class: 'notice'}, reasons[0]));
    }
    try {
      const view = this.views.get(name) || MAKERS[name](this);
      this.views.set(name, view);
      return view;
    } catch (error) {
      return h('section', {class: 'page'}, errorNotice(error));
    }
  }
}
