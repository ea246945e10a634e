// The colorings that a map offers, by their names in the address.

import {assignClusters, byCategory, byFrequency, bySimilarity, byValue, Categories, Coloring, nameOf} from '../../map/coloring';
import {Choice} from '../../parts/fields';
import {remember} from '../../source/source';

import {MapWords} from './map_words';

const COLUMN = 'column.';

export class Colorings {
  readonly choices: Choice[];
  readonly clusters: Categories;
  // Of the word that was chosen last.
  #similarTo: string|null = null;
  #similarities: Coloring = byValue([]);
  readonly #columns = new Map<string, Promise<Coloring>>();

  readonly #words: MapWords;

  // `focused` returns the chosen word, or null.
  constructor(words: MapWords, private readonly focused: () => string | null) {
    this.#words = words;
    const {map, noun, isText, hasSums} = words;
    const {points, clusters} = map.first;
    const centers = clusters.filter((cluster) => cluster.level === 0);
    this.clusters = byCategory(
        assignClusters(points, clusters),
        centers.map((cluster) => nameOf(cluster)), 'no cluster');
    const columns = map.columns.map(({name}): Choice => [COLUMN + name, name]);
    const first = map.columns.findIndex(({type}) => type === 'categorical');
    const own: Array<Choice|false> = [
      // What texts are labeled with is what their map is made for.
      ...(isText && first >= 0 ? columns.splice(first, 1) : []),
      (isText || centers.length > 0) && ['cluster', 'cluster'],
      // Texts have no frequency.
      !isText && ['frequency', `frequency${words.hasCounts ? '' : ' rank'}`],
      hasSums && ['similarity', `similarity to the ${noun}`],
      ...columns,
    ];
    this.choices = own.filter((choice): choice is Choice => !!choice);
  }

  async of(color: string): Promise<Coloring> {
    if (color === 'cluster') return this.clusters;
    if (color === 'frequency') return byFrequency(this.#words.map.counts);
    if (color === 'similarity') return this.#similarity();
    return remember(
        this.#columns, color, () => this.#column(color.slice(COLUMN.length)));
  }

  async #similarity(): Promise<Coloring> {
    const word = this.focused();
    if (word === null || word !== this.#similarTo) {
      const values = word === null ?
          new Float32Array(this.#words.map.words.length).fill(NaN) :
          await this.#words.source.similarities(this.#words.model, word);
      // Another word may have been chosen in the meantime.
      if (word !== this.focused()) return this.#similarity();
      this.#similarTo = word;
      this.#similarities = bySimilarity(values, this.#words.idOf(word));
    }
    return this.#similarities;
  }

  async #column(name: string): Promise<Coloring> {
    const column = this.#words.map.columns.find((one) => one.name === name);
    const values = await this.#words.source.column(this.#words.model, name);
    if (column?.type === 'categorical') {
      return byCategory(values, column.values);
    }
    return byValue(values, false, column && [column.minimum, column.maximum]);
  }
}
