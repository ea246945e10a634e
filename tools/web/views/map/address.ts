// The addresses of a map: the chosen word, the settings and the camera.

import {h, quiet} from '../../dom';
import {cut, thousands} from '../../format';
import {Camera} from '../../map/camera';
import {Scene} from '../../map/scene';
import {wordLink} from '../../parts/word_table';
import {NO_PARAMETERS, numberIn} from '../../state';
import {Frame} from '../view';

import {parametersOf, Possible, readSettings, Settings} from './settings';

const MOST_OF_LINK = 80;  // characters of a word in a list

export class MapAddress {
  settings: Settings;  // as shown

  readonly #frame: Frame;
  readonly #possible: Possible;

  constructor(frame: Frame, possible: Possible) {
    this.#frame = frame;
    this.#possible = possible;
    this.settings = readSettings(NO_PARAMETERS, possible);
  }

  // Returns the settings that the page's address asks for.
  read(): Settings {
    return readSettings(this.#frame.parameters, this.#possible);
  }

  // What is shown with this word chosen, and where the camera is.
  of(word: string|null, camera?: Camera) {
    const place = camera && {
      x: Number(camera.x.toPrecision(5)),
      y: Number(camera.y.toPrecision(5)),
      z: Number(camera.zoom.toPrecision(4)),
    };
    const kept = parametersOf(this.settings, this.#possible);
    return this.#frame.address('map', {word, ...place, ...kept});
  }

  neighborsOf(word: string) {
    return this.#frame.neighborsOf(word);
  }

  axis(from: string[], to: string[]) {
    return this.#frame.address('axes', {from, to});
  }

  // A link that chooses the word, with the settings of the moment when it is
  // followed.
  link(word: string) {
    const link = wordLink(cut(word, MOST_OF_LINK), this.of(word));
    link.addEventListener('click', () => link.href = this.of(word));
    return link;
  }

  // A list of links to the first of these words, and how many more there are.
  links(words: string[], most: number, label: string) {
    const items = words.slice(0, most).map((word) => h('li', this.link(word)));
    const rest = words.length - items.length;
    return [
      items.length > 0 &&
          h('ul.listed', {tabindex: '0', 'aria-label': label}, ...items),
      rest > 0 && quiet(`and ${thousands(rest)} more`),
    ];
  }

  // What moves a camera as the page's address says, or null.
  cameraMove(): ((scene: Scene) => void)|null {
    const {parameters} = this.#frame;
    if (!parameters.has('z')) return null;
    return (scene) => {
      const {camera} = scene;
      camera.x = numberIn(parameters, 'x', -1e9, 1e9, camera.x);
      camera.y = numberIn(parameters, 'y', -1e9, 1e9, camera.y);
      camera.zoom = numberIn(
          parameters, 'z', camera.leastZoom, camera.mostZoom, camera.zoom);
      scene.land();
      scene.relabel();
    };
  }
}
