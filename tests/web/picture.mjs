// Takes the picture of the explorer that README shows:
//
//   node picture.mjs PAGE ADDRESS PICTURE
//
// PAGE is a file of `firth explore --page`, and ADDRESS the part of the address
// after it, such as '#map?word=japan'.

import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const [page, address, picture] = process.argv.slice(2);
if (!picture) throw new Error('expected PAGE ADDRESS PICTURE');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
});
const tab = await browser.newPage({
  viewport: {width: 960, height: 600},
  reducedMotion: 'reduce',
});
// Not the sentences of the first visit.
await tab.addInitScript(
    () => localStorage.setItem('firth-map-explained', 'yes'));
await tab.goto(pathToFileURL(resolve(page)).href + address);
await tab.locator('.map-canvas canvas:not([hidden])').first().waitFor();
await tab.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
await tab.waitForTimeout(500);  // two frames of the map, at any load
await tab.screenshot({path: picture});
await browser.close();
