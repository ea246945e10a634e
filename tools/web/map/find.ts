// Search among the words of the map: for a part of a word, in any case, or for
// a regular expression between slashes. An expression runs in a worker, since
// nothing can interrupt one that takes exponential time; the worker is ended
// after a second, and what it found until then is the result.

const BUDGET = 1000;  // milliseconds

export type Query = {
  kind: 'none'
}|{kind: 'text', text: string}|{kind: 'pattern', source: string, flags: string}|
    {kind: 'invalid', problem: string};

// "/king|queen/" is an expression, with flags after it: "i" for any case, "s",
// "u" and "v". Others, such as "g", have no effect on what is found.
export function parseQuery(typed: string): Query {
  const text = typed.trim();
  if (!text) return {kind: 'none'};
  const between = /^\/(.+)\/([a-z]*)$/i.exec(text);
  if (!between) return {kind: 'text', text: text.toLowerCase()};
  const [, source, asked] = between;
  const [other] = /[^isuv]/.exec(asked) || [];
  let problem = `The flag “${other}” is not one of i, s, u and v.`;
  if (other) return {kind: 'invalid', problem};
  // With "u", letters outside the basic plane are one character; without it,
  // needless backslashes are allowed.
  for (const flags of / [uv] /.test(asked) ? [asked] : [`u${asked}`, asked]) {
    try {
      new RegExp(source, flags);
      return {kind: 'pattern', source, flags};
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  return {kind: 'invalid', problem};
}

export interface Found {
  ids: number[];   // most frequent first
  stopped: number  // words that were searched before the time was up; -1: all
}

export function findText(
    words: string[], visible: Uint8Array, text: string): Found {
  const ids: number[] = [];
  words.forEach((word, id) => {
    if (visible[id] && word.toLowerCase().includes(text)) ids.push(id);
  });
  return {ids, stopped: -1};
}

interface Task {
  words: string[];
  source: string;
  flags: string;
  longest: number;
}

interface Progress {
  ids: number[];
  searched: number;
}

// The worker's whole program, which must not use anything outside of it.
function work(scope: {
  onmessage: ((event: {data: Task}) => void)|null,
  postMessage: (progress: Progress) => void,
}) {
  scope.onmessage = ({data}) => {
    const pattern = new RegExp(data.source, data.flags);
    let ids: number[] = [];
    data.words.forEach((word, id) => {
      if (word.length <= data.longest && pattern.test(word)) ids.push(id);
      if (id % 500 && id + 1 < data.words.length) return;
      scope.postMessage({ids, searched: id + 1});
      ids = [];
    });
  };
}

interface Policy {
  createScriptURL: (address: string) => string;
}

interface Policies {
  trustedTypes?: {createPolicy: (name: string, rules: Policy) => Policy};
}

const own: Policy = {
  createScriptURL: (address) => address
};
let policy: Policy|undefined;

// The page's content security policy allows workers of its own making only.
function startWorker() {
  const {trustedTypes} = globalThis as Policies;
  policy ||= trustedTypes?.createPolicy('firth', own) || own;
  const address = URL.createObjectURL(
      new Blob([`(${work})(self)`], {type: 'text/javascript'}));
  const worker = new Worker(policy.createScriptURL(address));
  URL.revokeObjectURL(address);
  return worker;
}

// Words of more than `longest` characters are not tried.
export function findPattern(
    words: string[], visible: Uint8Array,
    {source, flags}: {source: string, flags: string},
    longest: number): Promise<Found> {
  if (!words.length) return Promise.resolve({ids: [], stopped: -1});
  return new Promise((resolve, reject) => {
    const worker = startWorker();
    const ids: number[] = [];
    let searched = 0;
    let timer = 0;
    const end = () => {
      clearTimeout(timer);
      worker.terminate();
    };
    const finish = (stopped: number) => {
      end();
      resolve({ids, stopped});
    };
    worker.onmessage = ({data}: MessageEvent<Progress>) => {
      for (const id of data.ids) {
        if (visible[id]) ids.push(id);
      }
      searched = data.searched;
      if (searched === words.length) finish(-1);
    };
    worker.onerror = () => {
      end();
      reject(new Error('This browser does not run the search in a worker.'));
    };
    timer = setTimeout(() => finish(searched), BUDGET) as unknown as number;
    const task: Task = {words, source, flags, longest};
    worker.postMessage(task);
  });
}
