// Measures the frames of the map while it is panned, in Chromium
// without a window and without a graphics processor:
//
//   node bench_map.mjs [POINTS [RUNS]]
//
// FIRTH_PAGE is the page without data (default: build/web/page.html). A frame
// is the time between two callbacks of requestAnimationFrame; 16.7 ms are the
// fastest. Each line has a coloring with sizes by frequency, or neither, at a
// zoom. Nothing is read from a network.

import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

import {dataPage} from './data_page.mjs';
import {madeUpWorld} from './made_up.mjs';

const points = Number(process.argv[2] || 100000);
const runs = Number(process.argv[3] || 5);
const STEPS = 90;  // frames per run
const CASES = [
  {name: 'clusters, sizes', state: ''},
  {name: 'frequency, sizes', state: 'color=frequency&'},
  {name: 'column, one size', state: 'color=column.length&size=0&'},
];
const ZOOMS = [1, 4];

const template = process.env.FIRTH_PAGE ||
    fileURLToPath(new URL('../../build/web/page.html', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'firth-bench-'));
const file = join(folder, 'page.html');
writeFileSync(
    file, dataPage(readFileSync(template, 'utf8'), madeUpWorld(points), false));

const quantile = (sorted, share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

// Intervals between frames, in milliseconds, while the map is dragged there and
// back. The moves are made in the page, one in each frame, so that every frame
// has to draw the map.
const pan = (page) => page.evaluate(
    (steps) => new Promise((resolve) => {
      const host = document.querySelector('.map-canvas');
      const {left, top, width, height} = host.getBoundingClientRect();
      const send = (type, share) => host.dispatchEvent(new PointerEvent(type, {
        pointerId: 1,
        bubbles: true,
        clientX: left + 0.6 * width + 200 * share,
        clientY: top + 0.5 * height + 100 * share,
      }));
      const times = [];
      window.drawn_ = 0;
      const move = (now) => {
        times.push(now);
        send('pointermove', Math.sin(2 * Math.PI * times.length / steps));
        if (times.length < steps) return requestAnimationFrame(move);
        send('pointerup', 0);
        resolve({
          intervals: times.slice(1).map((time, i) => time - times[i]),
          drawn: window.drawn_,
        });
      };
      send('pointerdown', 0);
      requestAnimationFrame(move);
    }),
    STEPS);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
});
try {
  console.log('points\trenderer\tcolors\tzoom\truns\tmedian ms\t95 % ms');
  for (const {name, state} of CASES) {
    for (const zoom of ZOOMS) {
      const page =
          await browser.newPage({viewport: {width: 1280, height: 800}});
      await page.addInitScript(() => {
        localStorage.setItem('firth-map-explained', 'yes');
        // Made-up pointers cannot be captured.
        Element.prototype.setPointerCapture = () => {};
        // Each picture begins with an empty layer of labels.
        const clear = CanvasRenderingContext2D.prototype.clearRect;
        CanvasRenderingContext2D.prototype.clearRect = function(...box) {
          ++window.drawn_;
          clear.apply(this, box);
        };
      });
      await page.goto(`${pathToFileURL(file).href}#map?${state}z=${zoom}`);
      await page.locator('.map-canvas').waitFor();
      await page.waitForTimeout(1500);
      const intervals = [];
      for (let run = 0; run < runs; ++run) {
        const frames = await pan(page);
        if (frames.drawn < 0.9 * STEPS) {
          throw new Error(`expected ${STEPS} pictures, found ${frames.drawn}`);
        }
        intervals.push(...frames.intervals);
      }
      intervals.sort((a, b) => a - b);
      const renderer =
          await page.locator('.map-canvas').getAttribute('data-renderer');
      console.log([
        points,
        renderer,
        name,
        zoom,
        runs,
        quantile(intervals, 0.5).toFixed(1),
        quantile(intervals, 0.95).toFixed(1),
      ].join('\t'));
      await page.close();
    }
  }
} finally {
  await browser.close();
  rmSync(folder, {recursive: true});
}
