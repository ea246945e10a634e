import assert from 'node:assert/strict';
import test from 'node:test';

import {weatTests} from '../../../tools/web/weat_tests';

test('the ten tests of the paper, with groups of equal size', () => {
  const tests = weatTests();
  assert.equal(tests.length, 10);
  tests.forEach(({name, lists}, i) => {
    assert(name.startsWith(`WEAT ${i + 1} `), name);
    assert.equal(lists.x.length, lists.y.length);
    for (const words of [lists.x, lists.y, lists.a, lists.b]) {
      assert(
          words.length >= 5 && words.every((w) => /^[\w'-]+$/.test(w)), name);
    }
  });
  assert.equal(tests[0].lists.x[0], 'aster');
  assert.equal(tests[0].lists.b[24], 'prison');
});
