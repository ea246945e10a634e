// What the map shows and does: colors, sizes, labels, search, selection,
// methods and files, against a service and in a page of its own.

import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {dataPage} from '../data_page.mjs';
import {cosine, HOSTILE, madeUpWorld, nearestTo, unitVector} from '../made_up.mjs';
import {startMock} from '../mock_service.mjs';

import {accessibilityFaults, addressed, addressHas, goTo, inkOf, openPage, says, settled, startBrowser, TEMPLATE} from './support.mjs';

let browser;
let reader;  // a blank page
let folder;
let mock;
const world = madeUpWorld(600);
const FAR = 599;  // a word far outside

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'firth-web-'));
  world.points.set([400, 300], 2 * FAR);
  world.failing = new Set(['tsne']);
  mock = await startMock(TEMPLATE, {'made-up': world});
  browser = await startBrowser();
  reader = await browser.newPage();
});

after(async () => {
  await browser.close();
  mock.close();
  rmSync(folder, {recursive: true});
});

function onService(name, hash, body, options = {}) {
  test(name, async () => {
    const page = await openPage(browser, mock.address + hash, options);
    await settled(page);
    await body(page);
    await page.check();
  });
}

function onFile(name, make, hash, body, options = {}) {
  test(name, async () => {
    const path = join(folder, `${name.replace(/\W/g, '-')}.html`);
    writeFileSync(path, make());
    const page = await openPage(
        browser, pathToFileURL(path).href + hash, {offline: true, ...options});
    await settled(page);
    await body(page);
    await page.check();
  });
}

async function download(page, click) {
  const [file] = await Promise.all([page.waitForEvent('download'), click()]);
  return readFileSync(await file.path());
}

async function exported(page, name) {
  await page.locator('.menu summary').click();
  const content =
      await download(page, () => page.getByRole('button', {name}).click());
  await page.locator('.menu summary').click();
  return content;
}

// The picture of the map as the browser reads its file: circles of points and
// texts, in pixels.
async function pictureOf(page) {
  const file = String(await exported(page, 'Picture (SVG)'));
  // The page's own policy forbids to parse text.
  return reader.evaluate((source) => {
    const root = new DOMParser().parseFromString(source, 'image/svg+xml');
    const fault = root.querySelector('parsererror');
    if (fault) throw new Error(fault.textContent);
    const context = document.createElement('canvas').getContext('2d');
    const number = (element, name) => Number(element.getAttribute(name));
    return {
      circles: [...root.querySelectorAll('g circle')].map(
          (circle) => ({
            x: number(circle, 'cx'),
            y: number(circle, 'cy'),
            r: number(circle, 'r'),
            fill: circle.getAttribute('fill'),
          })),
      texts: [...root.querySelectorAll('text')].map((text) => {
        const size = number(text, 'font-size');
        context.font = `${text.getAttribute('font-weight')} ${size}px ` +
            '"Iowan Old Style", Charter, Georgia, serif';
        return {
          text: text.textContent,
          isWord: text.getAttribute('font-weight') === '400',
          x: number(text, 'x'),
          y: number(text, 'y') - 0.35 * size,
          width: context.measureText(text.textContent).width,
          height: size,
        };
      }),
      scripts: root.querySelectorAll('script').length,
    };
  }, file);
}

const groups = (page) => page.locator('.group');
const selectedCount = async (page) => Number(
    (await page.locator('.list h3').first().innerText()).replace(/\D/g, ''));

onService(
    'the legend lists the clusters, largest first, and switches them', '#map',
    async (page) => {
      // Level 0 has 6 of the 12 clusters.
      assert.equal(await groups(page).count(), 6);
      const counts = (await page.locator('.group .number').allInnerTexts())
                         .map((text) => Number(text.replace(/\D/g, '')));
      assert.deepEqual(counts, counts.slice().sort((a, b) => b - a));
      assert.equal(counts.reduce((a, b) => a + b), 600);
      const before = await pictureOf(page);
      assert.equal(new Set(before.circles.map(({fill}) => fill)).size, 6);

      const first = groups(page).first();
      const name = await first.locator('bdi').innerText();
      const word = name.split(' · ')[0];
      await first.click();
      assert.equal(await first.getAttribute('aria-pressed'), 'false');
      await addressHas(page, /off=\d/);
      const after = await pictureOf(page);
      assert.equal(before.circles.length - after.circles.length, counts[0]);
      assert.equal(new Set(after.circles.map(({fill}) => fill)).size, 5);
      assert(!after.texts.some(({text}) => text === word), `${word} is hidden`);
      await page.getByLabel('Find on the map').fill(word);
      await page.locator('.found').getByText(/^\d+ words? found/).waitFor();
      const found = await page.locator('.found .word').allInnerTexts();
      assert(!found.includes(word), `${word} is hidden`);
      // The same state again.
      await page.reload();
      await settled(page);
      assert.equal(
          await groups(page).first().getAttribute('aria-pressed'), 'false');
    });

onService('hidden points are not picked', '#map?word=king', async (page) => {
  await page.waitForFunction(() => /z=/.test(location.hash));
  const box = await page.locator('.map-canvas').boundingBox();
  const legend = await page.locator('.legend').boundingBox();
  const x = (box.x + box.width + legend.x + legend.width) / 2;
  const y = box.y + box.height / 2;
  const at = () => page.locator('.hover-card .title').innerText();
  await page.mouse.move(x, y);
  await page.locator('.hover-card').waitFor();
  assert.equal(await at(), 'king');
  // All groups off: nothing is left.
  for (const group of await groups(page).all()) await group.click();
  await page.mouse.move(x + 1, y + 1);
  await page.mouse.move(x, y);
  assert(await page.locator('.hover-card').isHidden());
});

// Waits until the legend ends at the greatest similarity of another word.
async function similarityTo(word, page) {
  const id = world.words.indexOf(word);
  const greatest = Math.max(...world.words.map(
      (_, other) => other === id ? -1 : cosine(world, id, other)));
  await page.locator('.ends span')
      .nth(2)
      .getByText(String(Number(greatest.toPrecision(2))), {exact: true})
      .waitFor();
}

onService(
    'colors by frequency, by columns and by similarity', '#map?word=king',
    async (page) => {
      const by = page.getByLabel('Color by');
      const ends = async () =>
          (await page.locator('.ends span').allInnerTexts());
      await by.selectOption('frequency');
      await page.locator('.ramp').waitFor();
      assert.equal((await ends()).length, 3);
      assert.match((await ends())[2], /^500\D000$/);
      await addressHas(page, /color=frequency/);
      await by.selectOption('initial');
      await page.getByText('a to k').waitFor();
      assert.deepEqual(
          (await groups(page).locator('bdi').allInnerTexts()).sort(),
          ['a to k', 'l to z', 'no value']);
      await by.selectOption('length');
      await page.locator('.ramp').waitFor();
      assert.equal((await ends())[0], '2');

      const asked = () =>
          mock.asked.filter((path) => path === '/neighbors').length;
      const before = asked();
      await by.selectOption('similarity');
      await similarityTo('king', page);
      assert.equal(asked() - before, 1, 'one request for all similarities');
      const {circles} = await pictureOf(page);
      assert(new Set(circles.map(({fill}) => fill)).size > 20);
      await page.keyboard.press('Home');
      assert.deepEqual(await accessibilityFaults(page), []);
    });

onService(
    'similarity without a word asks for one', '#map?color=similarity',
    async (page) => {
      await page.getByText('Choose a word first').waitFor();
    });

onFile(
    'a page colors by similarity only with vectors',
    () => dataPage(TEMPLATE, world, false), '#map', async (page) => {
      const options =
          await page.getByLabel('Color by').locator('option').allInnerTexts();
      assert.deepEqual(options, ['cluster', 'frequency', 'initial', 'length']);
    });

onFile(
    'words without counts are colored by their rank',
    () => {
      const uncounted = madeUpWorld(600);
      uncounted.counts.fill(0);
      return dataPage(TEMPLATE, uncounted, false);
    },
    '#map?color=frequency',
    async (page) => {
      assert.deepEqual(
          await page.locator('.ends span').allInnerTexts(),
          ['rank 600', 'rank 24', 'rank 1']);
      const choices = page.getByLabel('Color by').locator('option');
      assert.equal(await choices.nth(1).innerText(), 'frequency rank');
      const {texts} = await pictureOf(page);
      assert(texts.some(({text}) => text === 'rank 600'));
      const table = String(await exported(page, /^Table of visible words/));
      assert.match(table, /^word,rank,x,/);
      assert.match(table, /\nking,1,/);
    });

onFile(
    'a page with vectors computes similarities',
    () => dataPage(TEMPLATE, world, true), '#map?word=king&color=similarity',
    async (page) => {
      await similarityTo('king', page);
    });

onService(
    'sizes follow frequency, unless they are off', '#map', async (page) => {
      const radii = async () => (await pictureOf(page)).circles.map(({r}) => r);
      const sized = await radii();
      // The most frequent word is drawn last.
      assert(sized[sized.length - 1] > 2 * Math.min(...sized));
      await page.getByLabel('Size by frequency').uncheck();
      assert.equal(new Set(await radii()).size, 1);
      await addressHas(page, /size=0/);
    });

onService(
    'an outlier does not stretch the view, and an arrow leads to it', '#map',
    async (page) => {
      const {circles} = await pictureOf(page);
      const wide = Math.max(...circles.map(({x}) => x)) -
          Math.min(...circles.map(({x}) => x));
      assert(wide > 350, `the dense part is ${wide} pixels wide`);
      const arrow = page.locator('.arrow:visible').first();
      assert.match(
          await arrow.getAttribute('aria-label'), /^Outside the view: /);
      await arrow.focus();
      await page.keyboard.press('Enter');
      const far = Number(world.points[2 * FAR].toPrecision(5));
      await addressHas(page, new RegExp(`x=${far}`));
      await page.keyboard.press('0');
    });

onService(
    'an arrow has a name as soon as it is shown', '#map', async (page) => {
      await page.locator('.arrow:visible').first().waitFor();
      // Before the browser draws the next picture.
      const count = await page.evaluate(async () => {
        const old = document.querySelector('.arrow');
        const select = [...document.querySelectorAll('.legend select')].find(
            ({options}) => [...options].some(
                ({value}) => value === 'frequency'));
        select.value = 'frequency';
        select.dispatchEvent(new Event('change'));
        for (let i = 0; i < 10; ++i) await null;
        if (old.isConnected) throw new Error('expected new arrows');
        return document.querySelectorAll('.arrow:not([hidden], [aria-label])')
            .length;
      });
      assert.equal(count, 0);
    });

// A label belongs to the dot at its end.
function faultsOf({circles, texts}, controls) {
  const faults = [];
  const words = texts.filter(({isWord, x}) => isWord && x > 60);
  const boxes = words.map(({text, x, y, width, height}) => ({
                            text,
                            x,
                            y: y - height / 2,
                            width,
                            height,
                          }));
  const touches = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width &&
      a.y < b.y + b.height && b.y < a.y + a.height;
  boxes.forEach((box, i) => {
    for (const other of boxes.slice(i + 1)) {
      if (touches(box, other)) faults.push(`${box.text} on ${other.text}`);
    }
    for (const control of controls) {
      if (touches(box, control)) faults.push(`${box.text} under a control`);
    }
    for (const {x, y, r} of circles) {
      const dx = Math.max(box.x - x, 0, x - box.x - box.width);
      const dy = Math.max(box.y - y, 0, y - box.y - box.height);
      if (Math.hypot(dx, dy) < r - 0.5) {
        faults.push(`${box.text} on the dot at ${x}, ${y}`);
      }
    }
  });
  return {faults, count: boxes.length};
}

onFile(
    'labels cover no dot, no label and no control, at any zoom',
    () => dataPage(TEMPLATE, madeUpWorld(150), false), '#map?x=9&y=0&z=1',
    async (page) => {
      const controls = await page.evaluate(() => {
        const origin =
            document.querySelector('.map-canvas').getBoundingClientRect();
        return ['.legend', '.tools'].map((name) => {
          const {left, top, width, height} =
              document.querySelector(name).getBoundingClientRect();
          return {x: left - origin.left, y: top - origin.top, width, height};
        });
      });
      const shares = [];
      for (let i = 0; i < 4; ++i) {
        const picture = await pictureOf(page);
        // The lines of the legend are in the file's corner.
        const texts = picture.texts.filter(({x}) => x !== 32);
        const {faults, count} = faultsOf({...picture, texts}, controls);
        assert.deepEqual(faults, [], `after ${i} steps`);
        const share = count / picture.circles.length;
        assert(count > 3, `${count} labels`);
        shares.push(share);
        await page.locator('.map-canvas').focus();
        await page.keyboard.press('+');
        await page.waitForTimeout(400);
      }
      assert(shares[3] > shares[0], `labelled: ${shares}`);
    });

// The nearest words of the first one are in a small and dense part of the map.
function denseWorld() {
  const dense = madeUpWorld(600);
  const near = nearestTo(dense, unitVector(dense, 0), 10, [0]);
  const [x, y] = dense.points;
  near.forEach(({id}, i) => {
    const turn = 2.4 * i;
    const far = 0.006 * (i + 1);
    dense.points.set(
        [x + far * Math.cos(turn), y + far * Math.sin(turn)], 2 * id);
  });
  return {dense, near: near.map(({word}) => word)};
}

onFile(
    'a flight spreads the neighbors of a word, and all are labeled',
    () => dataPage(TEMPLATE, denseWorld().dense, false), '#map?word=king',
    async (page) => {
      await page.waitForFunction(() => /z=/.test(location.hash));
      const {near} = denseWorld();
      const picture = await pictureOf(page);
      const labels = picture.texts.filter(({text}) => near.includes(text));
      assert.equal(labels.length, 10, labels.map(({text}) => text).join(' '));
      assert.deepEqual(faultsOf({...picture, texts: labels}, []).faults, []);
      const zoom = Number((await addressed(page)).get('z'));
      assert(zoom > 30 && zoom < 400, `zoom ${zoom}`);
    });

onService('labels stay while the map is moved', '#map?z=3', async (page) => {
  const labels = async () => {
    const {texts} = await pictureOf(page);
    return texts.filter(({isWord, x}) => isWord && x !== 32);
  };
  const before = await labels();
  await page.locator('.map-canvas').focus();
  for (const key of ['Shift+ArrowRight', 'Shift+ArrowUp']) {
    await page.keyboard.press(key);
  }
  await page.waitForTimeout(500);
  const after = new Map((await labels()).map((one) => [one.text, one]));
  // Those that are still inside, 80 pixels to the left and down.
  const inside = before.filter(
      ({x, y, width}) => x > 350 && x + width < 880 && y > 20 && y < 480);
  assert(inside.length > 5, `${inside.length} labels`);
  for (const {text, x, y} of inside) {
    const now = after.get(text);
    assert(now, `${text} is gone`);
    assert(Math.abs(x - 80 - now.x) < 2 && Math.abs(y + 80 - now.y) < 2, text);
  }
});

onFile(
    'a large map has a layer of density, which fades',
    () => dataPage(TEMPLATE, madeUpWorld(21000), false), '#map',
    async (page) => {
      const opacity = () => page.locator('.heat').evaluate(
          (canvas) => canvas.hidden ? 0 : Number(canvas.style.opacity));
      assert.equal(await opacity(), 1);
      await page.evaluate(() => {
        document.querySelectorAll('canvas.points, canvas.over, .legend, .tools')
            .forEach((canvas) => canvas.style.visibility = 'hidden');
      });
      const ink = await inkOf(browser, page.locator('.map-canvas'));
      assert(ink > 0.05, `the layer covers ${ink}`);
      await goTo(page, '#map?z=3');
      const faded = await opacity();
      assert(faded > 0 && faded < 1, `${faded}`);
      await goTo(page, '#map?z=9');
      assert.equal(await opacity(), 0);
    });

onService('a small map has no layer of density', '#map', async (page) => {
  assert(await page.locator('.heat').isHidden());
});

const finds = async (page, text) => {
  await page.getByLabel('Find on the map').fill(text);
  await page.keyboard.press('Enter');
};

onService(
    'find on the map: parts of words and expressions', '#map', async (page) => {
      await finds(page, 'MO');
      await page.getByText(/^\d+ words found$/).waitFor();
      const parts = await page.locator('.found .word').allInnerTexts();
      const expected =
          world.words.filter((word) => word.toLowerCase().includes('mo'));
      assert.deepEqual(parts, expected.slice(0, 100));
      assert(expected.includes('mother'));
      await addressHas(page, /find=MO/);

      await finds(page, '/^(king|queen)$/');
      await says(page, /^2 words found/);
      assert.deepEqual(
          await page.locator('.found .word').allInnerTexts(),
          ['king', 'queen']);
      await page.getByRole('button', {name: 'Select these'}).click();
      await says(page, /^2 words selected/);

      await finds(page, '/^QUEEN$/iu');
      await says(page, /^1 word found/);
      await finds(page, '/king/g');
      await says(page, /^The flag “g” is not one of/);
      assert.equal(await page.locator('.found .error').count(), 1);

      await finds(page, '/(king/');
      await page.locator('.found .error').waitFor();
      assert.match(await page.locator('.found .error').innerText(), /group/i);
      await finds(page, '');
      await page.waitForFunction(
          () => !document.querySelector('.found').textContent);
    });

onFile(
    'an expression that takes forever is stopped, and the page runs on',
    () => {
      const slow = madeUpWorld(300);
      slow.words[299] = 'a'.repeat(60);
      return dataPage(TEMPLATE, slow, false);
    },
    '#map',
    async (page) => {
      await finds(page, '/^(a+)+b/');
      const start = Date.now();
      // The page answers while the expression runs.
      const longest = await page.evaluate(async () => {
        let longest = 0;
        let last = performance.now();
        while (!/stopped/.test(document.querySelector('.found').textContent) &&
               last < 60000) {
          await new Promise((resume) => setTimeout(resume, 10));
          longest = Math.max(longest, performance.now() - last);
          last = performance.now();
        }
        return longest;
      });
      assert(longest < 1000, `the page stood still for ${longest} ms`);
      assert(Date.now() - start < 15000);
      await page.locator('.found .notice').waitFor();
    });

onService('matches are ringed', '#map?z=1', async (page) => {
  const marks = async () => {
    await page.waitForTimeout(300);
    return inkOf(browser, page.locator('.map-canvas'));
  };
  await page.evaluate(
      () => document.querySelector('canvas.points').style.visibility =
          'hidden');
  const before = await marks();
  await finds(page, 'a');
  await says(page, /words found/);
  assert(await marks() > before + 0.005);
});

onService('the main search forgives a slip', '#map', async (page) => {
  await page.keyboard.press('/');
  await page.keyboard.type('quene');
  await page.getByRole('option', {name: 'queen'}).waitFor();
});

onService(
    'a selection: typical words, neighbors, hide, keep, show all', '#map',
    async (page) => {
      const circles = async () => (await pictureOf(page)).circles.length;
      const all = await circles();
      await page.locator('.groups .icon').first().click();
      const count = await selectedCount(page);
      assert(count > 30, `${count} selected`);
      await page.getByRole('button', {name: 'Typical words'}).click();
      await page.locator('.typical li').nth(5).waitFor();
      await page.getByRole('button', {name: 'Neighbors of the mean'}).click();
      await page.getByRole('list', {name: /^Neighbors of the mean/})
          .locator('li')
          .nth(9)
          .waitFor();
      await page.getByRole('button', {name: 'Keep only these'}).click();
      assert.equal(await circles(), count);
      await page.getByRole('button', {name: /^Show all/}).click();
      assert.equal(await circles(), all);
      await page.getByRole('button', {name: 'Hide', exact: true}).click();
      assert.equal(await circles(), all - count);
      assert.deepEqual(await accessibilityFaults(page), []);
    });

onFile(
    'the mean of all words has no neighbors, and says so',
    () => dataPage(TEMPLATE, madeUpWorld(60), true), '#map', async (page) => {
      await finds(page, '/./');
      await says(page, /^60 words found/);
      await page.getByRole('button', {name: 'Select these'}).click();
      await page.getByRole('button', {name: 'Neighbors of the mean'}).click();
      await page.getByText('There are no other words.').waitFor();
    });

onFile(
    'a sum that has no direction says so, and an empty word is none',
    () => dataPage(TEMPLATE, madeUpWorld(60), true),
    '#map?word=', async (page) => {
      await page.getByText('Click a word').waitFor();
      await goTo(page, '#neighbors?plus=king&minus=king');
      await page.getByText('The sum of these vectors is zero').waitFor();
      await goTo(page, '#neighbors?plus=king&plus=kingg');
      await page.getByText('kingg has no vector').waitFor();
      assert.equal(await page.locator('table').count(), 0);
    });

onService('an axis between two selections', '#map', async (page) => {
  const choose = async (pattern, end) => {
    await finds(page, pattern);
    await says(page, /words? found/);
    await page.getByRole('button', {name: 'Select these'}).click();
    await page.getByRole('button', {name: `Keep as ${end}`}).click();
    await page.getByRole('button', {name: 'Clear'}).click();
  };
  await choose('/^(man|he)$/', 'A');
  await choose('/^(woman|she)$/', 'B');
  await finds(page, '/^king$/');
  await says(page, /^1 word found/);
  await page.getByRole('button', {name: 'Select these'}).click();
  await page.getByRole('button', {name: 'Axis from A to B'}).click();
  await page.locator('body[data-view="axes"]').waitFor();
  await addressHas(page, /from=man&from=he&to=woman&to=she/);
});

onService('a selection is saved as a table', '#map', async (page) => {
  await finds(page, '/^(king|-minus|"><img.*)$/');
  await says(page, /^3 words found/);
  await page.getByRole('button', {name: 'Select these'}).click();
  const file = String(await download(
      page, () => page.getByRole('button', {name: 'Save CSV'}).click()));
  const lines = file.trimEnd().split('\r\n');
  assert.equal(lines[0], 'word,count,x,y,cluster,initial,length');
  const [x, y] = world.points;
  assert.match(lines[1], /^king,500000,/);
  const fields = lines[1].split(',');
  assert(Math.abs(fields[2] - x) < 1e-4 && Math.abs(fields[3] - y) < 1e-4);
  assert.match(fields[4], / · /);
  assert.deepEqual(fields.slice(5), ['a to k', '4']);
  assert(file.includes('\n"""><img src=x onerror=alert(2)>",'));
  assert(file.includes('\n\'-minus,'));
});

onService(
    'the card under the pointer needs no request', '#map?word=king',
    async (page) => {
      await page.waitForFunction(() => /z=/.test(location.hash));
      const box = await page.locator('.map-canvas').boundingBox();
      const before = mock.asked.length;
      const card = page.locator('.hover-card');
      for (let x = 0.4; x < 0.9 && await card.isHidden(); x += 0.02) {
        await page.mouse.move(box.x + x * box.width, box.y + 0.5 * box.height);
      }
      assert.match(
          await card.innerText(),
          /^\S+\s+Frequency rank .*occurrence.*Near: /s);
      assert.equal(mock.asked.length, before);
      const near = await card.locator('bdi').count();
      assert.equal(near, 6);
      await page.mouse.move(box.x + box.width + 40, box.y + 300);
      assert(await card.isHidden());
    });

onFile(
    'in a page, the card shows the stored neighbors',
    () => dataPage(TEMPLATE, world, false), '#map?word=king', async (page) => {
      const box = await page.locator('.map-canvas').boundingBox();
      const legend = await page.locator('.legend').boundingBox();
      await page.mouse.move(
          (box.x + box.width + legend.x + legend.width) / 2,
          box.y + box.height / 2);
      const near = await page.locator('.hover-card bdi').allInnerTexts();
      const stored = await page.locator('.near a').allInnerTexts();
      assert.deepEqual(near.slice(1), stored.slice(0, 5));
    });

onService(
    'methods: a notice while one is computed, and the address', '#map',
    async (page) => {
      mock.delay.pca = 600;
      const before = await pictureOf(page);
      await page.getByLabel('Method').selectOption('PCA');
      await page.getByText('Computing the map by PCA').waitFor();
      // The old picture stays until then.
      assert.deepEqual((await pictureOf(page)).circles, before.circles);
      await says(page, /^Map by PCA/);
      const after = await pictureOf(page);
      assert.notDeepEqual(after.circles, before.circles);
      assert.deepEqual(
          new Set(after.circles.map(({fill}) => fill)),
          new Set(before.circles.map(({fill}) => fill)));
      await addressHas(page, /method=pca/);
      await page.getByText('Computing').waitFor({state: 'detached'});
      mock.delay = {};
      // A second time without a request.
      const asked = mock.asked.length;
      await page.getByLabel('Method').selectOption('UMAP');
      await says(page, /^Map by UMAP/);
      assert.equal(mock.asked.length, asked);
    });

onService(
    'methods: an error is shown, and the old view stays',
    '#map', async (page) => {
      const before = await pictureOf(page);
      await page.getByLabel('Method').selectOption('t-SNE');
      await page.getByText('tsne does not converge').waitFor();
      assert.deepEqual((await pictureOf(page)).circles, before.circles);
      assert.equal(await page.getByLabel('Method').inputValue(), 'umap');
    }, {expected: /500/});

onService(
    'methods: the points fly, unless the reader prefers no motion',
    '#map', async (page) => {
      await page.getByLabel('Method').selectOption('PCA');
      await says(page, /^Map by PCA/);
      await page.waitForTimeout(600);
      await page.getByLabel('Method').selectOption('UMAP');
      const seen = await page.evaluate(async () => {
        const canvas = document.querySelector('canvas.points');
        const pictures = new Set();
        const start = performance.now();
        while (performance.now() - start < 700) {
          await new Promise((resume) => requestAnimationFrame(resume));
          pictures.add(canvas.toDataURL());
        }
        return pictures.size;
      });
      assert(seen > 2, `${seen} pictures`);
    }, {reducedMotion: 'no-preference'});

onService(
    'methods: two next to one another, with the same marks', '#map?word=king',
    async (page) => {
      await page.getByLabel('Side by side with').selectOption('PCA');
      await page.locator('.map-canvas').nth(1).waitFor();
      await addressHas(page, /beside=pca/);
      const second = page.locator('.map-canvas').nth(1);
      assert.match(await second.getAttribute('aria-label'), /by PCA/);
      await page.waitForTimeout(300);
      // A dot that is clicked in one is chosen in both.
      await second.focus();
      await page.keyboard.press('Home');
      await says(page, /^king: /);
      await page.keyboard.press('ArrowLeft');
      const word = await page.locator('.word-card h2').innerText();
      assert.notEqual(word, 'king');
      assert.deepEqual(await accessibilityFaults(page), []);
      await page.getByLabel('Side by side with').selectOption('nothing');
      await second.waitFor({state: 'detached'});
    });

onService(
    'methods: both pictures have the same width next to the legend', '#map',
    async (page) => {
      // Pixels of each picture that the legend leaves free.
      const free = () => page.evaluate(() => {
        const right = (name) =>
            document.querySelector(name).getBoundingClientRect().right;
        const [one, other] = [...document.querySelectorAll('.map-canvas')].map(
            (host) => host.getBoundingClientRect());
        const isOpen = document.querySelector('.legend').open;
        const left = isOpen ? right('.legend') : one.left;
        return [one.right - left, other.width];
      });
      await page.getByLabel('Side by side with').selectOption('PCA');
      await page.locator('.map-canvas').nth(1).waitFor();
      const [one, other] = await free();
      assert(Math.abs(one - other) < 4, `${one} and ${other} pixels`);
      assert(other > 340, `${other} pixels`);
      await page.locator('.legend summary').click();
      await page.waitForFunction(() => {
        const hosts = [...document.querySelectorAll('.map-canvas')];
        return Math.abs(hosts[0].clientWidth - hosts[1].clientWidth) < 4 &&
            hosts.every((host) => {
              const canvas = host.querySelector('.over');
              const ratio = Math.min(2, devicePixelRatio);
              return Math.abs(canvas.width / ratio - host.clientWidth) < 2;
            });
      });
    });

// The panels of the picture of the map in a file, and its legend.
async function panelsOf(page) {
  const file = String(await exported(page, 'Picture (SVG)'));
  return reader.evaluate((source) => {
    const {documentElement: root} =
        new DOMParser().parseFromString(source, 'image/svg+xml');
    const boxOf = (element) => ['x', 'y', 'width', 'height'].map(
        (name) => Number(element.getAttribute(name)));
    const rects = [...root.children].filter(({tagName}) => tagName === 'rect');
    return {
      box: boxOf(root),
      panels: [...root.querySelectorAll('svg')].map(
          (panel) => ({
            box: boxOf(panel),
            dots: panel.querySelectorAll('g circle').length,
          })),
      legend: rects.slice(1).map(boxOf),
      keys: [...root.children].filter(({tagName}) => tagName === 'text').length,
    };
  }, file);
}

onService(
    'files show both pictures, and the legend on paper', '#map?beside=pca',
    async (page) => {
      await page.locator('.map-canvas').nth(1).waitFor();
      const whole = await page.locator('.pictures')
                        .evaluate(
                            ({clientWidth, clientHeight}) =>
                                ({width: clientWidth, height: clientHeight}));
      const {box, panels, legend, keys} = await panelsOf(page);
      assert.deepEqual(box, [0, 0, whole.width, whole.height]);
      assert.equal(panels.length, 2);
      const [first, second] = panels;
      assert(first.dots > 500 && second.dots > 500);
      assert.equal(first.box[0], 0);
      assert(second.box[0] >= first.box[2]);
      assert.equal(second.box[0] + second.box[2], whole.width);
      assert.equal(keys, 6);
      const [[, , width, height]] = legend;
      assert(width > 100 && width < 400, `${width} pixels`);
      assert(height >= 120 && height < 200, `${height} pixels`);
      const png = await exported(page, 'Picture (PNG)');
      assert.deepEqual(
          [png.readUInt32BE(16), png.readUInt32BE(20)],
          [whole.width, whole.height]);
      // The second one is drawn, too.
      const ink = await reader.evaluate(async ([data, left]) => {
        const answer = await fetch(`data:image/png;base64,${data}`);
        const image = await createImageBitmap(await answer.blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const {data: pixels} = context.getImageData(
            left + 5, 0, image.width - left - 5, image.height);
        const colors = new Set(new Uint32Array(pixels.buffer));
        return colors.size;
      }, [png.toString('base64'), second.box[0]]);
      assert(ink > 50, `${ink} colors`);
    });

test('a map that was loaded again is not mixed with the old one', async (t) => {
  const changing = madeUpWorld(200);
  const own = await startMock(TEMPLATE, {changing});
  t.after(() => own.close());
  const page = await openPage(browser, `${own.address}#map`, {expected: /409/});
  await settled(page);
  changing.version = 'second';
  const notice = page.getByText(
      'The service has loaded another map. Reload this page to see it.');
  await page.getByLabel('Method').selectOption('PCA');
  await page.locator('.map-status').filter({has: notice}).waitFor();
  assert.equal(await page.getByLabel('Method').inputValue(), 'umap');
  await page.getByLabel('Color by').selectOption('initial');
  await page.waitForTimeout(300);
  assert.equal(await page.getByText('a to k').count(), 0);
  await goTo(page, '#map?word=king');
  await page.locator('.panel').filter({has: notice}).waitFor();
  assert.equal(await page.locator('.near').count(), 0);
  await page.reload();
  await says(page, /^king: 10 words/);
  await page.getByLabel('Method').selectOption('PCA');
  await says(page, /^Map by PCA/);
  await page.check();
});

test('a map that comes late does not take over another view', async (t) => {
  const own = await startMock(TEMPLATE, {late: madeUpWorld(200)});
  t.after(() => own.close());
  own.delay.null = 700;
  const page = await openPage(browser, `${own.address}#map?word=queen`);
  await page.getByText('Loading the map').waitFor();
  await goTo(page, '#neighbors?plus=king');
  await page.waitForTimeout(1500);
  await addressHas(page, /^#neighbors/);
  await page.getByRole('tab', {name: 'Map'}).click();
  await page.locator('.map-canvas').waitFor();
  await page.check();
});

onFile(
    'words that change the direction of text leave others as they are',
    () => {
      const mixed = madeUpWorld(150);
      mixed.words[0] = '\u202ew20';
      mixed.clusters[0].words = ['w79', '\u202ew20', 'שלום'];
      return dataPage(TEMPLATE, mixed, false);
    },
    '#map',
    async (page) => {
      const name = 'w79 · w20 · \u2068שלום\u2069';
      const names = await groups(page).locator('bdi').allTextContents();
      assert(names.includes(name), names.join('\n'));
      const {texts} = await pictureOf(page);
      const written = texts.map(({text}) => text);
      assert(written.includes(name), written.join('\n'));
      assert(written.includes('w20'), written.join('\n'));
      assert(!written.some((text) => text.includes('\u202e')));
      const table = String(await exported(page, /^Table of visible words/));
      assert(table.includes('w79 · w20 · שלום'));
    });

onService('a link holds all that was chosen', '#map', async (page) => {
  await goTo(
      page,
      '#map?word=king&x=1&y=2&z=3&color=frequency&size=0&method=pca&find=mo');
  await says(page, /./);
  await page.waitForFunction(
      () => document.querySelector('.map-canvas').dataset.method === 'pca');
  assert.equal(await page.getByLabel('Color by').inputValue(), 'frequency');
  assert.equal(await page.getByLabel('Size by frequency').isChecked(), false);
  assert.equal(await page.getByLabel('Method').inputValue(), 'pca');
  assert.equal(await page.getByLabel('Find on the map').inputValue(), 'mo');
  assert.equal(await page.locator('.word-card h2').innerText(), 'king');
  // Another word keeps the choices.
  await page.locator('.near a').first().click();
  await addressHas(page, /color=frequency&size=0&method=pca/);
});

onService('another word keeps all settings', '#map', async (page) => {
  const isKept = async (word) => {
    await addressHas(page, new RegExp(`^#map.word=${word}&`));
    assert.equal(await page.getByLabel('Color by').inputValue(), 'cluster');
    assert.equal(await page.getByLabel('Method').inputValue(), 'pca');
    assert.equal(
        await groups(page).first().getAttribute('aria-pressed'), 'false');
    assert.equal(
        await groups(page).nth(1).getAttribute('aria-pressed'), 'true');
  };
  // They are noted in the address without a step.
  await page.getByLabel('Method').selectOption('PCA');
  await says(page, /^Map by PCA/);
  await groups(page).first().click();
  await addressHas(page, /off=/);
  await page.keyboard.press('/');
  await page.keyboard.type('queen');
  await page.keyboard.press('Enter');
  await says(page, /^queen: /);
  await isKept('queen');
  await page.getByRole('tab', {name: 'Neighbors'}).click();
  await page.getByRole('tab', {name: 'Map'}).click();
  await isKept('queen');
  await goTo(page, '#neighbors?plus=king');
  await page.getByText('Show on the map').click();
  await says(page, /^king: /);
  await isKept('king');
});

test('another model does not keep the groups that are off', async (t) => {
  const own = await startMock(
      TEMPLATE, {one: madeUpWorld(120), other: madeUpWorld(120, 2)});
  t.after(() => own.close());
  const page = await openPage(browser, `${own.address}#map?off=0&off=2`);
  await settled(page);
  assert.equal(await page.locator('.group[aria-pressed="false"]').count(), 2);
  await goTo(page, '#neighbors?plus=king&model=other');
  await page.getByText('Show on the map').click();
  await addressHas(page, /^#map.model=other&word=king/);
  await settled(page);
  assert.equal(await page.locator('.group[aria-pressed="false"]').count(), 0);
  await page.check();
});

onService('pictures and tables of the view are saved', '#map', async (page) => {
  const png = await exported(page, 'Picture (PNG)');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert(png.length > 10000, `${png.length} bytes`);
  const {circles, texts, scripts} = await pictureOf(page);
  assert(circles.length > 500 && texts.length > 20);
  assert.equal(scripts, 0);
  const table = String(await exported(page, /^Table of visible words/));
  assert(table.split('\r\n').length > 500);
});

onService('the address is copied', '#map?word=king', async (page) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.waitForFunction(() => /z=/.test(location.hash));
  await page.locator('.menu summary').click();
  await page.getByRole('button', {name: 'Copy the address'}).click();
  await says(page, /Address copied/);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /#map\?word=king&x=.*&z=/);
  // The menu closes by the keyboard.
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.menu').getAttribute('open'), null);
});

onService(
    'the first visit opens an example and explains, once', '', async (page) => {
      await page.getByText('Each dot is a word').waitFor();
      await page.getByText(/Click a dot and scroll/).waitFor();
      await says(page, /^\w+: 10 words/);
      const word = await page.locator('.word-card h2').innerText();
      const rank = world.words.indexOf(word) + 1;
      assert(rank >= 50 && rank <= 500, `${word} has rank ${rank}`);
      assert.deepEqual(await accessibilityFaults(page), []);
      await page.getByRole('button', {name: 'Got it'}).click();
      await page.getByText('Each dot is a word').waitFor({state: 'detached'});
      await page.reload();
      await settled(page);
      await page.getByText('Click a word').waitFor();
      assert.equal(await page.getByText('Each dot is a word').count(), 0);
    }, {isNew: true});

const PHONE = {
  viewport: {width: 390, height: 844},
  hasTouch: true,
  isMobile: true,
};

onService('on a phone: taps, and a legend that is closed', '', async (page) => {
  const first = page.getByText(/Tap a dot and pinch/);
  await first.waitFor();
  // The explanation is below the map, and can be seen.
  const map = await page.locator('.map-main').boundingBox();
  const card = await page.getByLabel('About this map').boundingBox();
  assert(card.y >= map.y + map.height, `${card.y}`);
  assert(card.y + card.height <= PHONE.viewport.height);
  assert.equal(await page.locator('.legend').getAttribute('open'), null);
  assert(await page.getByLabel('Color by').isHidden());
  await page.locator('.legend summary').tap();
  await page.getByLabel('Color by').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - innerWidth);
  assert(wide <= 0, `${wide} pixels too wide`);
  await page.getByRole('button', {name: 'Got it'}).tap();
  await first.waitFor({state: 'detached'});
}, {...PHONE, isNew: true});

// Whether one element is inside another one, or the window (null).
const isWithin = (page, inner, outer) => page.evaluate(([one, other]) => {
  const box = document.querySelector(one).getBoundingClientRect();
  const around = other ? document.querySelector(other).getBoundingClientRect() :
                         document.documentElement.getBoundingClientRect();
  return box.left >= around.left && box.top >= around.top &&
      box.right <= around.right && box.bottom <= around.bottom;
}, [inner, outer]);

onService('on a phone: the menu is within the window', '#map', async (page) => {
  await page.locator('.menu summary').tap();
  assert(await isWithin(page, '.menu-items', null));
}, PHONE);

onService(
    'the legend shows its controls without a scroll', '#map', async (page) => {
      assert(await isWithin(page, '.methods', '.legend'));
      assert(await isWithin(page, '.legend .check', '.legend'));
      // The longest choice of a color is not cut.
      const room = await page.getByLabel('Color by').evaluate((select) => {
        const context = document.createElement('canvas').getContext('2d');
        context.font = getComputedStyle(select).font;
        const widths = [...select.options].map(
            ({text}) => context.measureText(text).width);
        return select.clientWidth - Math.max(...widths);
      });
      assert(room > 30, `${room} pixels besides the text`);
    });

for (const [width, height] of [[640, 400], [320, 568], [1280, 400]]) {
  onService(
      `the map can be used in a window of ${width} by ${height} pixels`,
      '#map', async (page) => {
        const legend = page.locator('.legend');
        if (width < 700) await legend.locator('summary').click();
        await page.getByLabel('Color by').waitFor();
        const boxOf = (name) => page.locator(name).boundingBox();
        const map = await boxOf('.map-main');
        assert(map.height >= 320, `${map.height} pixels`);
        const {y, height: shown} = await legend.boundingBox();
        assert(shown > 200, `${shown} pixels`);
        const tools = await boxOf('.tools');
        assert(y + shown <= tools.y, `the tools are at ${tools.y}`);
        assert(tools.y + tools.height <= map.y + map.height);
        assert(tools.x + tools.width <= width);
        // The page scrolls to what is below, and the legend to its end.
        await page.locator('.panel').scrollIntoViewIfNeeded();
        await groups(page).last().click();
        const wide = await page.evaluate(
            () => document.documentElement.scrollWidth - innerWidth);
        assert(wide <= 0, `${wide} pixels too wide`);
      }, {viewport: {width, height}});
}

onService(
    'colors that the system sets leave the legend and the current tab',
    '#map?word=king', async (page) => {
      const colors =
          await page.locator('.swatch, .near .fill')
              .evaluateAll(
                  (all) =>
                      all.map((one) => getComputedStyle(one).backgroundColor));
      assert.equal(colors.length, 6 + 10);
      // One of each group, and that of the bars.
      assert.equal(new Set(colors).size, 7);
      const borders = await page.locator('.tabs a').evaluateAll(
          (tabs) => tabs.map(
              (tab) =>
                  [tab.ariaSelected, getComputedStyle(tab).borderBottomWidth]));
      for (const [isSelected, border] of borders) {
        assert.equal(border, isSelected === 'true' ? '2px' : '0px');
      }
      assert.equal(borders.filter(([is]) => is === 'true').length, 1);
      await page.getByLabel('Color by').selectOption('length');
      await page.locator('.ramp').waitFor();
      assert.match(
          await page.locator('.ramp').evaluate(
              (ramp) => getComputedStyle(ramp).backgroundImage),
          /gradient/);
    }, {forcedColors: 'active'});

onFile(
    'on a phone: no arrow is under the tools',
    () => {
      const ringed = madeUpWorld(2000);
      for (let i = 0; i < 12; ++i) {
        const turn = 2 * Math.PI * i / 12;
        ringed.points.set(
            [900 * Math.cos(turn), 900 * Math.sin(turn)], 2 * (1900 + i));
      }
      return dataPage(TEMPLATE, ringed, false);
    },
    '#map',
    async (page) => {
      const {y} = await page.locator('.tools').boundingBox();
      const arrows = await page.locator('.arrow:visible').all();
      assert(arrows.length > 4, `${arrows.length} arrows`);
      for (const arrow of arrows) {
        const box = await arrow.boundingBox();
        assert(box.y + box.height <= y, `${box.y}, tools at ${y}`);
      }
    },
    PHONE);

onService(
    'on a phone: a tap chooses a word', '#map?word=king', async (page) => {
      await page.waitForFunction(() => /z=/.test(location.hash));
      await page.evaluate(() => location.hash = '#map?word=queen');
      await says(page, /^queen: /);
      await page.waitForFunction(() => /z=/.test(location.hash));
      const box = await page.locator('.map-canvas').boundingBox();
      await goTo(
          page,
          (await page.evaluate(() => location.hash))
              .replace('word=queen&', ''));
      await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
      await says(page, /^queen: /);
      assert(await page.locator('.hover-card').isHidden());
    }, PHONE);

function textWorld() {
  const texts = madeUpWorld(300);
  const long = `${'very long '.repeat(300)}end`;
  texts.words = texts.words.map(
      (word, i) => i === 5 ? long :
          i % 12 === 0     ? `text ${i} of the cat and the dog` :
                             `text ${i} of ${word} in the stock market`);
  return dataPage(TEMPLATE, texts, true, true);
}

onFile(
    'a model of texts: cards, labels and typical words', textWorld, '#map',
    async (page) => {
      assert.match(
          await page.locator('.map-canvas').getAttribute('aria-label'),
          /^Map of 300 texts/);
      const {texts} = await pictureOf(page);
      const longest =
          Math.max(...texts.filter(({isWord, x}) => isWord && x !== 32)
                       .map(({text}) => text.length));
      assert(longest > 28 && longest <= 41, `${longest} letters`);
      await finds(page, 'very long');
      await says(page, /^1 text found/);
      await page.locator('.found a').click();
      await settled(page);
      const shown = await page.locator('.word-card h2').innerText();
      assert(shown.length >= 1990 && shown.length <= 2001, `${shown.length}`);
      await finds(page, 'the cat');
      await says(page, /^\d+ texts found/);
      await page.getByRole('button', {name: 'Select these'}).click();
      await page.getByRole('button', {name: 'Typical words'}).click();
      await page.locator('.typical li').first().waitFor();
      const typical = await page.locator('.typical li').allInnerTexts();
      assert.deepEqual(typical.slice(0, 3).sort(), ['and', 'cat', 'dog']);
      assert(!typical.includes('of'));
      assert.deepEqual(await accessibilityFaults(page), []);
    });

onFile(
    'texts are colored by their first label, and have no sizes', textWorld,
    '#map', async (page) => {
      const by = page.getByLabel('Color by');
      await page.getByText('a to k').waitFor();
      assert.equal(await by.inputValue(), 'column.initial');
      assert.deepEqual(await by.locator('option').allInnerTexts(), [
        'initial',
        'cluster',
        'similarity to the text',
        'length',
      ]);
      assert.equal(await page.getByLabel('Size by frequency').count(), 0);
      const table = String(await exported(page, /^Table of visible texts/));
      assert.match(table, /^text,line,x,/);
      const {circles} = await pictureOf(page);
      assert.equal(new Set(circles.map(({r}) => r)).size, 1);
      // The first coloring is not in the address.
      await by.selectOption('cluster');
      await addressHas(page, /color=cluster/);
      await by.selectOption('initial');
      await page.waitForFunction(() => !/color/.test(location.hash));
      assert.deepEqual(await accessibilityFaults(page), []);
    });

onFile(
    'on a phone: a text has its label, and neighbors without bars', textWorld,
    '', async (page) => {
      await says(page, /: 10 words/);
      // The example is no text of its own, but one with similar neighbors.
      const {texts} = await pictureOf(page);
      const bold = texts.filter(({height, isWord}) => height === 17 && !isWord);
      assert.equal(bold.length, 1);
      const width = await page.locator('.near a').first().evaluate(
          (link) => link.clientWidth);
      assert(width > 270, `${width} pixels for the name`);
      assert.equal(await page.locator('.near .bar').count(), 0);
      // All of what a link has is seen, in several lines.
      const hidden = await page.locator('.near a').evaluateAll(
          (links) => links.map((link) => link.scrollWidth - link.clientWidth));
      assert(Math.max(...hidden) <= 0, `${hidden}`);
    }, {...PHONE, isNew: true});

test('the search field names what it searches', async (t) => {
  const texts = Object.assign(madeUpWorld(120), {texts: true});
  const own = await startMock(TEMPLATE, {words: madeUpWorld(120), texts});
  t.after(() => own.close());
  const page = await openPage(browser, own.address);
  await settled(page);
  const field = (name) => page.getByRole('combobox', {name});
  await field('Search words').waitFor();
  await page.getByLabel('Model').selectOption('texts');
  await field('Search texts').waitFor();
  assert.equal(
      await field('Search texts').getAttribute('placeholder'), 'Search texts');
  await page.getByLabel('Model').selectOption('words');
  await field('Search words').waitFor();
  await page.check();
});

onFile(
    'hostile words in every part of the map are text',
    () => dataPage(TEMPLATE, madeUpWorld(140), false), '#map', async (page) => {
      await page.locator('.map-canvas').focus();
      await page.keyboard.press('v');
      await says(page, /words selected/);
      await finds(page, '/./');
      await says(page, /words found/);
      const shown = await page.locator('.listed bdi').allTextContents();
      for (const word of HOSTILE.slice(0, 5)) {
        assert(shown.includes(word), word);
      }
      assert.equal(
          await page.locator('main script, main img, main b').count(), 0);
      const {scripts} = await pictureOf(page);
      assert.equal(scripts, 0);
    });

onFile(
    'a view without data shows the command that provides it',
    () => dataPage(TEMPLATE, world, false), '#context', async (page) => {
      await page.getByText(/^firth explore .*--text/).waitFor();
      await page.getByRole('button', {name: 'Copy the command'}).click();
      await says(page, /Command copied/);
      await goTo(page, '#training');
      await page.getByText(/firth train .*--log/).waitFor();
    });

onService('by keyboard alone: colors, groups and export', '', async (page) => {
  const reach = async (locator) => {
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press('Tab');
      if (await locator.evaluate((el) => el === document.activeElement)) return;
    }
    assert.fail(`the Tab key does not reach ${locator}`);
  };
  await reach(page.getByLabel('Color by'));
  await reach(groups(page).first());
  await page.keyboard.press('Enter');
  assert.equal(
      await groups(page).first().getAttribute('aria-pressed'), 'false');
  // The focus stays on the button.
  assert.equal(
      await page.locator(':focus').getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await says(page, /words selected/);
  await reach(page.locator('.menu summary'));
  await page.keyboard.press('Enter');
  await reach(page.getByRole('button', {name: 'Picture (SVG)'}));
});

// States of the map that no other test looks at: what leads there from its
// address.
const STATES = {
  'a word': ['#map?word=king'],
  'a card': [
    '#map?word=king',
    async (page) => {
      const box = await page.locator('.map-canvas').boundingBox();
      const card = page.locator('.hover-card');
      for (let x = 0.05; x < 0.95 && await card.isHidden(); x += 0.02) {
        await page.mouse.move(box.x + x * box.width, box.y + 0.5 * box.height);
      }
      assert(await card.isVisible());
    }
  ],
  'a selection by the lasso': [
    '#map',
    async (page) => {
      await page.getByRole('button', {name: 'Lasso'}).click();
      const box = await page.locator('.map-canvas').boundingBox();
      const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
      await page.mouse.move(...at(0.4, 0.3));
      await page.mouse.down();
      for (const [x, y] of [[0.9, 0.3], [0.9, 0.7], [0.4, 0.7]]) {
        await page.mouse.move(...at(x, y), {steps: 3});
      }
      await page.mouse.up();
      await says(page, /selected/);
    }
  ],
  'a group that is off': ['#map?off=0'],
  'a word that is hidden':
      ['#map?word=king&off=0&off=2&off=4&off=6&off=8&off=10'],
  'a word that was mistyped': [
    '#map',
    async (page) => {
      await page.getByRole('combobox', {name: 'Search words'}).fill('quene');
      await page.getByRole('option', {name: 'queen'}).waitFor();
    }
  ],
  'an expression': ['#map?find=/^un|o/'],
  'an expression with a fault': ['#map?find=/(un/'],
  'another method': ['#map?method=pca'],
  'two pictures': ['#map?beside=pca&word=king'],
  'the menu': [
    '#map',
    async (page) => {
      await page.locator('.menu summary').click();
    }
  ],
  'a column of numbers': ['#map?color=column.length'],
  'similarities': ['#map?color=similarity&word=king'],
  'hidden words': [
    '#map',
    async (page) => {
      await page.keyboard.press('Home');
      await page.locator('.map-canvas').focus();
      await page.keyboard.press('v');
      await page.getByRole('button', {name: 'Hide', exact: true}).click();
      await says(page, /hidden/);
    }
  ],
  'an error': [
    '#map?method=tsne',
    async (page) => {
      await page.getByText('tsne does not converge').waitFor();
    }
  ],
};

for (const [colorScheme, size] of [['light', PHONE], ['dark', {}]]) {
  test(
      `axe finds nothing in any state of the map, ${colorScheme}`, async () => {
        for (const [name, [hash, lead]] of Object.entries(STATES)) {
          const page = await openPage(
              browser, mock.address + hash,
              {colorScheme, expected: /500/, ...size});
          await settled(page);
          if (lead) await lead(page);
          assert.deepEqual(await accessibilityFaults(page), [], name);
          const wide = await page.evaluate(
              () => document.documentElement.scrollWidth - innerWidth);
          assert(wide <= 0, `${name}: ${wide} pixels too wide`);
          await page.check();
        }
      });
}
