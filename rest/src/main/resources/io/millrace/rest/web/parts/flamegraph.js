// Where the tasks of a vertex spend their time, from sampled stack traces.
import {html, svg, nothing} from 'lit';
import {Part, empty, problem} from './elements.js';
import {request} from '../live.js';
import {percent, time} from '../format.js';

const WIDTH = 1100;
const ROW = 20;
const MIN_WIDTH = 1.5;
const INTERVAL = 5000;
const TYPES = [
  ['FULL', 'mixed'],
  ['ON_CPU', 'on CPU'],
  ['OFF_CPU', 'off CPU'],
];

class FlameGraph extends Part {
  static properties = {
    job: {},
    vertices: {attribute: false},
    vertex: {},
    type: {state: true},
    graph: {state: true},
    error: {state: true},
    root: {state: true},
  };

  constructor() {
    super();
    this.type = 'FULL';
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => !document.hidden && this.load(), INTERVAL);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  willUpdate(changed) {
    if (changed.has('vertex') || changed.has('type')) {
      this.graph = undefined;
      this.root = undefined;
      this.load();
    }
  }

  async load() {
    const path = `/jobs/${this.job}/vertices/${this.vertex}/flamegraph?type=${this.type.toLowerCase()}`;
    try {
      this.graph = await request(path);
      this.error = '';
    } catch (e) {
      this.error = e.message;
    }
  }

  render() {
    const root = this.root ?? this.graph?.data;
    return html`<section class="card">
      <p class="controls">
        <label>Vertex <select @change=${e => (location.hash = `#/jobs/${this.job}/flamegraph/${e.target.value}`)}>
          ${this.vertices.map(vertex => html`<option value=${vertex.id} ?selected=${vertex.id === this.vertex}>${vertex.name}</option>`)}
        </select></label>
        ${TYPES.map(
          ([type, label]) =>
            html`<label><input type="radio" name="type" .checked=${type === this.type} @change=${() => (this.type = type)}> ${label}</label>`,
        )}
        ${this.root ? html`<button @click=${() => (this.root = undefined)}>Whole graph</button>` : nothing}
        ${this.graph?.endTimestamp > 0 ? html`<small>Sampled at ${time(this.graph.endTimestamp)}</small>` : nothing}
      </p>
      ${problem(this.error)}
      ${root?.value > 0 ? this.frames(root) : empty('Samples are being taken. They show in some seconds.')}
    </section>`;
  }

  frames(root) {
    const frames = [];
    const add = (frame, x, depth) => {
      const width = (WIDTH * frame.value) / root.value;
      if (width < MIN_WIDTH) return;
      frames.push({frame, x, depth, width});
      let next = x;
      for (const child of [...(frame.children ?? [])].sort((a, b) => b.value - a.value)) {
        add(child, next, depth + 1);
        next += (WIDTH * child.value) / root.value;
      }
    };
    add(root, 0, 0);
    const height = ROW * (1 + Math.max(...frames.map(frame => frame.depth)));
    return html`<div class="wide"><svg class="flames" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Flame graph">
      ${frames.map(({frame, x, depth, width}) => {
        const name = frame.name.replace(/^.*\.([^.]+\.[^.:]+)/, '$1');
        const room = Math.floor(width / 6.5);
        return svg`<g class="flame h${hash(frame.name)}" transform="translate(${x},${depth * ROW})" @click=${() => (this.root = frame)}>
          <title>${frame.name} (${percent(frame.value / this.graph.data.value)})</title>
          <rect width=${Math.max(0, width - 0.5)} height=${ROW - 1}></rect>
          ${room > 3 ? svg`<text x="3" y="14">${name.length > room ? `${name.slice(0, room - 1)}…` : name}</text>` : nothing}
        </g>`;
      })}
    </svg></div>`;
  }
}

function hash(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) >>> 0;
  return sum % 6;
}

customElements.define('flame-graph', FlameGraph);
