// The window that explains the keys.

import {h} from './dom';

const KEYS: Array<[string, string]> = [
  ['/', 'search words'],
  ['?', 'show these shortcuts'],
  ['← →', 'on the tabs: move to another tab; Enter opens it'],
  ['← ↑ → ↓', 'on the map: select the nearest word in that direction'],
  ['Shift and ← ↑ → ↓', 'on the map: move the map'],
  ['+ −', 'on the map: zoom in, zoom out'],
  ['0', 'on the map: show the whole map'],
  ['Home', 'on the map: select the most frequent word'],
  ['Enter', 'on the map: show the neighbors of the word'],
  ['Space', 'on the map: add the word to the list, or remove it'],
  ['V', 'on the map: add all visible words to the list'],
  ['Escape', 'close a dialog or list; on the map: deselect the word'],
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
        h('h2', {id: 'keys-title'}, 'Keyboard shortcuts'), list, close);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
