// The graph of a job with the flow through it.
import {html, svg, nothing} from 'lit';
import {Part} from './elements.js';
import {layout, NODE} from './layout.js';
import {count, duration, percent, rate} from '../format.js';

const MAX_LINE = 34;

class JobGraph extends Part {
  static properties = {
    plan: {attribute: false},
    vertices: {attribute: false},
    flow: {attribute: false},
    selected: {},
    now: {type: Number},
  };

  willUpdate(changed) {
    // Positions depend on the plan only, which does not change while the job runs.
    if (changed.has('plan') && this.planId !== this.plan.jid) {
      this.planId = this.plan.jid;
      this.positions = layout(this.plan.nodes);
    }
  }

  firstUpdated() {
    const surface = window.d3.select(this.querySelector('svg.graph'));
    this.zoom = window.d3
      .zoom()
      .scaleExtent([0.02, 3])
      .on('zoom', event => {
        this.moved = Boolean(event.sourceEvent) || this.moved;
        this.querySelector('g.view').setAttribute('transform', event.transform);
        this.classList.toggle('far', event.transform.k < 0.45);
      });
    surface.call(this.zoom).on('dblclick.zoom', null);
    this.fit();
    // The panel beside the graph and the window change its size. Who has moved the graph keeps the view.
    this.resizes = new ResizeObserver(() => this.moved || this.fit());
    this.resizes.observe(this.querySelector('svg.graph'));
    this.onKey = event => {
      if (event.target.closest('input, textarea, select')) return;
      if (event.key === '+') this.scaleBy(surface, 1.3);
      if (event.key === '-') this.scaleBy(surface, 1 / 1.3);
      if (event.key === '0') this.fit();
    };
    window.addEventListener('keydown', this.onKey);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    window.removeEventListener('keydown', this.onKey);
    this.resizes?.disconnect();
  }

  scaleBy(surface, factor) {
    this.moved = true;
    surface.call(this.zoom.scaleBy, factor);
  }

  fit() {
    this.moved = false;
    const element = this.querySelector('svg.graph');
    const {width, height} = this.positions;
    const scale = Math.min(1, element.clientWidth / width, element.clientHeight / height) || 1;
    const identity = window.d3.zoomIdentity
      .translate((element.clientWidth - scale * width) / 2, (element.clientHeight - scale * height) / 2)
      .scale(scale);
    window.d3.select(element).call(this.zoom.transform, identity);
  }

  render() {
    const vertices = new Map(this.vertices.map(vertex => [vertex.id, vertex]));
    const flows = new Map((this.flow?.vertices ?? []).map(vertex => [vertex.id, vertex]));
    // A small graph does not fill the window.
    const height = Math.max(200, Math.min(560, this.positions.height + 20));
    return html`<svg class="graph" height=${height} role="group" aria-label="Graph of the job">
        <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"></path></marker></defs>
        <g class="view">
          ${this.positions.edges.map(edge => this.edge(edge, flows))}
          ${this.plan.nodes.map(node => this.vertex(node, vertices.get(node.id), flows.get(node.id)))}
        </g>
      </svg>
      <p class="legend"><span class="swatch idle"></span> idle <span class="swatch busy"></span> busy
        <span class="swatch pressed"></span> waits for room <span class="swatch limit"></span> bottleneck
        <button class="plain" @click=${this.fit}>fit (0)</button></p>`;
  }

  edge(edge, flows) {
    const [from, to] = [flows.get(edge.from), flows.get(edge.to)];
    const path = window.d3.line(p => p.x, p => p.y).curve(window.d3.curveBasis)(edge.points);
    const middle = edge.points[Math.floor(edge.points.length / 2)];
    const pressed = (from?.['back-pressured'] ?? 0) >= 0.5;
    return svg`<g class="edge ${pressed ? 'pressed' : ''} ${edge.exchange?.startsWith('blocking') ? 'blocking' : ''}">
      <path d=${path} marker-end="url(#arrow)"></path>
      <text x=${middle.x} y=${middle.y - 6}>${edge.label?.toLowerCase() ?? ''}${
        to ? ` · ${rate(to['records-in-per-second'])}` : ''
      }</text>
    </g>`;
  }

  vertex(node, vertex, flow) {
    const {x, y} = this.positions.nodes.get(node.id);
    const limit = this.flow?.bottleneck === node.id;
    const lines = wrap(vertex?.name ?? node.description.replace(/<br\/>/g, ' '));
    const state = vertex?.status ?? 'CREATED';
    const select = () => this.dispatchEvent(new CustomEvent('vertex', {detail: node.id}));
    const inner = NODE.width - 20;
    const [busy, pressed] = [flow?.busy ?? 0, flow?.['back-pressured'] ?? 0];
    return svg`<g class="vertex ${state} ${limit ? 'limit' : ''} ${this.selected === node.id ? 'selected' : ''}"
        transform="translate(${x},${y})" tabindex="0" role="button" aria-label="${vertex?.name ?? node.id}, ${state}, parallelism ${node.parallelism}"
        @click=${select} @keydown=${event => event.key === 'Enter' && select()}>
      <title>${vertex?.name ?? ''}</title>
      <rect class="box" width=${NODE.width} height=${NODE.height} rx="8"></rect>
      <text class="name" x="10" y="20">${lines[0]}</text>
      ${lines[1] ? svg`<text class="name" x="10" y="36">${lines[1]}</text>` : nothing}
      <text class="small" x="10" y="54">${state.toLowerCase()} · ${node.parallelism} ${node.parallelism === 1 ? 'task' : 'tasks'}${
        limit ? ' · bottleneck' : ''
      }</text>
      <text class="small" x="10" y="71">${flow ? `in ${rate(flow['records-in-per-second'])} · out ${rate(flow['records-out-per-second'])}` : ''}</text>
      <text class="small" x="10" y="88">${flow ? `busy ${percent(busy)} · waits for room ${percent(pressed)}` : ''}</text>
      <g transform="translate(10,95)">
        <rect class="idle" width=${inner} height="5" rx="2"></rect>
        <rect class="busy" width=${inner * Math.min(1, busy)} height="5" rx="2"></rect>
        <rect class="pressed" x=${inner * Math.max(0, 1 - pressed)} width=${inner * Math.min(1, pressed)} height="5" rx="2"></rect>
      </g>
      <text class="small" x="10" y="112">${watermark(flow, this.now)}</text>
    </g>`;
  }
}

function watermark(flow, now) {
  if (flow?.watermark == null) return '';
  const behind = now - flow.watermark;
  const late = flow['late-records'] > 0 ? ` · ${count(flow['late-records'])} late` : '';
  // Event time of replayed or generated records may be far from the clock.
  const text = Math.abs(behind) < 86_400_000 && behind >= 0 ? `${duration(behind)} behind` : safeDate(flow.watermark);
  return `watermark ${text}${late}`;
}

function safeDate(millis) {
  const date = new Date(millis);
  return Number.isNaN(date.getTime()) ? (millis > 0 ? 'end of input' : 'none') : date.toISOString().slice(0, 19);
}

function wrap(name) {
  if (name.length <= MAX_LINE) return [name];
  const cut = name.lastIndexOf(' ', MAX_LINE) > 10 ? name.lastIndexOf(' ', MAX_LINE) : MAX_LINE;
  const rest = name.slice(cut).trim();
  return [name.slice(0, cut), rest.length > MAX_LINE ? `${rest.slice(0, MAX_LINE - 1)}…` : rest];
}

customElements.define('job-graph', JobGraph);
