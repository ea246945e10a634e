// The window that explains the keys.

import {h} from './dom';

const KEYS: Array<[string, string]> = [
  ['/', 'search words'],
  ['?', 'this list'],
  ['← →', 'on the tabs: the next tab; Enter opens it'],
  ['← ↑ → ↓', 'on the map: the nearest word in that direction'],
  ['Shift and ← ↑ → ↓', 'on the map: move the map'],
  ['+ −', 'on the map: enlarge, reduce'],
  ['0', 'on the map: the whole map'],
  ['Home', 'on the map: the most frequent word'],
  ['Enter', 'on the map: the word’s neighbors'],
  ['Space', 'on the map: the word into the list or out of it'],
  ['V', 'on the map: all words in view into the list'],
  ['Escape', 'close what is open; on the map: no word'],
];

export function keysDialog() {
  if (document.querySelector('dialog[open]')) return;
  const close = h('button', {type: 'button', class: 'primary'}, 'Close');
  const list = h('dl', {class: 'keys'});
  for (const [key, meaning] of KEYS) {
    list.append(h('dt', {}, h('kbd', {}, key)), h('dd', {}, meaning));
  }
  const dialog =
      h('dialog', {'aria-labelledby': 'keys-title'},
        h('h2', {id: 'keys-title'}, 'Keys'), list, close);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
