// What the reader chose on the map, as far as it is in the address.

import {Parameters} from '../../state';

export interface Settings {
  color: string;  // cluster, frequency, similarity, or column.NAME
  isSized: boolean;
  method: string;
  beside: string;            // a second method that is shown, or ""
  off: ReadonlySet<string>;  // keys of groups that are switched off
  find: string;
}

// Their names in the address.
export const MAP_SETTINGS =
    ['color', 'size', 'method', 'beside', 'off', 'find'];

export interface Possible {
  colors: string[];
  methods: string[];
}

// What the address does not name, or names wrongly, is as at first.
export function readSettings(
    parameters: URLSearchParams, possible: Possible): Settings {
  const oneOf = (name: string, values: string[], otherwise: string) => {
    const value = parameters.get(name);
    return value !== null && values.includes(value) ? value : otherwise;
  };
  const method = oneOf('method', possible.methods, possible.methods[0]);
  const beside = oneOf('beside', possible.methods, '');
  return {
    color: oneOf('color', possible.colors, possible.colors[0]),
    isSized: parameters.get('size') !== '0',
    method,
    beside: beside === method ? '' : beside,
    off: new Set(parameters.getAll('off')),
    find: parameters.get('find') || '',
  };
}

export function parametersOf(
    settings: Settings, possible: Possible): Parameters {
  const {color, method} = settings;
  return {
    color: color === possible.colors[0] ? null : color,
    size: settings.isSized ? null : 0,
    method: method === possible.methods[0] ? null : method,
    beside: settings.beside,
    off: [...settings.off],
    find: settings.find,
  };
}
