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

function actionOf(event: KeyboardEvent, actions: KeyActions) {
  const arrow = ARROWS[event.key];
  if (arrow) {
    const move = event.shiftKey ? actions.shift : actions.walk;
    return () => move(...arrow);
  }
  switch (event.key) {
    case '+':
    case '=':
      return () => actions.zoom(STEP);
    case '-':
      return () => actions.zoom(1 / STEP);
    case '0':
      return actions.fit;
    case 'Home':
      return actions.first;
    case 'v':
    case 'V':
      return actions.selectVisible;
    case 'Escape':
      return actions.leave;
    case 'Enter':
      return actions.open;
    case ' ':
      return actions.toggle;
    default:
      return null;
  }
}

export function onMapKey(event: KeyboardEvent, actions: KeyActions) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // The arrows to points outside are buttons with keys of their own.
  if (event.target instanceof HTMLButtonElement) return;
  const act = actionOf(event, actions);
  if (!act) return;
  event.preventDefault();
  act();
}
