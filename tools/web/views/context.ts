// A word in two sentences: how near its vectors in context are in each layer of
// a language model, and which tokens of a text are nearest to each.

import {h, page} from '../dom';
import {score} from '../format';
import {form, submitButton, TextArea, textArea} from '../parts/fields';
import {Results} from '../parts/results';
import {bar, BARS, numberCell, table} from '../parts/word_table';
import {ContextAnswer, ContextLayer, TokenNeighbor} from '../source/source';
import {formatAddress, go, numberIn} from '../state';

import {Frame, View} from './view';

const K = 8;
const NAMES = ['the first sentence', 'the second sentence'];
const EXAMPLES =
    ['They sat on the bank of the river', 'The bank lent them money'];

// A word of both sentences to start with: the longest.
export function commonWord([one, other]: [string[], string[]]):
    [number, number] {
  let best: [number, number] = [0, 0];
  let longest = 0;
  one.forEach((word, i) => {
    const j = other.indexOf(word);
    if (j >= 0 && word.length > longest) {
      longest = word.length;
      best = [i, j];
    }
  });
  return best;
}

// "... the **bank** of ..." with its token marked. The token may hold ** too,
// so the marks are the first that have it between them.
export function contextParts(context: string, word: string) {
  const marked = `**${word}**`;
  const at = context.indexOf(marked);
  if (at < 0) return {before: context, word: '', after: ''};
  return {
    before: context.slice(0, at),
    word,
    after: context.slice(at + marked.length),
  };
}

export class ContextView implements View {
  readonly element: HTMLElement;
  readonly #fields: [TextArea, TextArea];
  readonly #results = new Results();
  readonly #model: string;

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    const models = frame.source.info().models;
    const found = models.find((model) => model.kind === 'language-model');
    this.#model = found ? found.name : '';
    this.#fields = [
      textArea('First sentence', EXAMPLES[0]),
      textArea('Second sentence', EXAMPLES[1]),
    ];
    this.element = page(
        'In context',
        h('p.lead',
          'A language model gives a word a different vector in each ' +
              'sentence. Layer 0 is the vector of the word without its ' +
              'context.'),
        form(
            () => this.#ask(), h('div.grid', ...this.#fields),
            submitButton('Compare')),
        this.#results);
  }

  #ask() {
    const [one, other] =
        this.#fields.map((field, i) => field.input.value.trim() || EXAMPLES[i]);
    go(formatAddress('context', {one, other}));
  }

  show(parameters: URLSearchParams) {
    const one = parameters.get('one') || '';
    const other = parameters.get('other') || '';
    this.#fields[0].input.value = one;
    this.#fields[1].input.value = other;
    if (!one || !other) return this.#results.show();
    const picked: [number, number] = [
      numberIn(parameters, 'i', 0, 1e6, 0),
      numberIn(parameters, 'j', 0, 1e6, 0),
    ];
    const ask = (chosen: [number, number]) => this.#frame.source.context(
        this.#model,
        [{text: one, word: chosen[0]}, {text: other, word: chosen[1]}], K);
    const isPicked = parameters.has('i') && parameters.has('j');
    // The service cuts the sentences into words, so a word of both is known
    // only after a first answer.
    const answer = async () => {
      const first = await ask(picked);
      const common = isPicked ? picked : commonWord(first.words);
      const isSame = common[0] === picked[0] && common[1] === picked[1];
      const found = isSame ? first : await ask(common);
      return {found, chosen: common};
    };
    const layer = numberIn(parameters, 'layer', 0, 1000, -1);
    this.#results.load(
        [String(parameters)], answer(),
        ({found, chosen}) => this.#render([one, other], chosen, layer, found));
  }

  #render(
      sentences: [string, string], chosen: [number, number], asked: number,
      answer: ContextAnswer) {
    const {layers, words} = answer;
    // The last layer knows most of the sentence.
    const shown =
        layers.find((l) => l.layer === asked) || layers[layers.length - 1];
    const address = ([i, j]: number[], layer: number) => formatAddress(
        'context', {one: sentences[0], other: sentences[1], i, j, layer});
    const tokens = (which: 0|1) => this.#tokens(
        words[which], chosen[which],
        (place) => address(
            chosen.map((old, i) => i === which ? place : old), shown.layer),
        `Words of ${NAMES[which]}`);
    if (!shown) return [h('p.notice', 'The model has no layers.')];
    this.#results.say(
        `Layer ${shown.layer}: cosine ${shown.cosine.toFixed(2)}.`);
    return [
      h('div.columns', tokens(0), tokens(1)),
      this.#layerTable(layers, shown, (layer) => address(chosen, layer)),
      h('div.columns',
        ...shown.neighbors.map(
            (neighbors, i) => this.#neighborTable(
                neighbors, words[i][chosen[i]] || '', i, shown))),
    ];
  }

  #tokens(
      words: string[], chosen: number, address: (pos: number) => string,
      label: string) {
    const items = words.map(
        (word, pos) =>
            h('li',
              h('a', {
                href: address(pos),
                class: pos === chosen ? 'token chosen' : 'token',
                'aria-current': pos === chosen ? 'true' : null,
              },
                h('bdi', word))));
    return h('ul.tokens', {'aria-label': label}, ...items);
  }

  #layerTable(
      layers: ContextLayer[], shown: ContextLayer,
      address: (layer: number) => string) {
    const rows = layers.map(
        ({layer, cosine}) =>
            h('tr', {class: layer === shown.layer ? 'shared' : ''},
              h('th', {scope: 'row'},
                h('a', {
                  href: address(layer),
                  'aria-current': layer === shown.layer ? 'true' : null,
                },
                  layer === 0 ? 'Layer 0, without context' : `Layer ${layer}`)),
              numberCell(score(cosine)), h('td.bar-cell', bar(cosine))));
    return table(
        'words layers', 'Similarity of the two words in each layer',
        [['Layer'], ['Cosine', 'number'], BARS], rows);
  }

  #neighborTable(
      neighbors: TokenNeighbor[], word: string, which: number,
      shown: ContextLayer) {
    const rows = neighbors.map((neighbor) => {
      const parts = contextParts(neighbor.context, neighbor.word);
      return h(
          'tr', numberCell(score(neighbor.score)),
          h('td.in-context', {dir: 'auto'}, parts.before, h('mark', parts.word),
            parts.after));
    });
    return table(
        'words contexts', `${word} in ${NAMES[which]}, layer ${shown.layer}`,
        [['Cosine', 'number'], ['Nearest tokens of the text']], rows);
  }
}
