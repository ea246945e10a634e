// The card over the map that chooses what colors and sizes show, explains them,
// switches groups on and off, and chooses the methods.

import {h, newId, quiet, replaceChildren, UNHEARD} from '../../dom';
import {counted, cut, thousands} from '../../format';
import {Coloring, endsOf, Group, Quantity} from '../../map/coloring';
import {groupColor, hexOf, ramp} from '../../map/palette';
import {Choice, iconButton, selectField} from '../../parts/fields';

import {Settings} from './settings';

const METHODS: Record<string, string> = {
  umap: 'UMAP',
  tsne: 't-SNE',
  pca: 'PCA',
};

export function methodName(method: string) {
  return METHODS[method] || method;
}

export interface LegendHandlers {
  change: (settings: Partial<Settings>) => void;
  select: (group: number) => void;
}

export class Legend {
  readonly element: HTMLDetailsElement;
  readonly #key = h('div.key');
  readonly #selects: HTMLSelectElement[];
  readonly #sized = h('input', {type: 'checkbox', id: newId()});

  readonly #handlers: LegendHandlers;

  constructor(
      colors: Choice[], methods: string[], private readonly noun: string,
      handlers: LegendHandlers) {
    this.#handlers = handlers;
    const {change} = handlers;
    this.#sized.addEventListener(
        'change', () => change({isSized: this.#sized.checked}));
    const named = methods.map((value): Choice => [value, methodName(value)]);
    const color = selectField(
        'Color by', colors, '', (color) => change({color, off: new Set()}));
    const first =
        selectField('Method', named, '', (method) => change({method}));
    const beside = selectField(
        'Side by side with', [['', 'nothing'], ...named], '',
        (beside) => change({beside}));
    this.element =
        h('details.legend', h('summary', 'Colors and sizes'),
          methods.length > 1 && h('div.methods', first, beside),
          noun === 'word' && h('div.check', this.#sized, h('label', {for: this.#sized.id
                               }, 'Size by frequency')), color, this.#key);
    this.element.open = matchMedia('(min-width: 46.01rem)').matches;
    this.#selects = [color, first, beside].map(
        (field) => field.querySelector('select') as HTMLSelectElement);
  }

  // `note` explains a coloring that shows nothing yet.
  show(settings: Settings, coloring: Coloring, isDark: boolean, note: string) {
    const {color, method, beside, isSized} = settings;
    [color, method, beside].forEach(
        (value, i) => this.#selects[i].value = value);
    for (const option of this.#selects[2].options) {
      option.disabled = option.value === method;
    }
    this.#sized.checked = isSized;
    // The focus stays on the button that was pressed.
    const focused = document.activeElement;
    const at = [...this.#key.querySelectorAll('button')].indexOf(
        focused as HTMLButtonElement);
    replaceChildren(
        this.#key, note && quiet(note),
        coloring.kind === 'categories' ?
            this.#groups(coloring.groups, settings) :
            this.#scale(coloring, isDark));
    if (at >= 0) this.#key.querySelectorAll('button')[at]?.focus();
  }

  #groups(groups: Group[], settings: Settings) {
    const items = groups.map((group, i) => {
      const isOn = !settings.off.has(group.key);
      const swatch = h('span.swatch', UNHEARD);
      swatch.style.background = hexOf(groupColor(group.color));
      const toggle = () => {
        const off = new Set(settings.off);
        if (!off.delete(group.key)) off.add(group.key);
        this.#handlers.change({off});
      };
      const name = cut(group.name, 80);
      return h(
          'li',
          h('button', {
            type: 'button',
            class: 'group',
            'aria-pressed': String(isOn),
            onclick: toggle,
          },
            swatch, h('bdi', name), h('span.number', thousands(group.count))),
          iconButton(
              '⊕', `Select ${counted(group.count, this.noun)}: ${name}`,
              () => this.#handlers.select(i)));
    });
    return h('ul.groups', ...items);
  }

  #scale(quantity: Quantity, isDark: boolean) {
    const stops =
        [0, 0.25, 0.5, 0.75, 1].map((share) => hexOf(ramp(share, isDark)));
    const bar = h('div.ramp', UNHEARD);
    bar.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
    return h(
        'div.scale', bar,
        h('div.ends', ...endsOf(quantity).map((end) => h('span', end))));
  }
}
