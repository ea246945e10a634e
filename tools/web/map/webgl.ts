// Points by WebGL2: positions, colors and sizes go to the graphics processor
// when they change, and each frame is one call.

import {Camera} from './camera';
import {pointOpacity, PointRenderer, pointSize} from './renderer';

const VERTEX = `#version 300 es
in vec2 place;
in vec4 paint;
in float factor;
uniform vec2 center;
uniform vec2 stretch;
uniform vec2 shift;
uniform float size;
out vec4 color;
void main() {
gl_Position = vec4((place - center) * stretch + shift, 0.0, 1.0);
gl_PointSize = size * factor;
if (paint.a == 0.0) gl_Position = vec4(2.0, 2.0, 0.0, 1.0);
color = paint;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 color;
uniform float opacity;
out vec4 result;
void main() {
float distance = length(gl_PointCoord - vec2(0.5)) * 2.0;
float alpha = opacity * (1.0 - smoothstep(0.75, 1.0, distance));
result = vec4(color.rgb * alpha, alpha);
}`;

const UNIFORMS = ['center', 'stretch', 'shift', 'size', 'opacity'] as const;
// The attributes, with the number of values of each.
const ATTRIBUTES = [['place', 2], ['paint', 4], ['factor', 1]] as const;

// Points are drawn in their order in the buffers, and the most frequent words,
// which come first, should be on top.
function reversed<T extends Float32Array|Uint32Array>(
    values: T, stride: number) {
  const turned = values.slice();
  for (let i = 0, j = values.length - stride; j >= 0;
       i += stride, j -= stride) {
    for (let k = 0; k < stride; ++k) turned[i + k] = values[j + k];
  }
  return turned;
}

function link(gl: WebGL2RenderingContext): WebGLProgram|null {
  const program = gl.createProgram();
  for (const [type, source] of [
           [gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as
       Array<[number, string]>) {
    const shader = gl.createShader(type);
    if (!shader || !program) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  if (!program) return null;
  ATTRIBUTES.forEach(([name], i) => gl.bindAttribLocation(program, i, name));
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

class WebGlRenderer implements PointRenderer {
  readonly name = 'webgl';
  #ratio = 1;
  #uniforms: Record<string, WebGLUniformLocation|null> = {};
  #buffers: Array<WebGLBuffer|null> = [];
  #contents: Array<Float32Array|Uint32Array> =
      ATTRIBUTES.map(() => new Float32Array(0));

  constructor(private readonly gl: WebGL2RenderingContext) {}

  // Also called after the system took the context away and gave it back.
  start(): boolean {
    const {gl} = this;
    const program = link(gl);
    if (!program) return false;
    gl.useProgram(program);
    for (const name of UNIFORMS) {
      this.#uniforms[name] = gl.getUniformLocation(program, name);
    }
    this.#buffers = ATTRIBUTES.map(([, values], i) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(i);
      const isBytes = values === 4;
      gl.vertexAttribPointer(
          i, values, isBytes ? gl.UNSIGNED_BYTE : gl.FLOAT, isBytes, 0, 0);
      return buffer;
    });
    this.#contents.forEach((_, i) => this.#fill(i));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    return true;
  }

  #fill(i: number) {
    const {gl} = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[i]);
    gl.bufferData(gl.ARRAY_BUFFER, this.#contents[i], gl.DYNAMIC_DRAW);
  }

  #set(i: number, content: Float32Array|Uint32Array) {
    this.#contents[i] = content;
    this.#fill(i);
  }

  setPoints(points: Float32Array) {
    this.#set(0, reversed(points, 2));
  }

  setLook(colors: Uint32Array, sizes: Float32Array) {
    this.#set(1, reversed(colors, 1));
    this.#set(2, reversed(sizes, 1));
  }

  resize(width: number, height: number, ratio: number) {
    this.gl.canvas.width = width;
    this.gl.canvas.height = height;
    this.#ratio = ratio;
    this.gl.viewport(0, 0, width, height);
  }

  draw(camera: Camera) {
    const {gl} = this;
    const uniforms = this.#uniforms;
    const count = this.#contents[1].length;
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(uniforms.center, camera.x, camera.y);
    gl.uniform2f(
        uniforms.stretch, 2 * camera.scale / camera.width,
        2 * camera.scale / camera.height);
    gl.uniform2f(uniforms.shift, camera.left / camera.width, 0);
    gl.uniform1f(uniforms.size, this.#ratio * pointSize(camera.zoom, count));
    gl.uniform1f(uniforms.opacity, pointOpacity(camera.zoom, count));
    gl.drawArrays(gl.POINTS, 0, count);
  }
}

// Names of what computes WebGL's pictures without a graphics processor.
const IMITATIONS = /swiftshader|llvmpipe|softpipe|software|basic render/i;

// Whether a canvas draws the points faster: SwiftShader takes several times as
// long (tests/web/bench_map.mjs).
function isImitation(gl: WebGL2RenderingContext) {
  const about = gl.getExtension('WEBGL_debug_renderer_info');
  const name =
      gl.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return IMITATIONS.test(String(name));
}

// Null where the browser has no WebGL2, or only imitates it. `redraw` is called
// when a context that was lost is back.
export function makeWebGlRenderer(
    canvas: HTMLCanvasElement, redraw: () => void): PointRenderer|null {
  const gl = canvas.getContext('webgl2', {antialias: false, depth: false});
  if (!gl || isImitation(gl)) return null;
  const renderer = new WebGlRenderer(gl);
  if (!renderer.start()) return null;
  canvas.addEventListener('webglcontextlost', (e) => e.preventDefault());
  canvas.addEventListener('webglcontextrestored', () => {
    renderer.start();
    redraw();
  });
  return renderer;
}
