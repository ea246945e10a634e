// Text files that are imported come into the page as texts.

declare module '*.txt' {
  const text: string;
  export default text;
}
