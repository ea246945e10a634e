// A training while it runs: its log is asked for every second.

import {announce, h, page, quiet, replaceChildren, set} from '../dom';
import {duration, percent, thousands} from '../format';
import {errorNotice} from '../parts/results';
import {bar} from '../parts/word_table';
import {lineChart, Point} from '../plot/line_chart';

import {Frame, View} from './view';

const PERIOD = 1000;     // milliseconds
const GAP = 32;          // pixels between two charts in a line
const TWO_CHARTS = 800;  // pixels that they want

type Line = Record<string, unknown>;

// What is drawn, where the log has it.
const CURVES: Array<[string, string]> = [
  ['loss', 'Loss'],
  ['learning_rate', 'Learning rate'],
  ['words_per_second', 'Words per second'],
];

export function curveOf(lines: Line[], key: string): Point[] {
  const points: Point[] = [];
  for (const line of lines) {
    const x = line['progress'];
    const y = line[key];
    if (typeof x === 'number' && typeof y === 'number') points.push({x, y});
  }
  return points;
}

// Seconds until the end, if the rest takes as long as the part before.
export function secondsLeft(line: Line): number {
  const seconds = Number(line['t']);
  const progress = Number(line['progress']);
  return progress > 0 ? seconds * (1 - progress) / progress : NaN;
}

function fact(name: string, value: string) {
  return h('div.fact', h('dt', name), h('dd', value));
}

export class TrainingView implements View {
  readonly element: HTMLElement;
  readonly #state = h('div');
  readonly #charts = h('div.charts');
  readonly #progress = h('div.progress', {
    role: 'progressbar',
    'aria-label': 'Training progress',
  });
  readonly #lines: Line[] = [];
  #after = 0;
  #timer = 0;
  #isShown = false;

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    this.element = page('Training', this.#progress, this.#state, this.#charts);
  }

  show() {
    if (this.#isShown) return;
    this.#isShown = true;
    this.#ask();
  }

  hide() {
    this.#isShown = false;
    clearTimeout(this.#timer);
  }

  async #ask() {
    let isDone = false;
    try {
      const part = await this.#frame.source.log(this.#after);
      this.#after = part.next;
      this.#lines.push(...part.lines);
      isDone = part.done;
      this.#render(isDone);
    } catch (error) {
      replaceChildren(this.#state, errorNotice(error));
    }
    if (this.#isShown && !isDone) {
      this.#timer = window.setTimeout(() => this.#ask(), PERIOD);
    }
  }

  #render(isDone: boolean) {
    const steps = this.#lines.filter((line) => 'progress' in line);
    const last = steps[steps.length - 1];
    if (!last) {
      return replaceChildren(
          this.#state,
          quiet('The training run has not reported any progress yet.'));
    }
    const progress = isDone ? 1 : Number(last['progress']);
    set(this.#progress, {'aria-valuenow': Math.round(100 * progress)});
    replaceChildren(this.#progress, bar(progress));
    replaceChildren(this.#state, this.#facts(last, progress, isDone));
    const charts = CURVES.map(([key, name]) => this.#chart(key, name, steps));
    replaceChildren(this.#charts, ...charts);
    if (isDone) announce('Training has finished.');
  }

  // The loss takes the whole width, the others share a line where there is
  // room.
  #chart(key: string, name: string, steps: Line[]) {
    const points = curveOf(steps, key);
    if (!points.length) return null;
    const isLoss = key === 'loss';
    const width = this.#charts.clientWidth;
    const isShared = !isLoss && width >= TWO_CHARTS;
    return h(
        'figure', {class: isLoss ? 'loss' : ''}, h('figcaption', name),
        lineChart(name, points, !isLoss, isShared ? (width - GAP) / 2 : width));
  }

  #facts(last: Line, progress: number, isDone: boolean) {
    const number = (key: string) => Number(last[key]);
    return h(
        'dl.facts', fact('Progress', isDone ? 'finished' : percent(progress)),
        fact('Elapsed', duration(number('t'))),
        !isDone && fact('Remaining', duration(secondsLeft(last))),
        // The log counts from 0.
        'epoch' in last && fact('Epoch', thousands(number('epoch') + 1)),
        'words' in last && fact('Words processed', thousands(number('words'))),
        'loss' in last &&
            fact('Loss', String(Number(number('loss').toPrecision(4)))));
  }
}
