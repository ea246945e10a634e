// The task of each view, by the pointer and again by the keyboard alone,
// against a service of made-up words.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';

import {madeUpWorld} from '../made_up.mjs';
import {startMock} from '../mock_service.mjs';

import {addressed, addressHas, goTo, inkOf, openPage, says, settled, startBrowser, TEMPLATE} from './support.mjs';

let browser;
let mock;

before(async () => {
  mock = await startMock(TEMPLATE, {
    'made-up': madeUpWorld(2000),
    other: madeUpWorld(2000, 2),
    seeded: madeUpWorld(2000, 3),
  });
  browser = await startBrowser();
});

after(async () => {
  await browser.close();
  mock.close();
});

async function open(hash = '') {
  const page = await openPage(browser, mock.address + hash);
  await settled(page);
  return page;
}

// A test with a page of its own.
function onPage(name, hash, body) {
  test(name, async () => {
    const page = await open(hash);
    await body(page);
    await page.check();
  });
}

const firstWords = (page) => page.locator('.results tbody th').allInnerTexts();

// From the top of the page to a tab, by keys.
async function openTab(page, name) {
  const tab = page.getByRole('tab', {name, exact: true});
  await tabTo(page, page.locator('[role="tab"][tabindex="0"]'));
  for (let i = 0; i < 7; ++i) {
    if (await tab.evaluate((el) => el === document.activeElement)) break;
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Enter');
  await settled(page);
}

// Presses Tab until the element has the focus.
async function tabTo(page, locator) {
  for (let i = 0; i < 80; ++i) {
    await page.keyboard.press('Tab');
    if (await locator.evaluate((el) => el === document.activeElement)) return;
  }
  assert.fail(`the Tab key does not reach ${locator}`);
}

async function type(page, label, text) {
  const field = page.locator('main')
                    .getByRole('textbox', {name: label, exact: true})
                    .or(page.locator('main').getByRole(
                        'combobox', {name: label, exact: true}));
  await tabTo(page, field);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

onPage('map, by pointer: a click chooses a word', '#map', async (page) => {
  await goTo(page, '#map?word=king');
  await page.waitForFunction(() => /z=/.test(location.hash));
  await page.locator('.near li').nth(9).waitFor();
  const neighbor = await page.locator('.near a').first().innerText();
  await page.locator('.near a').first().click();
  await page.locator('.word-card h2')
      .getByText(neighbor, {exact: true})
      .waitFor();
  await page.waitForFunction(() => /z=/.test(location.hash));
  // It flew into the middle of the part that the legend leaves free: a click
  // on it, after Escape, chooses it again.
  const box = await page.locator('.map-canvas').boundingBox();
  const legend = await page.locator('.legend').boundingBox();
  const left = legend.x + legend.width - box.x;
  await page.keyboard.press('Escape');
  await page.mouse.click(
      box.x + (left + box.width) / 2, box.y + box.height / 2);
  await page.locator('.word-card h2')
      .getByText(neighbor, {exact: true})
      .waitFor();
});

onPage('map, by pointer: wheel and drag move it', '#map', async (page) => {
  const box = await page.locator('.map-canvas').boundingBox();
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.wheel(0, -600);
  await page.waitForFunction(() => /z=/.test(location.hash));
  const before = await addressed(page);
  assert(Number(before.get('z')) > 2, `${before}`);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 340, {steps: 4});
  await page.mouse.up();
  const x = before.get('x');
  await page.waitForFunction(
      (old) =>
          new URLSearchParams(location.hash.split('?')[1]).get('x') !== old,
      x);
  const now = await addressed(page);
  assert(Number(now.get('x')) < Number(x), 'the map follows the hand');
});

onPage(
    'map, by pointer: the lasso selects words, which are saved', '#map',
    async (page) => {
      const box = await page.locator('.map-canvas').boundingBox();
      await page.getByRole('button', {name: 'Lasso'}).click();
      const corner = (x, y) => [box.x + x * box.width, box.y + y * box.height];
      await page.mouse.move(...corner(0.26, 0.02));
      await page.mouse.down();
      for (const place of [[0.98, 0.02], [0.98, 0.85], [0.26, 0.85]]) {
        await page.mouse.move(...corner(...place), {steps: 5});
      }
      await page.mouse.up();
      await says(page, /words selected/);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', {name: 'Save text'}).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'words.txt');
      const lines =
          readFileSync(await download.path(), 'utf8').trim().split('\n');
      assert(lines.length > 1000, `${lines.length} words`);
      assert(lines.includes('king'));
      await page.getByRole('button', {name: 'Clear'}).click();
      assert.equal(await page.locator('.listed li').count(), 0);
    });

onPage(
    'map, by keyboard: search, walk, select, neighbors', '#map',
    async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('quee');
      await page.getByRole('option', {name: 'queen'}).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await says(page, /^queen: 10 words\. \S+ 0\.\d\d, /);
      const at = () => page.locator('.word-card h2').innerText();
      assert.equal(await at(), 'queen');
      // The search left the focus on the map.
      const walked = new Set(['queen']);
      for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown']) {
        const from = await at();
        await page.keyboard.press(key);
        assert.notEqual(await at(), from, key);
        walked.add(await at());
      }
      assert(walked.size >= 3);
      const word = await at();
      await page.keyboard.press('Space');
      assert.deepEqual(
          await page.locator('.listed li').allInnerTexts(), [word]);
      await page.keyboard.press('0');
      await page.keyboard.press('v');
      await says(page, /2\D?000 words selected/);
      await page.keyboard.press('Enter');
      await page.locator('body[data-view="neighbors"]').waitFor();
      await addressHas(page, new RegExp(`plus=${word}`));
    });

onPage('map, by keyboard: Escape, Home, zoom, back', '#map', async (page) => {
  await tabTo(page, page.locator('.map-canvas'));
  await page.keyboard.press('Home');
  await says(page, /^king: /);
  await page.keyboard.press('+');
  await page.waitForFunction(() => /z=1\.6/.test(location.hash));
  await page.keyboard.press('Enter');
  await page.locator('body[data-view="neighbors"]').waitFor();
  await page.goBack();
  await page.locator('body[data-view="map"]').waitFor();
  await addressHas(page, /word=king.*z=1\.6/);
  await tabTo(page, page.locator('.map-canvas'));
  await page.keyboard.press('Escape');
  await page.getByText('Click a word').waitFor();
});

onPage(
    'neighbors, by pointer: each word is a link, back returns',
    '#neighbors?plus=king', async (page) => {
      assert.equal(await page.locator('tbody tr').count(), 10);
      const [first] = await firstWords(page);
      await page.locator('tbody th a').first().click();
      await page.locator('caption')
          .getByText(`Nearest to ${first}`, {exact: true})
          .waitFor();
      await page.goBack();
      await page.locator('caption')
          .getByText('Nearest to king', {exact: true})
          .waitFor();
      await page.getByLabel('Show').selectOption('25');
      await page.locator('tbody tr').nth(24).waitFor();
      const widths = await page.locator('.fill').evaluateAll(
          (fills) => fills.map((fill) => fill.getBoundingClientRect().width));
      assert(widths[0] > widths[24] && widths[24] > 0, widths.join());
    });

onPage(
    'neighbors, by keyboard: a sum, a sign, an unknown word', '',
    async (page) => {
      await openTab(page, 'Neighbors');
      await type(page, 'Add a word', 'king');
      await page.keyboard.press('Enter');
      await says(page, /^king: 10 words/);
      await page.keyboard.type('woman');
      await page.keyboard.press('Enter');
      await page.keyboard.type('man');
      await page.keyboard.press('Shift+Enter');
      await says(page, /^king \+ woman − man: /);
      await addressHas(page, /plus=king&plus=woman&minus=man/);
      await tabTo(page, page.getByLabel('Plus woman: change the sign'));
      await page.keyboard.press('Enter');
      await says(page, /^king − woman − man|^king − man − woman/);
      await goTo(page, '#neighbors?plus=qwertz&plus=kingish');
      await page.getByText('qwertz has no vector. Did you mean').waitFor();
      await page.getByText('kingish is not in the vocabulary').waitFor();
    });

// The browser tells the page of both, when the address is already the second.
onPage(
    'neighbors: two questions at once, the last answer is said', '#neighbors',
    async (page) => {
      await page.evaluate(() => {
        location.hash = '#neighbors?plus=king';
        location.hash = '#neighbors?plus=queen';
      });
      await says(page, /^queen: 10 words/);
    });

onPage(
    'compare, by pointer: two words, two models, what moved', '#compare',
    async (page) => {
      await page.getByRole('combobox', {name: 'First word'}).fill('king');
      await page.getByRole('combobox', {name: 'Second word'}).fill('queen');
      await page.getByRole('button', {name: 'Compare'}).first().click();
      await page.locator('.figure .big').waitFor();
      assert.match(
          await page.locator('.figure .big').innerText(), /^0\.\d{3}$/);
      const words = page.getByRole('region', {name: 'Two words'});
      assert.equal(await words.locator('tbody tr').count(), 40);
      await page.getByRole('combobox', {name: 'Word', exact: true})
          .fill('king');
      await page.getByRole('button', {name: 'Compare'}).last().click();
      for (const caption of ['Only in made-up', 'In both', 'Only in other']) {
        await page.locator('caption')
            .getByText(caption, {exact: true})
            .waitFor();
      }
      const moved = page.locator('table', {hasText: 'From made-up to other'});
      await moved.waitFor();
      assert.match(
          await moved.locator('tbody tr').first().innerText(),
          /^king\s+0\.100\s+0\.0020\s+\S+, .*\s+\S+, /);
      await page.getByLabel('made-up with another seed').selectOption('seeded');
      await moved.getByText('By chance').waitFor();
      assert.match(
          await moved.locator('tbody tr').first().innerText(), /0\.900/);
      await addressHas(
          page,
          /a=king&b=queen&one=made-up&other=other&chance=seeded&word=king/);
      await page.goBack();
      await moved.getByText('By chance').waitFor({state: 'detached'});
    });

onPage('compare, by keyboard', '', async (page) => {
  await openTab(page, 'Compare');
  await type(page, 'First word', 'king');
  await type(page, 'Second word', 'queen');
  await page.keyboard.press('Enter');
  await says(page, /^Cosine 0\.\d\d, \d+ of 20 neighbors in both/);
  await type(page, 'Word', 'king');
  await page.keyboard.press('Enter');
  await says(page, /king: \d+ neighbors in both models/);
});

onPage(
    'axes, by pointer: words are placed, a dot is a link', '#axes',
    async (page) => {
      await page.getByLabel('Left pole').fill('man he');
      await page.getByLabel('Right pole').fill('woman, she');
      await page.getByLabel('Lower pole').fill('debt');
      await page.getByLabel('Upper pole').fill('rich');
      await page.getByRole('button', {name: 'Show words'}).click();
      await page.locator('.scatter circle').nth(299).waitFor();
      assert(await inkOf(browser, page.locator('.scatter')) > 0.01);
      // Those of the right pole lie to the right of those of the left one.
      const x = async (word) => Number(
          await page
              .locator('.scatter a', {has: page.locator(`text="${word}"`)})
              .locator('circle')
              .first()
              .getAttribute('cx'));
      assert(await x('woman') > await x('man'));
      await page.getByText('Table of all words').click();
      await page.locator('.more tbody th a').first().click();
      await page.locator('body[data-view="neighbors"]').waitFor();
    });

onPage(
    'axes, by keyboard: one axis, a missing pole, WEAT', '', async (page) => {
      await openTab(page, 'Axes');
      await type(page, 'Left pole', 'man');
      await tabTo(page, page.getByRole('button', {name: 'Show words'}));
      await page.keyboard.press('Enter');
      await page.getByText('Each axis needs words at both poles').waitFor();
      await page.keyboard.press('Shift+Tab');
      await page.locator('main h2').waitFor();
      await goTo(page, '#axes?from=man&to=woman&words=king&words=queen');
      await says(page, /^2 words shown on man – woman/);
      await tabTo(page, page.getByLabel('Test of Caliskan et al.'));
      await page.keyboard.type('WEAT 8');
      await tabTo(
          page, page.getByRole('button', {name: 'Run test', exact: true}));
      await page.keyboard.press('Enter');
      await addressHas(page, /x=science&.*y=poetry&.*a=brother&.*b=sister/);
      await says(page, /^Effect size 1\.25, p 0\.0123/);
      await addressHas(page, /from=man/);
      await goTo(page, '#axes?x=king&y=king&a=man&b=woman');
      await says(page, /^There is no effect size/);
    });

onPage(
    'analogies, by pointer: intervals and wrong answers', '#analogies',
    async (page) => {
      await page.getByLabel('As', {exact: true}).fill('man');
      await page.getByLabel('is to', {exact: true}).fill('king');
      await page.getByLabel('so', {exact: true}).fill('woman');
      await page.getByLabel('Method').selectOption('mul');
      await page.getByRole('button', {name: 'Find'}).click();
      await page.locator('caption')
          .getByText('man : king = woman : ?')
          .waitFor();
      await addressHas(page, /method=mul/);
      const family = page.locator('tr', {hasText: 'family'});
      assert.match(
          await family.innerText(), /70\.0.%.*60\.4.% to 78\.1.%.*70 of 100/s);
      // The line of the interval is where its numbers say.
      const [range, row] = await Promise.all([
        family.locator('.range').boundingBox(),
        family.locator('.interval').boundingBox(),
      ]);
      assert(Math.abs((range.x - row.x) / row.width - 0.604) < 0.02);
      assert(Math.abs(range.width / row.width - 0.177) < 0.02);
      await page.getByText('family: 3 wrong').click();
      await page.getByText('<b>aunt</b>').waitFor();
      await page.getByText('a : b = c : d, not answered').waitFor();
    });

onPage('analogies, by keyboard', '', async (page) => {
  await openTab(page, 'Analogies');
  await type(page, 'As', 'man');
  await type(page, 'is to', 'king');
  await type(page, 'so', 'woman');
  await page.keyboard.press('Enter');
  await says(page, /^man : king = woman : \?: 10 words/);
  await tabTo(page, page.locator('summary'));
  await page.keyboard.press('Enter');
  await page.getByText('answered prince').waitFor();
});

onPage(
    'in context, by pointer: words and layers are chosen', '#context',
    async (page) => {
      await page.getByLabel('First sentence').fill('they sat on the bank');
      await page.getByLabel('Second sentence').fill('the bank lent money');
      await page.getByRole('button', {name: 'Compare'}).click();
      // The longest word of both.
      await page.locator('.token.chosen').nth(1).waitFor();
      assert.deepEqual(
          await page.locator('.token.chosen').allInnerTexts(),
          ['bank', 'bank']);
      await page.getByRole('link', {name: 'Layer 1'}).click();
      await page.locator('caption')
          .getByText('bank in the first sentence, layer 1')
          .waitFor();
      assert.equal(await page.locator('mark').first().innerText(), 'bank');
      await page.getByRole('link', {name: 'money'}).click();
      await page.locator('caption')
          .getByText('money in the second sentence, layer 1')
          .waitFor();
    });

onPage('in context, by keyboard', '', async (page) => {
  await openTab(page, 'In context');
  await type(page, 'First sentence', 'a bank of sand');
  await type(page, 'Second sentence', 'a bank of england');
  await tabTo(
      page, page.locator('main').getByRole('button', {name: 'Compare'}));
  await page.keyboard.press('Enter');
  await says(page, /^Layer 2: cosine 0\.40/);
  await tabTo(page, page.getByRole('link', {name: 'Layer 0'}));
  await page.keyboard.press('Enter');
  await says(page, /^Layer 0: cosine 1\.00/);
});

onPage('training: the curve grows until the end', '', async (page) => {
  await openTab(page, 'Training');
  const points = async () =>
      (await page.locator('.curve').first().getAttribute('points'))
          .split(' ')
          .length;
  await page.locator('.curve').first().waitFor();
  const before = await points();
  await says(page, /Training has finished/);
  assert(await points() > before);
  assert.equal(await page.locator('.curve').count(), 3);
  assert.equal(
      await page.locator('.fact', {hasText: 'Epoch'}).locator('dd').innerText(),
      '3');
  assert(await inkOf(browser, page.locator('.chart').first()) > 0.005);
  const bar = page.getByRole('progressbar');
  assert.equal(await bar.getAttribute('aria-valuenow'), '100');
});

onPage(
    'the tabs: one stop of the Tab key, arrow keys, back', '', async (page) => {
      await tabTo(page, page.locator('[role="tab"][tabindex="0"]'));
      await page.keyboard.press('End');
      assert.equal(await page.locator(':focus').innerText(), 'Training');
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.locator(':focus').innerText(), 'Map');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Space');
      await page.locator('body[data-view="neighbors"]').waitFor();
      await page.goBack();
      await page.locator('body[data-view="map"]').waitFor();
    });

onPage('the skip link leads to the view', '', async (page) => {
  await page.keyboard.press('Tab');
  assert.equal(await page.locator(':focus').innerText(), 'Skip to content');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator(':focus').getAttribute('id'), 'main');
});

onPage('the keys are explained, and Escape closes', '', async (page) => {
  await page.keyboard.press('?');
  await page.getByRole('dialog', {name: 'Keyboard shortcuts'}).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({state: 'detached'});
});

onPage('another model is another map', '#map?word=king', async (page) => {
  await page.locator('.near li').nth(9).waitFor();
  const before = await page.locator('.near a').allInnerTexts();
  await page.getByLabel('Model').selectOption('other');
  await page.waitForFunction((old) => {
    const now = [...document.querySelectorAll('.near a')];
    return now.length === 10 && now.some((a, i) => a.textContent !== old[i]);
  }, before);
  await addressHas(page, /model=other/);
});

onPage('the theme is switched, and stays', '', async (page) => {
  const paper = () => page.evaluate(
      () => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await page.getByLabel('Switch between the light and dark theme').click();
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  await settled(page);
  assert.equal(await paper(), dark);
});

test('a token that the service wants is asked for once', async () => {
  mock.token = 'secret';
  try {
    const window = await browser.newContext();
    const page = await window.newPage();
    await page.goto(mock.address);
    await page.getByText('expected a token').waitFor();
    await page.getByLabel('Access token').fill('sekret');
    await page.keyboard.press('Enter');
    await page.getByText('This token is wrong.').waitFor();
    await page.getByLabel('Access token').fill('secret');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', {name: 'Map'}).waitFor();
    await page.reload();
    await page.getByRole('tab', {name: 'Map'}).waitFor();
    await window.close();
  } finally {
    mock.token = null;
  }
});

test('a service that was stopped is told', async () => {
  const own = await startMock(TEMPLATE, {m: madeUpWorld(200)});
  const window = await browser.newContext();
  const page = await window.newPage();
  await page.goto(`${own.address}#neighbors?plus=king`);
  await page.locator('tbody tr').first().waitFor();
  own.close();
  await page.locator('tbody th a').first().click();
  await page.getByText('The service does not respond').waitFor();
  await window.close();
});
