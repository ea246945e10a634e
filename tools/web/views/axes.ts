// Words between two poles, such as poor and rich, as a scatter plot; and the
// test of whether two groups of words lean to different poles (WEAT).

import {h, page, quiet, section, statusNotice} from '../dom';
import {pValue, score} from '../format';
import {Choice, form, namesOf, selectField, submitButton, TextArea, textArea} from '../parts/fields';
import {Results} from '../parts/results';
import {Column, numberCell, rowOf, table, unknownNotice, wordLink} from '../parts/word_table';
import {scatter} from '../plot/scatter';
import {Axis, AxisPoints, WeatResult} from '../source/source';
import {go, keptOf, numberIn, splitWords} from '../state';
import {weatTests} from '../weat_tests';

import {Frame, View} from './view';

const TOPS = [100, 300, 500, 1000];
const PERMUTATIONS = 10000;

const ENDS = ['from', 'to', 'from2', 'to2'];
const WEAT_FIELDS = ['x', 'y', 'a', 'b'] as const;

function axisTable(
    {words, points}: AxisPoints, names: string[],
    link: (word: string) => string) {
  const order =
      words.map((_, i) => i).sort((i, j) => points[i][0] - points[j][0]);
  const rows = order.map(
      (i) => rowOf(
          wordLink(words[i], link(words[i])),
          ...points[i].map((value) => numberCell(score(value)))));
  const columns = names.map((name): Column => [name, 'number']);
  return h(
      'details.more',
      h('summary', 'Table of all words, sorted along the first axis'),
      table('words', null, [['Word'], ...columns], rows));
}

class AxesPart {
  readonly element: HTMLElement;
  readonly #fields: TextArea[];
  readonly #words: TextArea;
  readonly #topSlot = h('div');
  readonly #results = new Results();
  #top = 300;

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    const labels = [
      ['Left pole', 'man he'],
      ['Right pole', 'woman she'],
      ['Lower pole', 'poor'],
      ['Upper pole', 'rich'],
    ];
    this.#fields =
        labels.map(([label, example]) => textArea(label, example, 1));
    this.#words = textArea('Words to show', 'optional, such as banker nurse');
    const ask = form(
        () => this.#ask(), h('div.grid', ...this.#fields), this.#words,
        h('div.row', this.#topSlot, submitButton('Show words')));
    this.element = h('div', ask, this.#results);
  }

  #ask() {
    const [from, to, from2, to2] =
        this.#fields.map((field) => splitWords(field.input.value));
    if (!from.length || !to.length || from2.length > 0 !== to2.length > 0) {
      return this.#results.show(statusNotice(
          'Each axis needs words at both poles. The second axis is optional: ' +
          'leave both of its poles empty.'));
    }
    const words = splitWords(this.#words.input.value);
    const top = words.length || this.#top === 300 ? null : this.#top;
    const kept = keptOf(this.#frame.parameters, WEAT_FIELDS);
    go(this.#frame.address(
        'axes', {from, to, from2, to2, words, top, ...kept}));
  }

  show(parameters: URLSearchParams) {
    this.#top = numberIn(parameters, 'top', 1, 1000, 300);
    ENDS.forEach(
        (end, i) => this.#fields[i].input.value =
            parameters.getAll(end).join(' '));
    const words = parameters.getAll('words');
    this.#words.input.value = words.join(' ');
    const choices =
        TOPS.map((top): Choice => [String(top), `${top} most frequent`]);
    this.#topSlot.replaceChildren(selectField(
        'If no words are given', choices, String(this.#top),
        (value) => this.#top = Number(value)));
    const [from, to, from2, to2] = ENDS.map((end) => parameters.getAll(end));
    if (!from.length || !to.length) return this.#results.show();
    const axes = [{from, to}];
    if (from2.length && to2.length) axes.push({from: from2, to: to2});
    const model = this.#frame.model;
    this.#results.load(
        [model, axes, words, this.#top],
        this.#frame.source.axes(model, axes, words, this.#top),
        (answer) => this.#render(axes, answer));
  }

  #render(axes: Axis[], answer: AxisPoints) {
    const link = (word: string) => this.#frame.neighborsOf(word);
    const names =
        axes.map((axis) => `${axis.from.join(', ')} – ${axis.to.join(', ')}`);
    this.#results.say(
        `${answer.words.length} words shown on ${names.join(' and ')}.`);
    const notice = unknownNotice(answer.unknown, null);
    if (!answer.words.length) return [notice];
    const second = axes[1];
    // With one axis, words are spread upwards by their frequency.
    const points = second ?
        answer.points :
        answer.points.map(
            ([x], i) => [x, 1 - i / Math.max(1, answer.points.length)]);
    const plot = scatter({
      width: this.#results.element.clientWidth,
      words: answer.words,
      points,
      xName: [axes[0].from.join(', '), axes[0].to.join(', ')],
      yName: second ? [second.from.join(', '), second.to.join(', ')] :
                      ['rarer', 'more frequent'],
      link,
    });
    return [notice, plot, axisTable(answer, names, link)];
  }
}

class WeatPart {
  readonly element: HTMLElement;
  readonly #fields: TextArea[];
  readonly #results = new Results();

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    const labels = ['Words X', 'Words Y', 'Pole A', 'Pole B'];
    this.#fields = labels.map((label) => textArea(label, ''));
    this.element = section(
        'Word embedding association test (WEAT)',
        quiet(
            'Tests whether the words X are closer to pole A, relative to ' +
            'pole B, than the words Y are.'),
        form(
            () => this.#ask(), this.#testField(),
            h('div.grid', ...this.#fields),
            h('div.row', submitButton('Run test'))),
        this.#results);
  }

  // Fills the fields with the words of a well-known test.
  #testField() {
    const tests = weatTests();
    const choices: Choice[] = [['', 'your own words'], ...namesOf(tests)];
    return selectField(
        'Test of Caliskan et al. (2017)', choices, '', (chosen) => {
          const test = tests.find(({name}) => name === chosen);
          WEAT_FIELDS.forEach((key, i) => {
            this.#fields[i].input.value = test ? test.lists[key].join(' ') : '';
          });
        });
  }

  #ask() {
    const lists: Record<string, string[]> = {};
    WEAT_FIELDS.forEach(
        (key, i) => lists[key] = splitWords(this.#fields[i].input.value));
    if (Object.values(lists).some((words) => !words.length)) {
      return this.#results.show(
          statusNotice('Each of the four lists needs at least one word.'));
    }
    const kept = keptOf(this.#frame.parameters, [...ENDS, 'words', 'top']);
    go(this.#frame.address('axes', {...kept, ...lists}));
  }

  show(parameters: URLSearchParams) {
    const [x, y, a, b] = WEAT_FIELDS.map((key) => parameters.getAll(key));
    [x, y, a, b].forEach((words, i) => {
      if (words.length) this.#fields[i].input.value = words.join(' ');
    });
    if (!x.length || !y.length || !a.length || !b.length) {
      return this.#results.show();
    }
    const model = this.#frame.model;
    this.#results.load(
        [model, x, y, a, b],
        this.#frame.source.weat(model, {x, y, a, b}, PERMUTATIONS),
        (result) => this.#render(result));
  }

  #render({effect, p, exact, unknown}: WeatResult) {
    const notice = unknownNotice(unknown, null);
    if (effect === null) {
      const none = 'There is no effect size, because all words have the ' +
          'same association.';
      this.#results.say(none);
      return [notice, h('p', none)];
    }
    this.#results.say(`Effect size ${effect.toFixed(2)}, p ${pValue(p)}.`);
    const toward = effect < 0 ? 'Y leans to A' : 'X leans to A';
    return [
      notice,
      h('div.figure', h('span.big', score(effect)),
        h('span',
          `effect size d, from \u22122 to 2: ${toward}, the other group to B`)),
      h('p',
        `p = ${pValue(p)}, one-sided, ${
            exact ? 'over all divisions of the words into two groups' :
                    `estimated from ${PERMUTATIONS} random divisions`}.`),
    ];
  }
}

export class AxesView implements View {
  readonly element: HTMLElement;
  readonly #axes: AxesPart;
  readonly #weat: WeatPart;

  constructor(frame: Frame) {
    this.#axes = new AxesPart(frame);
    this.#weat = new WeatPart(frame);
    this.element = page(
        'Axes',
        h('p.lead',
          'Shows words between two poles. The position of a word on an ' +
              'axis is its cosine with the direction from one pole to the ' +
              'other.'),
        this.#axes, this.#weat);
  }

  show(parameters: URLSearchParams) {
    this.#axes.show(parameters);
    this.#weat.show(parameters);
  }
}
