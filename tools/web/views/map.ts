// The map of the chosen model, which is loaded when it is first shown.

import {h, replaceChildren} from '../dom';
import {errorNotice} from '../parts/results';

import {ModelMap} from './map/model_map';
import {Frame, View} from './view';

export class MapView implements View {
  readonly element = h('div.map-view');
  readonly #maps = new Map<string, ModelMap>();
  #shown: ModelMap|null = null;
  #asked = '';  // the model whose map is on its way

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  show() {
    const {model} = this.#frame;
    if (this.#asked === model) return;
    const map = this.#maps.get(model);
    if (map) return this.#showMap(map);
    this.hide();
    this.#asked = model;
    replaceChildren(this.element, h('p.start quiet', 'Loading the map …'));
    this.#load(model).catch((error) => {
      this.#asked = '';
      replaceChildren(this.element, h('section.page', errorNotice(error)));
    });
  }

  hide() {
    this.#shown?.hide();
    this.#shown = null;
    this.#asked = '';
  }

  async #load(model: string) {
    const words = await this.#frame.source.map(model);
    if (this.#asked !== model) return;
    const map =
        this.#maps.get(model) || new ModelMap(this.#frame, model, words);
    this.#maps.set(model, map);
    this.#frame.searchIn(model, words.words);
    this.#showMap(map);
  }

  #showMap(map: ModelMap) {
    if (this.#shown !== map) {
      this.hide();
      replaceChildren(this.element, map.element);
      this.#shown = map;
    }
    map.show();
  }
}
