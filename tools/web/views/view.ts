// What the page's frame and its views know of each other.

import {Suggest} from '../parts/combobox';
import {Model, Source} from '../source/source';
import {Parameters, ViewName} from '../state';

export interface Frame {
  readonly source: Source;
  // Of the address that is shown.
  readonly parameters: URLSearchParams;
  // The vectors that the address names, or the first there are.
  readonly model: string;
  vectorModels(): Model[];
  vectorModel(name: string): Model|undefined;
  // An address with the model in it, where there are several. That of the map
  // keeps the settings of the map that was shown last.
  address(view: ViewName, parameters: Parameters): string;
  neighborsOf(word: string): string;
  // Says in the address what the page already shows, without a step.
  note(address: string): void;
  suggest: Suggest;
  // Lets the field of words search in these from now on.
  searchIn(model: string, words: string[]): void;
}

export interface View {
  readonly element: HTMLElement;
  // Shows what the address asks for; called for every change of it.
  show(parameters: URLSearchParams): void;
  hide?(): void;
}
