// What the tests use of Node's test runner, which Debian has no types of.

declare module 'node:test' {
  export default function test(
      name: string, body: () => void|Promise<void>): void;
}

declare module 'node:assert/strict' {
  const assert: {
    (value: unknown, message?: string): void,
    equal(actual: unknown, expected: unknown, message?: string): void,
    deepEqual(actual: unknown, expected: unknown, message?: string): void,
    throws(body: () => void, expected: RegExp): void,
          rejects(answer: Promise<unknown>, expected: RegExp): Promise<void>,
  };
  export default assert;
}
