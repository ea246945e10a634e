// The card next to the pointer.

import {h, quiet, replaceChildren} from '../../dom';

const NEXT = 16;  // pixels from the pointer to the card

export class HoverCard {
  readonly element = h('div.hover-card', {hidden: true});

  hide() {
    this.element.hidden = true;
  }

  // At (x, y) of an area of width x height pixels, on the side that has room.
  show(
      word: string, about: string, near: string[], x: number, y: number,
      width: number, height: number) {
    const list = near.flatMap((other, i) => [i ? ', ' : '', h('bdi', other)]);
    replaceChildren(
        this.element, h('p.title', h('bdi', word)), quiet(about),
        quiet('Near: ', ...list));
    this.element.hidden = false;
    const place = (at: number, size: number, room: number) =>
        Math.max(4, at + NEXT + size < room ? at + NEXT : at - NEXT - size);
    const {offsetWidth, offsetHeight} = this.element;
    this.element.style.transform = `translate(${
        place(x, offsetWidth, width)}px,${place(y, offsetHeight, height)}px)`;
  }
}
