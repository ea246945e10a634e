// Two words side by side, or one word in two models: which neighbors only one
// has, which both have, and which words moved most from one model to the other.

import {h, page, quiet, replaceChildren, section} from '../dom';
import {cut, isolated, pValue, score} from '../format';
import {Combobox} from '../parts/combobox';
import {Choice, form, namesOf, selectField, submitButton} from '../parts/fields';
import {Results} from '../parts/results';
import {bar, Column, numberCell, rowOf, table, unknownNotice, wordLink, wordTable} from '../parts/word_table';
import {ModelComparison, MovedWord, Neighbors} from '../source/source';
import {go, keptOf} from '../state';

import {Frame, View} from './view';

const K = 20;
const MOVED = 50;

type Answers = [number | null, Neighbors, Neighbors];

class WordsPart {
  readonly element: HTMLElement;
  readonly #a: Combobox;
  readonly #b: Combobox;
  readonly #results = new Results();

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    this.#a = new Combobox({label: 'First word', suggest: frame.suggest});
    this.#b = new Combobox({label: 'Second word', suggest: frame.suggest});
    this.element = section(
        'Two words',
        form(
            () => this.#ask(),
            h('div.row', this.#a, this.#b, submitButton('Compare'))),
        this.#results);
  }

  #ask() {
    go(this.#link(this.#a.value, this.#b.value));
  }

  #link(a: string, b: string) {
    const kept =
        keptOf(this.#frame.parameters, ['one', 'other', 'chance', 'word']);
    return this.#frame.address('compare', {a, b, ...kept});
  }

  show(parameters: URLSearchParams) {
    const a = parameters.get('a') || '';
    const b = parameters.get('b') || '';
    this.#a.value = a;
    this.#b.value = b;
    if (!a || !b) return this.#results.show();
    const model = this.#frame.model;
    const {source} = this.#frame;
    const neighbors = (word: string) =>
        source.neighbors(model, {plus: [word], minus: []}, K);
    const answers: Promise<Answers> = Promise.all(
        [source.similarity(model, a, b), neighbors(a), neighbors(b)]);
    this.#results.load(
        [model, a, b], answers, (answer) => this.#render(a, b, answer));
  }

  #render(a: string, b: string, [similarity, ofA, ofB]: Answers) {
    const words = (answer: Neighbors) =>
        new Set(answer.neighbors.map((neighbor) => neighbor.word));
    const inA = words(ofA);
    const shared = [...words(ofB)].filter((word) => inA.has(word));
    const unknown = unknownNotice([...ofA.unknown, ...ofB.unknown], null);
    if (similarity === null) return [unknown];
    this.#results.say(`Cosine ${similarity.toFixed(2)}, ${shared.length} of ${
        K} neighbors in both.`);
    const list = (word: string, answer: Neighbors) =>
        wordTable(answer.neighbors, {
          caption: word,
          shared: new Set(shared),
          link: (other) =>
              word === a ? this.#link(other, b) : this.#link(a, other),
        });
    return [
      unknown,
      h('div.figure', h('span.big', score(similarity)), bar(similarity),
        h('span.quiet',
          `cosine; ${shared.length} of ${K} neighbors are in both lists`)),
      h('div.columns', list(a, ofA), list(b, ofB)),
    ];
  }
}

class ModelsPart {
  readonly element: HTMLElement;
  readonly #word: Combobox;
  readonly #selects = h('div.parts');
  readonly #results = new Results();
  readonly #moved = new Results();
  #models: [string, string];
  #chance = '';
  readonly #chanceSlot = h('div.chance');
  #movedOf = '';

  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
    const names = frame.vectorModels().map((model) => model.name);
    this.#models = [names[0], names[1]];
    this.#word = new Combobox({label: 'Word', suggest: frame.suggest});
    this.element = section(
        'One word in two models',
        form(
            () => this.#ask(),
            h('div.row', this.#selects, this.#word, submitButton('Compare'))),
        this.#results, h('h3', 'Words that moved most'),
        quiet(
            'The first model is rotated to fit the second one. The cosine ' +
            'compares the two vectors of a word. p is the fraction of the ' +
            'words of similar frequency that moved at least as far. With a ' +
            'model trained with another seed, p is the fraction that moves ' +
            'as far by chance.'),
        this.#chanceSlot, this.#moved);
  }

  #ask() {
    go(this.#link(this.#word.value));
  }

  #select(label: string, index: 0|1) {
    const choices = namesOf(this.#frame.vectorModels());
    return selectField(label, choices, this.#models[index], (value) => {
      this.#models[index] = value;
      this.#ask();
    });
  }

  show(parameters: URLSearchParams) {
    this.#models = [
      parameters.get('one') || this.#models[0],
      parameters.get('other') || this.#models[1],
    ];
    this.#chance = parameters.get('chance') || '';
    this.#selects.replaceChildren(
        this.#select('First model', 0), this.#select('Second model', 1));
    replaceChildren(this.#chanceSlot, this.#chanceField());
    const word = parameters.get('word') || '';
    this.#word.value = word;
    this.#showMoved();
    if (!word) return this.#results.show();
    this.#results.load(
        [this.#models, word],
        this.#frame.source.compareModels(this.#models, word, K),
        (answer) => this.#render(word, answer));
  }

  // Null where no third model is served.
  #chanceField() {
    const others = this.#frame.vectorModels().filter(
        (model) => !this.#models.includes(model.name));
    if (!others.length) return null;
    const choices: Choice[] = [['', 'none'], ...namesOf(others)];
    const label = `${cut(this.#models[0], 40)} with another seed`;
    return selectField(label, choices, this.#chance, (value) => {
      this.#chance = value;
      this.#ask();
    });
  }

  #showMoved() {
    const models = [...this.#models, this.#chance];
    if (models.join('\n') === this.#movedOf) return;
    this.#movedOf = models.join('\n');
    this.#moved.load(
        models, this.#frame.source.moved(this.#models, this.#chance, MOVED),
        (words) => this.#renderMoved(words), 'Aligning the two models …');
  }

  #link(word: string) {
    const [one, other] = this.#models;
    const chance = this.#chance;
    const kept = keptOf(this.#frame.parameters, ['a', 'b']);
    return this.#frame.address('compare', {...kept, one, other, chance, word});
  }

  #render(word: string, {only, joint, unknown}: ModelComparison) {
    this.#results.say(`${word}: ${joint.length} neighbors in both models.`);
    const list = (index: 0|1) => only[index].length ?
        wordTable(only[index], {
          caption: `Only in ${this.#models[index]}`,
          link: (other) => this.#link(other),
        }) :
        quiet(`No neighbors only in ${this.#models[index]}.`);
    return [
      unknownNotice(unknown, (other) => this.#link(other)),
      h('div.columns three', list(0), this.#jointTable(joint), list(1)),
    ];
  }

  #jointTable(joint: ModelComparison['joint']) {
    if (!joint.length) {
      return quiet('No neighbors in both models.');
    }
    const rows = joint.map(
        ({word, scores}) => rowOf(
            wordLink(word, this.#link(word)),
            ...scores.map((one) => numberCell(score(one)))));
    const columns = this.#models.map((name): Column => [name, 'number']);
    return table('words', 'In both', [['Word'], ...columns], rows);
  }

  #renderMoved(words: MovedWord[]) {
    const several = (list: string[]) =>
        h('td.several', list.map(isolated).join(', '));
    const byChance = this.#chance !== '';
    const rows = words.map(
        ({word, cosine, chance_cosine, p, lost, won}) => rowOf(
            wordLink(word, this.#link(word)), numberCell(score(cosine)),
            byChance && numberCell(score(chance_cosine)), numberCell(pValue(p)),
            several(lost), several(won)));
    const chance: Column[] = byChance ? [['By chance', 'number']] : [];
    return [table(
        'words moved', `From ${this.#models[0]} to ${this.#models[1]}`,
        [
          ['Word'],
          ['Cosine', 'number'],
          ...chance,
          ['p', 'number'],
          ['Neighbors lost', 'several'],
          ['Neighbors gained', 'several'],
        ],
        rows)];
  }
}

export class CompareView implements View {
  readonly element: HTMLElement;
  readonly #parts: Array<WordsPart|ModelsPart> = [];

  constructor(frame: Frame) {
    const {source} = frame;
    const model = frame.model;
    const lacksWords = source.lacks('compare words', model);
    const lacksModels = source.lacks('compare models', model);
    if (lacksWords === null) this.#parts.push(new WordsPart(frame));
    if (lacksModels === null) this.#parts.push(new ModelsPart(frame));
    const reasons =
        [lacksWords, lacksModels].filter((reason) => reason !== null);
    this.element = page(
        'Compare', ...this.#parts, ...reasons.map((reason) => quiet(reason)));
  }

  show(parameters: URLSearchParams) {
    for (const part of this.#parts) part.show(parameters);
  }
}
