// The browser of the tests: Debian's Chromium, without a window. Every request
// is written down, and none that would leave the machine gets out.

import axe from 'axe-core';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {chromium} from 'playwright-core';

const PAGE = process.env.FIRTH_PAGE;
assert(PAGE, 'FIRTH_PAGE: expected the path of page.html; run "make web-test"');
export const TEMPLATE = readFileSync(PAGE, 'utf8');

const LIMIT = 20000;  // milliseconds for whatever is waited for

export async function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--enable-unsafe-swiftshader',
      '--disable-background-networking',
    ],
  });
}

function isOurs(address, own) {
  return address.startsWith(own) || /^(data|blob|about):/.test(address);
}

// Opens the address in a window of its own, as a reader who was here before, or
// as a new one. Errors of the page and requests to
// elsewhere than `own` fail the test at check(), except messages of the console
// that match `expected`.
export async function openPage(browser, address, options = {}) {
  const {init, isNew = false, expected, ...context} = options;
  const window = await browser.newContext({
    viewport: {width: 1280, height: 800},
    reducedMotion: 'reduce',
    ...context,
  });
  window.setDefaultTimeout(LIMIT);
  const page = await window.newPage();
  const own = address.split('#')[0];
  const faults = [];
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (isOurs(url, own)) return route.continue();
    faults.push(`a request to ${url}`);
    return route.abort();
  });
  page.on('pageerror', (error) => faults.push(error.stack));
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected?.test(message.text())) {
      faults.push(message.text());
    }
  });
  await page.addInitScript({content: axe.source});
  if (init) await page.addInitScript(init);
  if (!isNew) {
    await page.addInitScript(
        () => localStorage.setItem('firth-map-explained', 'yes'));
  }
  await page.goto(address);
  return Object.assign(page, {
    check: async () => {
      await window.close();
      assert.deepEqual(faults, []);
    },
  });
}

// Goes to another view as a link would.
export async function goTo(page, hash) {
  await page.evaluate((to) => location.hash = to, hash);
  const view = hash.slice(1).split('?')[0];
  await page.locator(`body[data-view="${view}"]`).waitFor();
  await settled(page);
}

// Waits until no part of the view waits for an answer.
export async function settled(page) {
  await page.waitForFunction(
      () => document.querySelector('main') &&
          !document.querySelector('[aria-busy="true"], .map-view > .start'));
}

// Waits until the state in the address matches. page.url() would hear of a
// change only after the page has made it.
export async function addressHas(page, pattern) {
  await page.waitForFunction(
      ([source]) => new RegExp(source).test(decodeURIComponent(location.hash)),
      [pattern.source]);
}

// The names and values in the address.
export async function addressed(page) {
  return new URLSearchParams(
      await page.evaluate(() => location.hash.split('?')[1]));
}

export async function accessibilityFaults(page) {
  const {violations} = await page.evaluate(() => window.axe.run());
  return violations.map(
      ({id, nodes}) => `${id}: ${nodes.map((node) => node.html).join('\n  ')}`);
}

export async function says(page, pattern) {
  await page.waitForFunction(
      ([source]) =>
          new RegExp(source).test(document.getElementById('live').textContent),
      [pattern.source]);
}

// The share of the pixels of a part of the page that differ from its corner by
// more than a shade.
export async function inkOf(browser, locator) {
  const png = (await locator.screenshot()).toString('base64');
  const page = await browser.newPage();
  const share = await page.evaluate(async (data) => {
    const answer = await fetch(`data:image/png;base64,${data}`);
    const image = await createImageBitmap(await answer.blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, image.width, image.height).data;
    let ink = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      const differences =
          [0, 1, 2].map((part) => Math.abs(pixels[i + part] - pixels[part]));
      ink += Number(Math.max(...differences) > 24);
    }
    return ink / (image.width * image.height);
  }, png);
  await page.close();
  return share;
}
