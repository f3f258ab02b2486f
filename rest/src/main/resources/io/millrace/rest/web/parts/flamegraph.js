// Where the tasks of a vertex spend their time, from sampled stack traces.
import {html, svg, nothing} from 'lit';
import {Part, empty, problem} from './elements.js';
import {Live} from '../live.js';
import {percent, time} from '../format.js';

const WIDTH = 1100;
const ROW = 20;
/** Narrower frames cannot be seen. */
const MIN_WIDTH = 1.5;
const LETTER = 7.2;
const COLOURS = 6;
const WITHOUT_SAMPLES = {
  '-1': 'The tasks of this vertex have ended.',
  '-2': 'Flame graphs are switched off. Set rest.flamegraph.enabled to true for the JobManager.',
  '-3': 'The first samples are being taken.',
};
const TYPES = [
  ['full', 'mixed'],
  ['on_cpu', 'on CPU'],
  ['off_cpu', 'off CPU'],
];

class FlameGraph extends Part {
  static properties = {
    job: {},
    vertices: {attribute: false},
    vertex: {},
    type: {state: true},
    subtask: {state: true},
    /** Names of frames from the root to the one that is shown over the whole width. */
    zoomed: {state: true},
    /** Names of frames from the root to the marked one. */
    cursor: {state: true},
    search: {state: true},
  };

  constructor() {
    super();
    this.live = new Live(this);
    this.type = 'full';
    this.subtask = '';
    this.search = '';
    this.zoomed = [];
    this.cursor = [];
  }

  willUpdate(changed) {
    if (changed.has('vertex')) {
      this.subtask = '';
      this.zoomed = [];
      this.cursor = [];
    }
    const subtask = this.subtask === '' ? '' : `&subtaskindex=${this.subtask}`;
    this.live.watch({graph: `/jobs/${this.job}/vertices/${this.vertex}/flamegraph?type=${this.type}${subtask}`});
  }

  render() {
    const graph = this.live.get('graph');
    const vertex = this.vertices.find(one => one.id === this.vertex);
    return html`<section class="card">
      <p class="controls">
        <label>Vertex <select @change=${e => (location.hash = `#/jobs/${this.job}/flamegraph/${e.target.value}`)}>
          ${this.vertices.map(one => html`<option value=${one.id} ?selected=${one.id === this.vertex}>${one.name}</option>`)}
        </select></label>
        <label>Subtask <select @change=${e => (this.subtask = e.target.value)}>
          <option value="" ?selected=${this.subtask === ''}>all</option>
          ${Array.from({length: vertex?.parallelism ?? 0}, (_, i) => html`<option value=${i} ?selected=${this.subtask === String(i)}>${i}</option>`)}
        </select></label>
        <span role="radiogroup" aria-label="Samples">${TYPES.map(
          ([type, label]) =>
            html`<label class="inline"><input type="radio" name="type" .checked=${type === this.type} @change=${() => (this.type = type)}> ${label}</label> `,
        )}</span>
        <input type="search" placeholder="Mark frames" aria-label="Mark frames by name" @input=${e => (this.search = e.target.value)}>
        ${graph?.endTimestamp > 0 ? html`<small>Sampled at ${time(graph.endTimestamp)}</small>` : nothing}
      </p>
      ${problem(this.live.error('graph'))}
      ${graph?.data?.value > 0 ? this.frames(graph.data) : graph ? empty(WITHOUT_SAMPLES[graph.endTimestamp] ?? 'No task ran in this time.') : nothing}
    </section>`;
  }

  frames(data) {
    const whole = window.d3.hierarchy(data, frame => frame.children).each(node => (node.value = node.data.value));
    whole.sort((a, b) => b.value - a.value || a.data.name.localeCompare(b.data.name));
    const zoomed = follow(whole, this.zoomed);
    // The frames below the shown one, over the whole width. Those above it stay visible, for the way back.
    const shown = window.d3.hierarchy(zoomed.data, frame => frame.children).each(node => (node.value = node.data.value));
    shown.sort((a, b) => b.value - a.value || a.data.name.localeCompare(b.data.name));
    window.d3.partition().size([WIDTH, shown.height + 1])(shown);
    const above = zoomed.ancestors().slice(1).reverse();
    const prefix = above.map(node => node.data.name);
    const pathOf = node => [...prefix, ...node.ancestors().reverse().map(one => one.data.name)].slice(1);
    const frames = [
      ...above.map((node, i) => ({node, x: 0, width: WIDTH, depth: i, path: node.ancestors().reverse().map(one => one.data.name).slice(1)})),
      ...shown
        .descendants()
        .filter(node => node.x1 - node.x0 >= MIN_WIDTH)
        .map(node => ({node, x: node.x0, width: node.x1 - node.x0, depth: above.length + node.depth, path: pathOf(node)})),
    ];
    this.drawn = frames;
    const height = ROW * (1 + Math.max(...frames.map(frame => frame.depth)));
    const marked = frames.find(frame => same(frame.path, this.cursor));
    const text = this.search.toLowerCase();
    return html`
      <p class="frame" role="status">${marked
        ? html`<code>${marked.node.data.name}</code> ${percent(marked.node.data.value / data.value)} of the samples (${marked.node.data.value})`
        : html`<small>Arrow keys move between frames, Enter shows one over the whole width, Escape shows its caller.</small>`}
        ${text ? html`<small>${percent(share(whole, text) / data.value)} of the samples are in frames with '${this.search}'.</small>` : nothing}
        ${this.zoomed.length > 0 ? html`<button @click=${() => this.zoomTo([])}>Whole graph</button>` : nothing}</p>
      <div class="wide"><svg class="flames" viewBox="0 0 ${WIDTH} ${height}" role="application" tabindex="0" @keydown=${this.onKey}
        aria-label="Flame graph. Arrow keys move between frames, Enter shows a frame over the whole width.">
      ${frames.map(({node, x, depth, width, path}) => {
        const {name, value} = node.data;
        const short = name.replace(/^.*\.([^.]+\.[^.:]+)/, '$1');
        const room = Math.floor(width / LETTER);
        const kinds = [
          'flame',
          `h${hash(name)}`,
          text && name.toLowerCase().includes(text) && 'found',
          same(path, this.cursor) && 'cursor',
          depth < above.length && 'above',
        ];
        return svg`<g class=${kinds.filter(Boolean).join(' ')} transform="translate(${x},${depth * ROW})" @click=${() => this.zoomTo(path)}>
          <title>${name} (${percent(value / data.value)})</title>
          <rect width=${Math.max(0, width - 0.5)} height=${ROW - 1}></rect>
          ${room > 3 ? svg`<text x="3" y="14">${short.length > room ? `${short.slice(0, room - 1)}…` : short}</text>` : nothing}
        </g>`;
      })}
    </svg></div>`;
  }

  zoomTo(path) {
    this.zoomed = path;
    this.cursor = path;
  }

  onKey(event) {
    const at = this.drawn.find(frame => same(frame.path, this.cursor)) ?? this.drawn[0];
    const row = this.drawn.filter(frame => frame.depth === at.depth).sort((a, b) => a.x - b.x);
    const under = this.drawn.filter(frame => frame.depth === at.depth + 1 && frame.x >= at.x - 0.1 && frame.x < at.x + at.width);
    const next = {
      ArrowDown: () => under.sort((a, b) => b.width - a.width)[0],
      ArrowUp: () => this.drawn.find(frame => same(frame.path, at.path.slice(0, -1))),
      ArrowLeft: () => row[row.indexOf(at) - 1],
      ArrowRight: () => row[row.indexOf(at) + 1],
      Home: () => this.drawn[0],
    }[event.key];
    if (next) {
      this.cursor = (next() ?? at).path;
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.zoomTo(at.path);
    } else if (event.key === 'Escape') {
      this.zoomTo(this.zoomed.slice(0, -1));
    } else {
      return;
    }
    event.preventDefault();
  }
}

/** The frame at a path; its nearest caller if newer samples do not have it. */
function follow(root, path) {
  let node = root;
  for (const name of path) {
    const child = node.children?.find(one => one.data.name === name);
    if (!child) break;
    node = child;
  }
  return node;
}

const same = (a, b) => a.length === b.length && a.every((name, i) => name === b[i]);

/** The number of samples in frames with a text, each sample once. */
function share(node, text) {
  if (node.data.name.toLowerCase().includes(text)) return node.value;
  return (node.children ?? []).reduce((sum, child) => sum + share(child, text), 0);
}

function hash(text) {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) >>> 0;
  return sum % COLOURS;
}

customElements.define('flame-graph', FlameGraph);
