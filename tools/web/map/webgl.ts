// Points by WebGL2: their places go to the graphics processor once, and each
// frame is one call.

import {Camera} from './camera';
import {pointOpacity, PointRenderer, pointSize, Rgb} from './renderer';

// Frequent words come first, so a point's number says how large it is.
const VERTEX = `#version 300 es
in vec2 place;
uniform vec2 center;
uniform vec2 stretch;
uniform float size;
uniform float count;
void main() {
  gl_Position = vec4((place - center) * stretch, 0.0, 1.0);
  float share = float(gl_VertexID) / count;
  gl_PointSize = size * mix(1.5, 0.8, sqrt(share));
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 color;
out vec4 result;
void main() {
  float distance = length(gl_PointCoord - vec2(0.5)) * 2.0;
  float alpha = color.a * (1.0 - smoothstep(0.75, 1.0, distance));
  result = vec4(color.rgb * alpha, alpha);
}`;

const UNIFORMS = ['center', 'stretch', 'size', 'count', 'color'] as const;

function compile(gl: WebGL2RenderingContext, type: number, source: string) {
  const shader = gl.createShader(type);
  if (!shader) return null;
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

function link(gl: WebGL2RenderingContext): WebGLProgram|null {
  const vertex = compile(gl, gl.VERTEX_SHADER, VERTEX);
  const fragment = compile(gl, gl.FRAGMENT_SHADER, FRAGMENT);
  const program = gl.createProgram();
  if (!vertex || !fragment || !program) return null;
  gl.attachShader(program, vertex);
  gl.attachShader(program, fragment);
  gl.bindAttribLocation(program, 0, 'place');
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

class WebGlRenderer implements PointRenderer {
  readonly name = 'webgl';
  private ratio = 1;
  private uniforms: Record<string, WebGLUniformLocation|null> = {};

  constructor(
      private readonly gl: WebGL2RenderingContext,
      private readonly points: Float32Array) {}

  // Also after the system took the context away and gave it back.
  start(): boolean {
    const {gl} = this;
    const program = link(gl);
    if (!program) return false;
    gl.useProgram(program);
    for (const name of UNIFORMS) {
      this.uniforms[name] = gl.getUniformLocation(program, name);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, this.points, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    return true;
  }

  resize(width: number, height: number, ratio: number) {
    this.gl.canvas.width = width;
    this.gl.canvas.height = height;
    this.ratio = ratio;
    this.gl.viewport(0, 0, width, height);
  }

  draw(camera: Camera, color: Rgb) {
    const {gl, uniforms} = this;
    const count = this.points.length / 2;
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(uniforms.center, camera.x, camera.y);
    gl.uniform2f(
        uniforms.stretch, 2 * camera.scale / camera.width,
        2 * camera.scale / camera.height);
    gl.uniform1f(uniforms.size, this.ratio * pointSize(camera.zoom, count));
    gl.uniform1f(uniforms.count, count);
    gl.uniform4f(uniforms.color, ...color, pointOpacity(camera.zoom, count));
    gl.drawArrays(gl.POINTS, 0, count);
  }
}

// Names of what computes WebGL's pictures without a graphics processor.
const IMITATIONS = /swiftshader|llvmpipe|softpipe|software|basic render/i;

// Whether the points had better be drawn on a canvas: 100,000 points come to 36
// frames a second there, and to 5 by SwiftShader (two busy cores, Chromium
// 156).
function isImitation(gl: WebGL2RenderingContext) {
  const about = gl.getExtension('WEBGL_debug_renderer_info');
  const name =
      gl.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return IMITATIONS.test(String(name));
}

// Null where the browser has no WebGL2, or only imitates it. `redraw` is called
// when a context that was lost is back.
export function makeWebGlRenderer(
    canvas: HTMLCanvasElement, points: Float32Array,
    redraw: () => void): PointRenderer|null {
  const gl = canvas.getContext('webgl2', {antialias: false, depth: false});
  if (!gl || isImitation(gl)) return null;
  const renderer = new WebGlRenderer(gl, points);
  if (!renderer.start()) return null;
  canvas.addEventListener('webglcontextlost', (e) => e.preventDefault());
  canvas.addEventListener('webglcontextrestored', () => {
    renderer.start();
    redraw();
  });
  return renderer;
}
