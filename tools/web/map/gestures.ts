// The pointer on the map: drag moves, wheel and two fingers enlarge, a click
// chooses a word, and with the lasso a drag draws a line around words.

import {set} from '../dom';
import {clamp} from '../numbers';

import {Scene, Shared} from './scene';

const CLICK = 5;  // pixels that a click may slip

export interface GestureHandlers {
  isLasso: () => boolean;
  onWord: (id: number) => void;
  onLasso: (ids: number[]) => void;
  // The mouse is over a word, or over none (-1), at this pixel of the host.
  onHover: (id: number, x: number, y: number) => void;
}

interface Place {
  x: number;
  y: number;
}

const apart = (a: Place, b: Place) => Math.hypot(a.x - b.x, a.y - b.y);

export class Gestures {
  readonly #down = new Map<number, Place>();
  #start: Place = {x: 0, y: 0};
  #slipped = false;

  readonly #host: HTMLElement;
  readonly #scene: Scene;
  readonly #shared: Shared;
  readonly #handlers: GestureHandlers;

  constructor(
      host: HTMLElement, scene: Scene, shared: Shared,
      handlers: GestureHandlers) {
    this.#host = host;
    this.#scene = scene;
    this.#shared = shared;
    this.#handlers = handlers;
    set(host, {
      onpointerdown: (event: PointerEvent) => this.#onDown(event),
      onpointermove: (event: PointerEvent) => this.#onMove(event),
      onpointerup: (event: PointerEvent) => this.#onUp(event),
      onpointercancel: ({pointerId}: PointerEvent) =>
          this.#down.delete(pointerId),
      onpointerleave: () => this.#hover(-1, 0, 0),
    });
    host.addEventListener('wheel', (e) => this.#onWheel(e), {passive: false});
  }

  #place(event: MouseEvent): Place {
    const box = this.#host.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  #hover(id: number, x: number, y: number) {
    const {marks} = this.#shared;
    if (marks.hover === id) return;
    marks.hover = id;
    this.#handlers.onHover(id, x, y);
    this.#host.style.cursor = this.#handlers.isLasso() ? 'crosshair' :
        id >= 0                                        ? 'pointer' :
                                                         '';
    this.#shared.redraw();
  }

  #onDown(event: PointerEvent) {
    // The arrows are buttons of their own.
    if (event.button !== 0 || event.target instanceof HTMLButtonElement) return;
    this.#hover(-1, 0, 0);
    this.#scene.land();
    this.#host.setPointerCapture(event.pointerId);
    this.#start = this.#place(event);
    this.#slipped = this.#down.size > 0;
    this.#down.set(event.pointerId, this.#start);
    const isLasso = this.#handlers.isLasso() && this.#down.size === 1;
    this.#scene.lasso = isLasso ? [this.#start.x, this.#start.y] : [];
  }

  #onMove(event: PointerEvent) {
    const place = this.#place(event);
    const last = this.#down.get(event.pointerId);
    if (!last) {
      // A finger does not hover.
      if (event.pointerType === 'touch') return;
      const id = this.#scene.wordAt(place.x, place.y);
      return this.#hover(id, place.x, place.y);
    }
    const slip = apart(place, this.#start);
    this.#slipped = this.#slipped || slip > CLICK;
    if (this.#slipped) this.#drag(event.pointerId, last, place);
  }

  #drag(pointer: number, last: Place, place: Place) {
    const scene = this.#scene;
    const down = this.#down;
    if (scene.lasso.length) {
      scene.lasso.push(place.x, place.y);
      scene.redraw();
    } else if (down.size === 1) {
      scene.camera.pan(place.x - last.x, place.y - last.y);
      scene.moved();
    } else {
      this.#pinch(pointer, last, place);
    }
    down.set(pointer, place);
  }

  // The map follows both fingers.
  #pinch(pointer: number, last: Place, place: Place) {
    const other = [...this.#down].find(([id]) => id !== pointer);
    if (!other) return;
    const [, still] = other;
    const before = apart(last, still);
    const after = apart(place, still);
    if (before > 0) {
      this.#scene.camera.zoomAt(still.x, still.y, after / before);
    }
    this.#scene.moved();
  }

  #onUp(event: PointerEvent) {
    if (!this.#down.delete(event.pointerId)) return;
    const line = this.#scene.lasso;
    this.#scene.lasso = [];
    if (line.length && this.#slipped) {
      this.#handlers.onLasso(this.#scene.wordsWithin(line));
    } else if (!this.#slipped) {
      const place = this.#place(event);
      this.#handlers.onWord(this.#scene.wordAt(place.x, place.y));
    }
    this.#scene.redraw();
  }

  #onWheel(event: WheelEvent) {
    event.preventDefault();
    this.#scene.land();
    // Lines and pages count as so many pixels.
    const unit = [1, 16, 400][event.deltaMode] || 1;
    const turned = clamp(event.deltaY * unit, -300, 300);
    const place = this.#place(event);
    this.#scene.camera.zoomAt(place.x, place.y, Math.exp(-turned / 400));
    this.#scene.moved();
  }
}
