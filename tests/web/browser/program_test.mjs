// The page over the real program: vectors of the demo, their map, the service
// of `firth explore`, and the file that `firth explore --page` writes. Skipped
// where FIRTH_PROGRAM names no program, or one without these commands.

import assert from 'node:assert/strict';
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {accessibilityFaults, goTo, openPage, says, settled, startBrowser} from './support.mjs';

const PROGRAM = process.env.FIRTH_PROGRAM;
const knows = (command) =>
    Boolean(PROGRAM) && spawnSync(PROGRAM, [command, '--help']).status === 0;
const skip = knows('explore') && knows('map') ? false : 'no firth explore';

// What the demo's text has: countries and their capitals.
const VIEWS = [
  '#map',
  '#neighbors?plus=king&plus=woman&minus=man',
  '#compare?a=king&b=queen',
  '#axes?from=man&to=woman&from2=king&to2=queen&top=100',
  '#axes?from=man&to=woman&x=king&x=man&y=queen&y=woman&a=boy&b=girl',
  '#analogies?a=man&b=king&c=woman',
];

let browser;
let folder;
const services = [];

const run = (...args) => execFileSync(
    PROGRAM, args,
    {cwd: folder, maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'ignore']});

// The address stands in the first line that the service writes.
async function startService(...given) {
  const service = spawn(
      PROGRAM,
      ['explore', ...given, '--no-open', '--port', '0', '--access-log', 'off'],
      {cwd: folder});
  services.push(service);
  let said = '';
  for await (const part of service.stderr) {
    said += part;
    const found = /http:\/\/\S+\//.exec(said);
    if (found) return found[0];
  }
  throw new Error(`firth explore: expected an address, found "${said}"`);
}

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'firth-web-'));
  run('demo', '--words', '300000', '--output', 'demo.safetensors');
  run('map', 'demo.safetensors', '--output', 'map.safetensors');
  run('explore', 'demo.safetensors', '--map', 'map.safetensors', '--page',
      'page.html', '--with-vectors');
  browser = await startBrowser();
});

after(async () => {
  if (skip) return;
  for (const service of services) service.kill('SIGINT');
  await browser.close();
  rmSync(folder, {recursive: true});
});

async function visitAll(page) {
  for (const view of VIEWS) {
    await goTo(page, view);
    assert.equal(await page.locator('.notice').count(), 0, view);
    assert.deepEqual(await accessibilityFaults(page), [], view);
  }
  await goTo(page, '#neighbors?plus=king');
  assert.equal(await page.locator('tbody tr').count(), 10);
  await goTo(page, '#map');
  await page.keyboard.press('/');
  await page.keyboard.type('quee');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await says(page, /^queen: 10 words/);
  await page.check();
}

test('the service answers every view', {skip}, async () => {
  const address =
      await startService('demo.safetensors', '--map', 'map.safetensors');
  const page = await openPage(browser, address);
  await settled(page);
  await visitAll(page);
});

test('the file answers them without a network', {skip}, async () => {
  const file = pathToFileURL(join(folder, 'page.html')).href;
  const page = await openPage(browser, file, {offline: true});
  await settled(page);
  await visitAll(page);
});

// A text, the same with two words exchanged, and the first with another seed.
function trainModels() {
  const text = String(run('demo', '--print', 'corpus', '--words', '300000'));
  const exchanged = {japan: 'king', king: 'japan'};
  writeFileSync(join(folder, 'old.txt'), text);
  writeFileSync(
      join(folder, 'new.txt'),
      text.replace(/\b(japan|king)\b/g, (word) => exchanged[word]));
  const train = (input, seed, output) =>
      run('train', '--input', input, '--seed', seed, '--output', output,
          '--dim', '50', '--epochs', '10', '--threads', '1');
  train('old.txt', '1', 'old.safetensors');
  train('new.txt', '1', 'new.safetensors');
  train('old.txt', '2', 'seed.safetensors');
}

test(
    'two models show which words moved, and chance alone', {skip}, async () => {
      trainModels();
      const address = await startService(
          'old.safetensors', 'new.safetensors', 'seed.safetensors');
      const page = await openPage(browser, `${address}#compare`);
      const moved = page.locator('table', {hasText: 'From old to new'});
      await moved.waitFor();
      const firstTwo = async () =>
          (await moved.locator('tbody th').allInnerTexts()).slice(0, 2).sort();
      assert.deepEqual(await firstTwo(), ['japan', 'king']);

      await page.getByLabel('Another seed of old').selectOption('seed');
      await moved.getByText('By chance').waitFor();
      assert.deepEqual(await firstTwo(), ['japan', 'king']);
      const japan =
          moved.locator('tr', {has: page.getByText('japan', {exact: true})})
              .first();
      const [cosine, chance, p] =
          (await japan.locator('td.number').allInnerTexts()).map(Number);
      assert(
          cosine < 0.6 && chance > 0.8, `cosine ${cosine}, chance ${chance}`);
      assert(p < 0.02, `p ${p}`);

      await japan.getByRole('link').click();
      await says(page, /^japan: \d+ neighbors in both models/);
      await page.locator('caption')
          .getByText('Only in old', {exact: true})
          .waitFor();
      assert.deepEqual(await accessibilityFaults(page), []);
      await page.check();
    });
