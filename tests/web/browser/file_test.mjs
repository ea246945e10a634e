// The page as one file: it works from file:// with the network off, asks for
// nothing, and takes no word for markup.

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {dataPage} from '../data_page.mjs';
import {HOSTILE, madeUpWorld} from '../made_up.mjs';

import {accessibilityFaults, addressHas, goTo, openPage, says, settled, startBrowser, TEMPLATE} from './support.mjs';

let browser;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firth-web-'));
  browser = await startBrowser();
});

after(async () => {
  await browser.close();
  rmSync(folder, {recursive: true});
});

function fileOf(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return pathToFileURL(path).href;
}

async function openFile(count, withVectors, hash = '') {
  const world = madeUpWorld(count);
  const address =
      fileOf(`${count}.html`, dataPage(TEMPLATE, world, withVectors));
  const page = await openPage(browser, address + hash, {offline: true});
  await settled(page);
  return page;
}

test('neighbors, map and search without vectors', async () => {
  const page = await openFile(500, false);
  await page.keyboard.press('/');
  await page.keyboard.type('kin');
  await page.keyboard.press('Enter');
  await page.getByText('kin is not on this map').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('kin');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await says(page, /^king: 10 words/);
  await goTo(page, '#neighbors?plus=queen');
  assert.equal(await page.locator('tbody tr').count(), 10);
  assert.equal(await page.getByRole('button', {name: 'Subtract'}).count(), 0);
  await page.check();
});

test('what a file cannot serve is told', async () => {
  const page = await openFile(300, false);
  const told = {
    '#compare': /with-vectors/,
    '#axes': /with-vectors/,
    '#analogies': /with-vectors/,
    '#context': /without a service[^]*firth explore .*--text/,
    '#training': /without a service[^]*firth explore .*--log/,
  };
  for (const [view, pattern] of Object.entries(told)) {
    await goTo(page, view);
    assert.match(await page.locator('main').innerText(), pattern, view);
    assert.deepEqual(await accessibilityFaults(page), [], view);
  }
  await page.check();
});

test('with vectors: sums, axes, analogies and WEAT', async () => {
  const page = await openFile(600, true, '#neighbors?plus=king&minus=man');
  assert.equal(await page.locator('tbody tr').count(), 10);
  await goTo(page, '#analogies?a=man&b=king&c=woman');
  assert.equal(await page.locator('tbody tr').count(), 10);
  await goTo(page, '#compare?a=king&b=queen');
  assert.match(await page.locator('.big').innerText(), /^.?0\.\d{3}$/);
  await goTo(
      page, '#axes?from=man&to=woman&x=king&x=queen&y=red&y=blue&a=he&b=she');
  await page.getByText(/p = .*over all divisions/).waitFor();
  await page.locator('.scatter circle').first().waitFor();
  await page.check();
});

test('words that look like markup are text', async () => {
  const page = await openFile(400, true);
  for (const word of HOSTILE) {
    const parameters = new URLSearchParams({word});
    await goTo(page, `#map?${parameters}`);
    assert.equal(await page.locator('.word-card h2').textContent(), word);
    await goTo(page, `#neighbors?${new URLSearchParams({plus: word})}`);
    assert.equal(await page.locator('tbody tr').count(), 10, word);
    assert.equal(await page.locator('.chip bdi').textContent(), word);
    const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - innerWidth);
    assert(wide <= 0, `${word.slice(0, 20)}: ${wide} pixels too wide`);
  }
  assert.equal(await page.locator('main script, main img, main b').count(), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.check();
});

test('hostile words that are typed are text', async () => {
  const page = await openFile(300, true, '#neighbors');
  const word = '<img src=x onerror=alert(1)>';
  await page.getByRole('combobox', {name: 'Add a word'}).fill(word);
  await page.getByRole('button', {name: '+ Add'}).click();
  await page.getByText('has no vector').first().waitFor();
  assert.equal(await page.locator('main img').count(), 0);
  await page.check();
});

test('a file that was damaged is told', async () => {
  const good = dataPage(TEMPLATE, madeUpWorld(100), false);
  const at = good.lastIndexOf('"counts"');
  const address =
      fileOf('damaged.html', good.slice(0, at) + good.slice(at + 30));
  const page = await openPage(browser, address, {offline: true});
  await page.getByText('The data in this page is damaged').waitFor();
  await page.check();
});

test('a state in the address is what is shown', async () => {
  const page = await openFile(500, false, '#map?word=king&x=1&y=2&z=9');
  await says(page, /^king: /);
  await addressHas(page, /z=9/);
  await page.reload();
  await says(page, /^king: /);
  await page.check();
});
