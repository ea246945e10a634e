// Tables of words with bars, and the notes on words without vectors, which
// every view shows alike.

import {h, quiet, UNHEARD} from '../dom';
import {counted, score, thousands} from '../format';
import {Neighbor, Neighbors, Unknown} from '../source/source';

export type LinkOf = (word: string) => string;

export function wordLink(word: string, address: string, className = 'word') {
  // bdi keeps a word that is written from right to left off its surroundings.
  return h('a', {href: address, class: className}, h('bdi', word));
}

// A bar from 0, to the left where the value is negative; 1 fills the cell.
export function bar(value: number, className = '') {
  const width = Math.min(1, Math.abs(value)) * 100;
  const fill = h('span', {
    class: `fill ${value < 0 ? 'negative' : ''} ${className}`,
  });
  fill.style.width = `${width.toFixed(1)}%`;
  return h('span.bar', UNHEARD, fill);
}

// The name of a column and its class.
export type Column = [name: string, className?: string];

// A column of bars has no name.
export const BARS: Column = ['', 'bar-cell'];

export function table(
    className: string, caption: string|null, columns: Column[], rows: Node[]) {
  const head = columns.map(
      ([name, kind]) => name ? h('th', {scope: 'col', class: kind}, name) :
                               h('td', {class: kind}));
  return h(
      'table', {class: className}, caption !== null && h('caption', caption),
      h('thead', h('tr', ...head)), h('tbody', ...rows));
}

// A row of a table, which its first cell names.
export function rowOf(name: Node|string, ...cells: Array<Node|false>) {
  return h('tr', h('th', {scope: 'row'}, name), ...cells);
}

export function numberCell(text: string) {
  return h('td.number', text);
}

export interface WordTableOptions {
  caption: string;
  scoreName?: string;
  link: LinkOf;
  // Words that stand in another list too.
  shared?: ReadonlySet<string>;
}

function row(
    neighbor: Neighbor, rank: number, options: WordTableOptions,
    withCounts: boolean) {
  const isShared = Boolean(options.shared && options.shared.has(neighbor.word));
  return h(
      'tr', {class: isShared ? 'shared' : ''}, h('td.number rank', rank),
      h('th', {scope: 'row'},
        wordLink(neighbor.word, options.link(neighbor.word)),
        isShared && h('span.tag', 'both')),
      numberCell(score(neighbor.score)), h('td.bar-cell', bar(neighbor.score)),
      withCounts && h('td.number count', thousands(neighbor.count)));
}

export function wordTable(neighbors: Neighbor[], options: WordTableOptions) {
  const withCounts = neighbors.some((neighbor) => neighbor.count > 0);
  const columns: Column[] = [
    ['#', 'number rank'], ['Word'], [options.scoreName || 'Cosine', 'number'],
    BARS
  ];
  if (withCounts) columns.push(['Count', 'number count']);
  return table(
      'words', options.caption, columns,
      neighbors.map(
          (neighbor, i) => row(neighbor, i + 1, options, withCounts)));
}

// Says which words have no vector, and what they may have been meant to be.
export function unknownNotice(unknown: Unknown[], link: LinkOf|null) {
  if (!unknown.length) return null;
  const lines = unknown.map(({word, spellings}) => {
    const line = h('p', h('bdi.word', word), ' has no vector.');
    if (!spellings.length) return line;
    line.append(' Did you mean ');
    spellings.forEach((spelling, i) => {
      if (i) line.append(i + 1 < spellings.length ? ', ' : ' or ');
      line.append(
          link ? wordLink(spelling, link(spelling)) : h('bdi.word', spelling));
    });
    line.append('?');
    return line;
  });
  return h('div.notice', {role: 'status'}, ...lines);
}

function composedNotice(composed: string[]) {
  if (!composed.length) return null;
  const lines = composed.map(
      (word) => h(
          'p', h('bdi.word', word),
          ' is not in the vocabulary. Its vector is built from its n-grams.'));
  return h('div.notice', ...lines);
}

export const NO_OTHERS = 'There are no other words.';

export function notices(
    {neighbors, unknown, composed}: Neighbors, link: LinkOf|null) {
  const isNone = !neighbors.length && !unknown.length;
  return [
    unknownNotice(unknown, link),
    composedNotice(composed),
    isNone ? quiet(NO_OTHERS) : null,
  ];
}

// What a listener hears of an answer.
export function spoken(title: string, neighbors: Neighbor[]): string {
  if (!neighbors.length) return `${title}: no results.`;
  const first = neighbors.slice(0, 5).map(
      ({word, score}) => `${word.slice(0, 60)} ${score.toFixed(2)}`);
  return `${title.slice(0, 200)}: ${counted(neighbors.length, 'word')}. ${
      first.join(', ')}.`;
}
