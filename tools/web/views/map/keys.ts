// The keys of the map.

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};
const STEP = 1.6;  // of the zoom

export interface KeyActions {
  walk: (dx: number, dy: number) => void;
  shift: (dx: number, dy: number) => void;
  zoom: (factor: number) => void;
  fit: () => void;
  first: () => void;
  selectVisible: () => void;
  leave: () => void;
  open: () => void;    // the neighbors of the focused word
  toggle: () => void;  // the focused word in the selection
}

const KEYS: Record<string, ((actions: KeyActions) => void)|undefined> = {
  '+': ({zoom}) => zoom(STEP),
  '=': ({zoom}) => zoom(STEP),
  '-': ({zoom}) => zoom(1 / STEP),
  '0': ({fit}) => fit(),
  Home: ({first}) => first(),
  v: ({selectVisible}) => selectVisible(),
  V: ({selectVisible}) => selectVisible(),
  Escape: ({leave}) => leave(),
  Enter: ({open}) => open(),
  ' ': ({toggle}) => toggle(),
};

export function onMapKey(event: KeyboardEvent, actions: KeyActions) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // The arrows to points outside are buttons with keys of their own.
  if (event.target instanceof HTMLButtonElement) return;
  const arrow = ARROWS[event.key];
  const act = KEYS[event.key];
  if (arrow) (event.shiftKey ? actions.shift : actions.walk)(...arrow);
  act?.(actions);
  if (arrow || act) event.preventDefault();
}
