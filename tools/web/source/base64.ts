// Arrays of numbers out of base64. The bytes are little-endian, as every
// browser's machine has them.

export function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function floatsOf(base64: string) {
  return new Float32Array(bytesOf(base64).buffer);
}

export function uint32sOf(base64: string) {
  return new Uint32Array(bytesOf(base64).buffer);
}

export function int8sOf(base64: string) {
  return new Int8Array(bytesOf(base64).buffer);
}
