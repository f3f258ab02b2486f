// The graph of a job with the flow through it. What is drawn depends on the zoom: all of it near, names and colours from afar.
import {html, svg, nothing} from 'lit';
import {guard} from 'lit/directives/guard.js';
import {repeat} from 'lit/directives/repeat.js';
import {Part} from './elements.js';
import {layout, NODE} from './layout.js';
import {count, eventTime, percent, rate} from '../format.js';

const MAX_LINE = 34;
const NARROW = 620;
/** Below these scales the small text, and then all text, cannot be read. */
const NEAR = 0.45;
const FAR = 0.14;
/** Smaller graphs need no search. */
const MANY = 30;
/** From this share of time on, a task waits for room or is busy. */
const HIGH = 0.5;

class JobGraph extends Part {
  static properties = {
    plan: {attribute: false},
    vertices: {attribute: false},
    flow: {attribute: false},
    selected: {},
    now: {type: Number},
    view: {state: true},
    cursor: {state: true},
    vertical: {state: true},
  };

  constructor() {
    super();
    this.view = {level: 'near', left: 0, top: 0, right: Infinity, bottom: Infinity};
  }

  connectedCallback() {
    super.connectedCallback();
    this.vertical = window.innerWidth < NARROW;
  }

  willUpdate(changed) {
    // Positions depend on the plan only, which does not change while the job runs.
    if ((changed.has('plan') && this.planId !== this.plan.jid) || (changed.has('vertical') && this.plan)) {
      this.planId = this.plan.jid;
      this.positions = layout(this.plan.nodes, this.vertical);
      this.consumers = new Map();
      this.producers = new Map();
      for (const {from, to} of this.positions.edges) {
        this.consumers.set(from, [...(this.consumers.get(from) ?? []), to]);
        this.producers.set(to, [...(this.producers.get(to) ?? []), from]);
      }
      this.refit = true;
    }
  }

  firstUpdated() {
    this.surface = window.d3.select(this.querySelector('svg.graph'));
    this.zoom = window.d3
      .zoom()
      .scaleExtent([0.02, 3])
      // Otherwise the page could not be scrolled past the graph.
      .filter(event => !event.button && (event.type !== 'wheel' || event.ctrlKey || event.metaKey || this.matches(':focus-within')))
      .on('zoom', event => {
        this.moved = Boolean(event.sourceEvent) || this.moved;
        this.querySelector('g.view').setAttribute('transform', event.transform);
        this.show(event.transform);
      });
    this.surface.call(this.zoom).on('dblclick.zoom', null);
    // The panel beside the graph and the window change its size. Who has moved the graph keeps the view.
    this.resizes = new ResizeObserver(() => {
      this.vertical = window.innerWidth < NARROW;
      if (this.moved) this.show(window.d3.zoomTransform(this.surface.node()));
      else this.fit();
    });
    this.resizes.observe(this.surface.node());
  }

  updated() {
    if (this.refit) {
      this.refit = false;
      this.fit();
    }
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resizes?.disconnect();
  }

  /** Draws again if another level or other vertices become visible; d3 moves what is drawn. */
  show({x, y, k}) {
    const {clientWidth, clientHeight} = this.surface.node();
    const level = k >= NEAR ? 'near' : k >= FAR ? 'far' : 'tiny';
    const visible = {left: -x / k, top: -y / k, right: (clientWidth - x) / k, bottom: (clientHeight - y) / k};
    const {view} = this;
    const drawn =
      view.level === level &&
      (level === 'tiny' ||
        (visible.left >= view.left && visible.top >= view.top && visible.right <= view.right && visible.bottom <= view.bottom));
    if (!drawn) {
      const [w, h] = [clientWidth / k / 2, clientHeight / k / 2];
      this.view = {level, left: visible.left - w, top: visible.top - h, right: visible.right + w, bottom: visible.bottom + h};
    }
  }

  fit() {
    this.moved = false;
    const {clientWidth, clientHeight} = this.surface.node();
    const {width, height} = this.positions;
    const scale = Math.min(1, clientWidth / width, clientHeight / height) || 1;
    const identity = window.d3.zoomIdentity
      .translate((clientWidth - scale * width) / 2, (clientHeight - scale * height) / 2)
      .scale(scale);
    this.surface.call(this.zoom.transform, identity);
  }

  scaleBy(factor) {
    this.moved = true;
    this.surface.call(this.zoom.scaleBy, factor);
  }

  /** Moves the view to a vertex, near enough to read it. */
  goTo(id) {
    const {x, y} = this.positions.nodes.get(id);
    const {clientWidth, clientHeight} = this.surface.node();
    const scale = Math.max(0.8, window.d3.zoomTransform(this.surface.node()).k);
    this.moved = true;
    this.cursor = id;
    this.surface.call(
      this.zoom.transform,
      window.d3.zoomIdentity
        .translate(clientWidth / 2 - scale * (x + NODE.width / 2), clientHeight / 2 - scale * (y + NODE.height / 2))
        .scale(scale),
    );
  }

  select(id) {
    this.cursor = id;
    this.dispatchEvent(new CustomEvent('vertex', {detail: id}));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ids = this.plan.nodes.map(node => node.id);
    const at = this.cursor ?? ids[0];
    const siblings = () => {
      const along = this.vertical ? 'y' : 'x';
      const across = this.vertical ? 'x' : 'y';
      const rank = this.positions.nodes.get(at)[along];
      return ids
        .filter(id => Math.abs(this.positions.nodes.get(id)[along] - rank) < 1)
        .sort((a, b) => this.positions.nodes.get(a)[across] - this.positions.nodes.get(b)[across]);
    };
    const sibling = step => siblings()[siblings().indexOf(at) + step];
    const [back, forth] = [this.producers.get(at)?.[0], this.consumers.get(at)?.[0]];
    const moves = this.vertical
      ? {ArrowUp: () => back, ArrowDown: () => forth, ArrowLeft: () => sibling(-1), ArrowRight: () => sibling(1)}
      : {ArrowLeft: () => back, ArrowRight: () => forth, ArrowUp: () => sibling(-1), ArrowDown: () => sibling(1)};
    if (moves[event.key]) {
      const next = this.cursor === undefined ? at : moves[event.key]();
      if (next) this.reveal(next);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.select(at);
    } else if (event.key === '+') {
      this.scaleBy(1.3);
    } else if (event.key === '-') {
      this.scaleBy(1 / 1.3);
    } else if (event.key === '0') {
      this.fit();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Marks a vertex, and moves the view only if it is not visible. */
  reveal(id) {
    this.cursor = id;
    const {x, y} = this.positions.nodes.get(id);
    const transform = window.d3.zoomTransform(this.surface.node());
    const [left, top] = transform.apply([x, y]);
    const [right, bottom] = transform.apply([x + NODE.width, y + NODE.height]);
    const {clientWidth, clientHeight} = this.surface.node();
    if (left < 0 || top < 0 || right > clientWidth || bottom > clientHeight) this.goTo(id);
  }

  find(event) {
    const text = event.target.value.trim().toLowerCase();
    const found = text && this.vertices.find(vertex => vertex.name.toLowerCase().includes(text));
    if (found) {
      this.goTo(found.id);
      this.select(found.id);
    }
  }

  render() {
    const vertices = new Map(this.vertices.map(vertex => [vertex.id, vertex]));
    const flows = new Map((this.flow?.vertices ?? []).map(vertex => [vertex.id, vertex]));
    // A small graph does not fill the window.
    const height = Math.max(200, Math.min(this.vertical ? 460 : 560, this.positions.height + 20));
    const {view} = this;
    const visible = this.plan.nodes.filter(node => this.isVisible(this.positions.nodes.get(node.id)));
    const cursor = vertices.get(this.cursor);
    return html`${this.plan.nodes.length >= MANY ? this.search() : nothing}
      <svg class="graph ${view.level}" height=${height} role="application" tabindex="0" @keydown=${this.onKey}
        aria-label="Graph of the job. Arrow keys move along the edges, Enter opens a vertex.">
        <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerUnits="userSpaceOnUse" markerWidth="11" markerHeight="11" orient="auto"><path d="M0 0L8 4L0 8z"></path></marker></defs>
        <g class="view">
          ${view.level === 'tiny' ? this.allEdges() : this.edges()}
          ${repeat(
            visible,
            node => node.id,
            node => this.guarded(node, vertices.get(node.id), flows.get(node.id)),
          )}
        </g>
      </svg>
      <p class="hidden" role="status">${cursor ? `${cursor.name}, ${cursor.status.toLowerCase()}` : ''}</p>
      <p class="legend">${this.flow
          ? html`<span class="swatch idle"></span> idle <span class="swatch busy"></span> busy
              <span class="swatch pressed"></span> waits for room <span class="swatch limit"></span> bottleneck`
          : nothing}
        <span class="space"></span>
        <button class="plain" aria-label="Closer" @click=${() => this.scaleBy(1.3)}>+</button>
        <button class="plain" aria-label="Farther" @click=${() => this.scaleBy(1 / 1.3)}>−</button>
        <button class="plain" @click=${this.fit}>Fit</button></p>`;
  }

  search() {
    return html`<p class="controls"><input type="search" placeholder="Find a vertex by name" aria-label="Find a vertex" @change=${this.find}>
      ${this.flow?.bottleneck ? html`<button @click=${() => this.goTo(this.flow.bottleneck)}>Show the bottleneck</button>` : nothing}
      <small>${this.plan.nodes.length} vertices</small></p>`;
  }

  isVisible({x, y}) {
    const {left, top, right, bottom, level} = this.view;
    return level === 'tiny' || (x < right && x + NODE.width > left && y < bottom && y + NODE.height > top);
  }

  /** One path for all edges: from afar they need no labels. */
  allEdges() {
    if (this.pathOf !== this.positions) {
      this.pathOf = this.positions;
      this.path = this.positions.edges.map(({points}) => `M${points[0].x} ${points[0].y}L${points.at(-1).x} ${points.at(-1).y}`).join('');
    }
    return svg`<g class="edge"><path d=${this.path}></path></g>`;
  }

  edges() {
    const flows = new Map();
    for (const flow of this.flow?.edges ?? []) {
      const key = `${flow.source} ${flow.target}`;
      flows.set(key, [...(flows.get(key) ?? []), flow]);
    }
    return this.positions.edges.map(edge => {
      const flow = flows.get(`${edge.from} ${edge.to}`)?.shift();
      return this.isEdgeVisible(edge) ? this.edge(edge, flow) : nothing;
    });
  }

  isEdgeVisible({points}) {
    const {left, top, right, bottom} = this.view;
    const [a, b] = [points[0], points.at(-1)];
    return Math.min(a.x, b.x) < right && Math.max(a.x, b.x) > left && Math.min(a.y, b.y) < bottom && Math.max(a.y, b.y) > top;
  }

  edge(edge, flow) {
    const path = window.d3.line(p => p.x, p => p.y).curve(window.d3.curveBasis)(edge.points);
    const middle = edge.points[Math.floor(edge.points.length / 2)];
    const pressed = flow?.['back-pressured'] ?? 0;
    const kind = pressed >= HIGH ? 'pressed' : flow?.['records-per-second'] > 0 ? 'flows' : '';
    const label = [edge.label?.toLowerCase(), flow?.['records-per-second'] != null && rate(flow['records-per-second'])];
    const state = [pressed >= 0.1 && `full ${percent(pressed)}`, flow?.watermark != null && eventTime(flow.watermark, this.now)];
    const [first, second] = [label, state].map(parts => parts.filter(Boolean).join(' · '));
    return svg`<g class="edge ${kind} ${edge.exchange?.startsWith('blocking') ? 'blocking' : ''}">
      <path d=${path} marker-end="url(#arrow)"></path>
      ${this.view.level === 'near'
        ? svg`<text class="small" x=${middle.x} y=${middle.y - 8}>${first}</text><text class="small" x=${middle.x} y=${middle.y + 17}>${second}</text>`
        : nothing}
    </g>`;
  }

  /** A vertex is drawn again only if something that it shows has changed: there may be a thousand of them. */
  guarded(node, vertex, flow) {
    const {id} = node;
    const marks = [this.flow?.bottleneck === id, this.selected === id, this.cursor === id];
    const shown = [vertex?.status, vertex?.name, flow, flow?.watermark != null && this.now, this.view.level, this.positions];
    return guard([...marks, ...shown], () => this.vertex(node, vertex, flow));
  }

  vertex(node, vertex, flow) {
    const {x, y} = this.positions.nodes.get(node.id);
    const state = vertex?.status ?? 'CREATED';
    const name = vertex?.name ?? node.description.replace(/<br\/>/g, ' ');
    const [busy, pressed] = [flow?.busy ?? 0, flow?.['back-pressured'] ?? 0];
    const isLimit = this.flow?.bottleneck === node.id;
    const load = pressed >= HIGH ? 'waits' : `load${Math.round(4 * Math.min(1, busy))}`;
    const classes = ['vertex', state, load, isLimit && 'limit', this.selected === node.id && 'selected', this.cursor === node.id && 'cursor'];
    return svg`<g class=${classes.filter(Boolean).join(' ')} id="v-${node.id}" transform="translate(${x},${y})" @click=${() => this.select(node.id)}>
      <title>${name}</title>
      <rect class="box" width=${NODE.width} height=${NODE.height} rx="8"></rect>
      ${this.view.level === 'near' ? this.detail(node, state, name, flow, isLimit, busy, pressed) : nothing}
      ${this.view.level === 'far' ? this.summary(name, flow, isLimit, busy, pressed) : nothing}
    </g>`;
  }

  detail(node, state, name, flow, isLimit, busy, pressed) {
    const lines = wrap(name, MAX_LINE);
    const inner = NODE.width - 20;
    const tasks = `${node.parallelism} ${node.parallelism === 1 ? 'task' : 'tasks'}`;
    const late = flow?.['late-records'] > 0 ? ` · ${count(flow['late-records'])} late` : '';
    return svg`<text class="name" x="10" y=${lines[1] ? 20 : 27}>${lines[0]}</text>
      ${lines[1] ? svg`<text class="name" x="10" y="36">${lines[1]}</text>` : nothing}
      <text class="small" x="10" y="54">${state.toLowerCase()} · ${tasks}${isLimit ? ' · bottleneck' : ''}</text>
      ${flow
        ? svg`<text class="small" x="10" y="71">in ${rate(flow['records-in-per-second'])} · out ${rate(flow['records-out-per-second'])}</text>
            <text class="small" x="10" y="88">busy ${percent(busy)} · waits for room ${percent(pressed)}</text>
            <g transform="translate(10,95)">
              <rect class="idle" width=${inner} height="5" rx="2"></rect>
              <rect class="busy" width=${inner * Math.min(1, busy)} height="5" rx="2"></rect>
              <rect class="pressed" x=${inner * Math.max(0, 1 - pressed)} width=${inner * Math.min(1, pressed)} height="5" rx="2"></rect>
            </g>
            <text class="small" x="10" y="112">${flow.watermark == null ? '' : `watermark ${eventTime(flow.watermark, this.now)}`}${late}</text>`
        : nothing}`;
  }

  /** What can be read at a small scale: the name in large letters and one figure. */
  summary(name, flow, isLimit, busy, pressed) {
    const [first, second] = wrap(name, 15);
    const load = pressed >= HIGH ? `waits ${percent(pressed)}` : `busy ${percent(busy)}`;
    const figure = isLimit ? 'bottleneck' : flow ? load : '';
    return svg`<text class="name" x="10" y="32">${first}</text>
      ${second ? svg`<text class="name" x="10" y="64">${second}</text>` : nothing}
      <text class="figure" x="10" y="100">${figure}</text>`;
  }
}

function wrap(name, most) {
  if (name.length <= most) return [name];
  const cut = name.lastIndexOf(' ', most) > most / 3 ? name.lastIndexOf(' ', most) : most;
  const rest = name.slice(cut).trim();
  return [name.slice(0, cut), rest.length > most ? `${rest.slice(0, most - 1)}…` : rest];
}

customElements.define('job-graph', JobGraph);
