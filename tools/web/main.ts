// Starts the page: with the data that it holds, or with the service that it
// came from.

import {App} from './app';
import {h, replaceChildren} from './dom';
import {field, form, submitButton} from './parts/fields';
import {errorNotice} from './parts/results';
import {Block, BlockSource} from './source/block';
import {saveToken, Service} from './source/service';
import {Source, SourceError} from './source/source';
import {startTheme} from './theme';

function blockOf(text: string): Block {
  try {
    return JSON.parse(text) as Block;
  } catch {
    throw new SourceError(
        'The data in this page is damaged. Write the page again.');
  }
}

async function openSource(): Promise<Source> {
  const data = document.getElementById('firth-data');
  const text = data && data.textContent ? data.textContent.trim() : '';
  if (!text) return Service.open();
  const source = new BlockSource(blockOf(text));
  // The text would otherwise stay in memory twice.
  if (data) data.remove();
  return source;
}

function showAlone(root: Element, ...content: Node[]) {
  replaceChildren(root, h('main.page', h('h1.wordmark', 'Firth'), ...content));
}

// A service that others can reach wants its token once.
function askForToken(root: Element, error: SourceError) {
  const input = h('input', {
    id: 'token',
    type: 'password',
    autocomplete: 'off',
    required: true,
  });
  const ask = form(() => {
    saveToken(input.value.trim());
    start(root);
  }, field('Access token', 'token', input), submitButton('Open'));
  showAlone(root, h('p.notice', {role: 'alert'}, error.message), ask);
  input.focus();
}

async function start(root: Element) {
  try {
    new App(await openSource(), root);
  } catch (error) {
    if (error instanceof SourceError && error.status === 401) {
      askForToken(root, error);
    } else {
      showAlone(root, errorNotice(error));
    }
  }
}

startTheme();
document.body.append(h('div', {
  id: 'live',
  class: 'unseen',
  role: 'status',
  'aria-live': 'polite',
}));
const root = document.getElementById('app');
if (root) {
  replaceChildren(root, h('p.start', 'Firth'));
  // The data stand below this script.
  if (document.readyState === 'loading') {
    document.addEventListener('DOMContentLoaded', () => start(root));
  } else {
    start(root);
  }
}
