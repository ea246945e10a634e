// What holds in every view: no fault that axe knows, light and dark; nothing
// wider than the window, down to 320 pixels; ink where something is to be seen.

import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {madeUpWorld} from '../made_up.mjs';
import {startMock} from '../mock_service.mjs';

import {accessibilityFaults, goTo, inkOf, openPage, settled, startBrowser, TEMPLATE} from './support.mjs';

const VIEWS = [
  '#map',
  '#map?word=king',
  '#map?word=nowhere',
  '#neighbors',
  '#neighbors?plus=king&plus=woman&minus=man',
  '#neighbors?plus=qwertz&plus=kingish',
  '#compare',
  '#compare?a=king&b=queen&word=king',
  '#axes',
  '#axes?from=man&to=woman&from2=debt&to2=rich&top=100&x=art&y=red&a=he&b=she',
  '#analogies?a=man&b=king&c=woman',
  '#context',
  '#context?one=on+the+bank&other=the+bank+of+england',
  '#training',
];

let browser;
let mock;

before(async () => {
  mock = await startMock(TEMPLATE, {
    'made-up': madeUpWorld(1000),
    other: madeUpWorld(1000, 2),
  });
  browser = await startBrowser();
});

after(async () => {
  await browser.close();
  mock.close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing, ${colorScheme}`, async () => {
    const page = await openPage(browser, mock.address, {colorScheme});
    for (const view of VIEWS) {
      await goTo(page, view);
      assert.deepEqual(await accessibilityFaults(page), [], view);
    }
    await page.keyboard.press('?');
    assert.deepEqual(await accessibilityFaults(page), [], 'the keys');
    await page.check();
  });
}

// It is read on every visit of a service, and is part of every exported file.
test('the page without data is small', () => {
  const bytes = Buffer.byteLength(TEMPLATE);
  assert(bytes < 130000, `${bytes} bytes`);
});

test('the map fills the window and nothing lies below it', async () => {
  const viewport = {width: 1280, height: 800};
  const page = await openPage(browser, mock.address, {viewport});
  await goTo(page, '#map');
  const below = await page.evaluate(
      () => document.documentElement.scrollHeight - innerHeight);
  assert.equal(below, 0);
  await page.check();
});

for (const width of [320, 768, 1920]) {
  test(`nothing is wider than ${width} pixels, or hidden to some`, async () => {
    const viewport = {width, height: 720};
    const page = await openPage(browser, mock.address, {viewport});
    for (const view of VIEWS) {
      await goTo(page, view);
      const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - innerWidth);
      assert(wide <= 0, `${view}: ${wide} pixels too wide`);
      assert.deepEqual(await accessibilityFaults(page), [], view);
    }
    await page.check();
  });
}

// Playwright knows no machine without WebGL: the page is told that there is
// none, or that an imitation is a graphics processor.
const withoutWebGl = () => {
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function(kind, ...rest) {
    return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest);
  };
};
const withWebGl = () => {
  const get = WebGL2RenderingContext.prototype.getParameter;
  WebGL2RenderingContext.prototype.getParameter = function(what) {
    return what === 0x9246 ? 'a graphics processor' : get.call(this, what);
  };
};

// Hides the controls over the map, and a layer: "points" or "over", which has
// the labels.
const hide = (page, layer) => page.evaluate((hidden) => {
  for (const element of document.querySelectorAll(hidden)) {
    element.style.visibility = 'hidden';
  }
}, `.legend, .tools, .arrows, canvas.${layer}`);

for (const [renderer, init] of [
         ['canvas', withoutWebGl], ['webgl', withWebGl]]) {
  test(`the map has ink, by ${renderer}`, async () => {
    const page = await openPage(browser, mock.address, {init});
    await settled(page);
    const host = page.locator('.map-canvas');
    assert.equal(await host.getAttribute('data-renderer'), renderer);
    // The points alone, without labels.
    await hide(page, 'over');
    const ink = await inkOf(browser, host);
    assert(ink > 0.004 && ink < 0.2, `points cover ${ink}`);
    await page.check();
  });
}

test('labels have ink', async () => {
  const page = await openPage(browser, mock.address);
  await settled(page);
  await hide(page, 'points');
  const labels = await inkOf(browser, page.locator('.map-canvas'));
  assert(labels > 0.005 && labels < 0.2, `labels cover ${labels}`);
  await page.check();
});
