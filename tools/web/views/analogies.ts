// Analogies: one that the reader asks, and how the model does on test sets.

import {h, page, quiet, section, UNHEARD} from '../dom';
import {percent, score, thousands} from '../format';
import {Combobox} from '../parts/combobox';
import {Choice, form, selectField, submitButton} from '../parts/fields';
import {Results} from '../parts/results';
import {BARS, notices, numberCell, rowOf, spoken, table, wordTable} from '../parts/word_table';
import {AnalogyMethod, AnalogySection, Evaluation, Neighbors, SimilarityResult} from '../source/source';
import {go} from '../state';

import {Frame, View} from './view';

const K = 10;

const METHODS: Choice[] = [
  ['add', 'addition (3CosAdd)'],
  ['mul', 'multiplication (3CosMul)'],
];

class AskPart {
  readonly element: HTMLElement;
  readonly #boxes: Combobox[];
  readonly #methodSlot = h('div');
  readonly #results = new Results();
  #method: AnalogyMethod = 'add';

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    const labels: Array<[string, string]> =
        [['As', 'man'], ['is to', 'king'], ['so', 'woman']];
    this.#boxes = labels.map(
        ([label, placeholder]) =>
            new Combobox({label, placeholder, suggest: frame.suggest}));
    this.element =
        h('div',
          form(
              () => this.#ask(),
              h('div.row', ...this.#boxes, h('span.question-mark', 'is to ?')),
              h('div.row', this.#methodSlot, submitButton('Find'))),
          this.#results);
  }

  #ask() {
    const [a, b, c] = this.#boxes.map((box) => box.value);
    const method = this.#method === 'add' ? null : this.#method;
    go(this.#frame.address('analogies', {a, b, c, method}));
  }

  show(parameters: URLSearchParams) {
    const words = ['a', 'b', 'c'].map((key) => parameters.get(key) || '');
    words.forEach((word, i) => this.#boxes[i].value = word);
    this.#method = parameters.get('method') === 'mul' ? 'mul' : 'add';
    this.#methodSlot.replaceChildren(selectField(
        'Method', METHODS, this.#method,
        (value) => this.#method = value as AnalogyMethod));
    const [a, b, c] = words;
    if (!a || !b || !c) return this.#results.show();
    const {source} = this.#frame;
    const model = this.#frame.model;
    this.#results.load(
        [model, a, b, c, this.#method],
        source.analogy(model, a, b, c, K, this.#method),
        (answer) => this.#render(`${a} : ${b} = ${c} : ?`, answer));
  }

  #render(title: string, answer: Neighbors) {
    this.#results.say(spoken(title, answer.neighbors));
    const about = notices(answer, null);
    if (!answer.neighbors.length) return about;
    const found = wordTable(answer.neighbors, {
      caption: title,
      scoreName: 'Score',
      link: (word) => this.#frame.neighborsOf(word),
    });
    return [...about, found];
  }
}

// A dot with a line from the lower to the upper end of its interval.
function interval(value: number, low: number, high: number) {
  const range = h('span.range');
  range.style.left = `${100 * low}%`;
  range.style.width = `${100 * Math.max(0, high - low)}%`;
  const dot = h('span.dot');
  dot.style.left = `${100 * value}%`;
  return h('span.interval', UNHEARD, range, dot);
}

// The cells of a result: its value, and its interval as a picture of the part
// above 0 and as a text.
function cellsOf(
    value: number|null, [low, high]: Array<number|null>,
    text: (value: number|null) => string) {
  const isWhole =
      value !== null && typeof low === 'number' && typeof high === 'number';
  const shares = [value, low, high].map((end) => Math.max(0, end || 0));
  return [
    numberCell(text(value)),
    h('td.bar-cell', isWhole && interval(shares[0], shares[1], shares[2])),
    h('td.number range-text', isWhole ? `${text(low)} to ${text(high)}` : '–'),
  ];
}

class EvaluationPart {
  readonly element: HTMLElement;
  readonly #results = new Results();
  #shown = '';

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    this.element = section('Test sets', this.#results);
  }

  show() {
    const {model} = this.#frame;
    const lacking = this.#frame.source.lacks('evaluation', model);
    if (lacking) return this.#results.show(quiet(lacking));
    if (model === this.#shown) return;
    this.#shown = model;
    this.#results.load(
        [model], this.#frame.source.evaluation(model),
        (all) => this.#render(all), 'Evaluating the model on the test sets …');
  }

  #render({analogies, similarity}: Evaluation) {
    const tables: Array<Node|null> = analogies.map(
        ({file, sections}) =>
            h('div', this.#sectionTable(file, sections),
              ...sections.map((section) => this.#wrong(section))));
    if (similarity.length) tables.push(this.#similarityTable(similarity));
    return tables;
  }

  #sectionTable(file: string, sections: AnalogySection[]) {
    const rows = sections.map(
        (s) => rowOf(
            s.name, ...cellsOf(s.accuracy, s.interval, percent),
            h('td.number', `${thousands(s.correct)} of ${thousands(s.asked)}`),
            h('td.number count', thousands(s.total - s.asked))));
    return table(
        'words sections', file,
        [
          ['Section'],
          ['Accuracy', 'number'],
          BARS,
          ['95 % interval', 'number range-text'],
          ['Correct', 'number'],
          ['Skipped', 'number count'],
        ],
        rows);
  }

  #wrong(section: AnalogySection) {
    if (!section.wrong.length) return null;
    const items = section.wrong.map(
        ({question: [a, b, c, d], answer}) =>
            h('li', h('bdi.word', `${a} : ${b} = ${c} : ${d}`),
              answer === null ? ', not answered' : ', answered ',
              answer !== null && h('bdi.word', answer)));
    return h(
        'details.more',
        h('summary',
          `${section.name}: ${thousands(section.wrong.length)} wrong`),
        h('ul.wrong', ...items));
  }

  #similarityTable(similarity: SimilarityResult[]) {
    const rows = similarity.map(
        (s) => rowOf(
            s.file, ...cellsOf(s.spearman, s.interval, score),
            h('td.number', `${thousands(s.asked)} of ${thousands(s.total)}`)));
    return table(
        'words sections', 'Correlation with human similarity ratings',
        [
          ['Test set'],
          ['Spearman’s ρ', 'number'],
          BARS,
          ['95 % interval', 'number range-text'],
          ['Pairs found', 'number'],
        ],
        rows);
  }
}

export class AnalogiesView implements View {
  readonly element: HTMLElement;
  readonly #ask: AskPart|null;
  readonly #evaluation: EvaluationPart;

  constructor(frame: Frame) {
    const lacking = frame.source.lacks('analogy', frame.model);
    this.#ask = lacking === null ? new AskPart(frame) : null;
    this.#evaluation = new EvaluationPart(frame);
    this.element =
        page('Analogies', this.#ask || quiet(lacking), this.#evaluation);
  }

  show(parameters: URLSearchParams) {
    if (this.#ask) this.#ask.show(parameters);
    this.#evaluation.show();
  }
}
