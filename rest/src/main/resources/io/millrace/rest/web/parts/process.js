// Threads and metrics: the same for the JobManager and a TaskManager.
import {html, svg, nothing} from 'lit';
import {Part, problem} from './elements.js';
import {Live, request} from '../live.js';
import {bytes, count, eventTime, time} from '../format.js';
import './logs.js';

const MAX_CHOSEN = 24;
const NO_WATERMARK = -9e18;
const KEPT = 120;
const CHART = {width: 140, height: 26};
const SHOWN_FIRST = /CPU\.Load|Heap\.(Used|Max)|Threads\.Count|GarbageCollector\.All|taskSlots|numRunningJobs|numRegistered/;

class ThreadDump extends Part {
  static properties = {base: {}, threads: {state: true}, filter: {state: true}, error: {state: true}};

  constructor() {
    super();
    this.filter = '';
  }

  willUpdate(changed) {
    if (changed.has('base')) this.load();
  }

  async load() {
    try {
      this.threads = (await request(`${this.base}/thread-dump`)).threadInfos;
      this.taken = Date.now();
      this.error = '';
    } catch (e) {
      this.error = e.message;
    }
  }

  render() {
    const shown = (this.threads ?? []).filter(thread =>
      thread.stringifiedThreadInfo.toLowerCase().includes(this.filter.toLowerCase()),
    );
    return html`${problem(this.error)}
      <p class="controls"><button @click=${this.load}>Take again</button>
        <input type="search" placeholder="Filter by name, state or frame" aria-label="Filter threads" @input=${e => (this.filter = e.target.value)}>
        ${this.threads ? html`<small>${shown.length} of ${this.threads.length} threads at ${time(this.taken)}</small>` : nothing}</p>
      ${shown.map(
        thread => html`<details><summary>${thread.threadName} <small>${state(thread)}</small></summary><pre>${thread.stringifiedThreadInfo}</pre></details>`,
      )}`;
  }
}

const state = thread => /" .*?Id=\d+ ([A-Z_]+)/.exec(thread.stringifiedThreadInfo)?.[1].toLowerCase().replace('_', ' ') ?? '';

customElements.define('thread-dump', ThreadDump);

/**
 * Values of the chosen metrics under a path, with their course while the page is open.
 *
 * @attr base the REST path whose part 'metrics' lists and reads them
 */
class MetricTable extends Part {
  static properties = {base: {}, names: {state: true}, chosen: {state: true}, error: {state: true}};

  constructor() {
    super();
    this.live = new Live(this);
    this.chosen = [];
    this.courses = new Map();
  }

  willUpdate(changed) {
    if (changed.has('base')) this.load();
    const query = this.chosen.map(encodeURIComponent).join(',');
    this.live.watch({values: this.chosen.length > 0 ? `${this.base}/metrics?get=${query}` : ''});
    const values = this.live.get('values');
    if (values && values !== this.last) {
      this.last = values;
      values.forEach(metric => this.keep(metric));
    }
  }

  keep(metric) {
    const value = Number(metric.value ?? metric.avg);
    if (Number.isFinite(value)) {
      if (!this.courses.has(metric.id)) this.courses.set(metric.id, []);
      const course = this.courses.get(metric.id);
      course.push(value);
      course.splice(0, course.length - KEPT);
    }
  }

  async load() {
    const {base} = this;
    this.names = undefined;
    this.chosen = [];
    this.courses = new Map();
    try {
      const names = (await request(`${base}/metrics`)).map(metric => metric.id).sort();
      if (base !== this.base) return;
      this.names = names;
      const first = names.filter(name => SHOWN_FIRST.test(name));
      this.chosen = (first.length > 0 ? first : names).slice(0, MAX_CHOSEN / 2);
      this.error = '';
    } catch (e) {
      this.error = e.message;
    }
  }

  choose(input) {
    if (this.names.includes(input.value) && !this.chosen.includes(input.value)) {
      this.chosen = [...this.chosen, input.value].slice(-MAX_CHOSEN);
      input.value = '';
    }
  }

  render() {
    if (!this.names) return problem(this.error);
    const values = new Map((this.live.get('values') ?? []).map(metric => [metric.id, metric]));
    const isAggregated = [...values.values()].some(metric => metric.value === undefined);
    return html`${problem(this.error || this.live.error('values'))}
      <p class="controls"><label>Add <input list="metric-names" placeholder="name of a metric" @change=${e => this.choose(e.target)}></label>
        <datalist id="metric-names">${this.names.filter(name => !this.chosen.includes(name)).map(name => html`<option value=${name}></option>`)}</datalist>
        <small>${this.names.length} metrics</small></p>
      <div class="wide"><table>
        <thead><tr><th scope="col">Metric</th>
          ${isAggregated ? ['Minimum', 'Mean', 'Maximum', 'Sum'].map(title => html`<th scope="col">${title}</th>`) : html`<th scope="col">Value</th>`}
          <th scope="col">Course</th><th scope="col"></th></tr></thead>
        <tbody>${this.chosen.map(name => {
          const metric = values.get(name) ?? {};
          return html`<tr><th scope="row">${name}</th>
            ${(isAggregated ? ['min', 'avg', 'max', 'sum'] : ['value']).map(key => html`<td>${shown(name, metric[key])}</td>`)}
            <td>${course(this.courses.get(name))}</td>
            <td><button class="plain" aria-label="Remove ${name}" @click=${() => (this.chosen = this.chosen.filter(other => other !== name))}>×</button></td></tr>`;
        })}</tbody></table></div>`;
  }
}

function shown(name, value) {
  if (value === undefined) return '–';
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  if (name.endsWith('Watermark')) return number > NO_WATERMARK ? eventTime(number, Date.now()) : 'none';
  return /Memory|Bytes(?!.*Rate)/.test(name) && !/Count|Segments/.test(name) ? bytes(number) : count(number);
}

function course(values) {
  if (!values || values.length < 2) return nothing;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = i => (i * CHART.width) / (values.length - 1);
  const y = value => CHART.height - 2 - ((CHART.height - 4) * (value - low)) / (high - low || 1);
  const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return html`<svg class="course" viewBox="0 0 ${CHART.width} ${CHART.height}" role="img" aria-label="from ${count(low)} to ${count(high)}">
    <title>from ${count(low)} to ${count(high)}</title>${svg`<polyline points=${points}></polyline>`}</svg>`;
}

customElements.define('metric-table', MetricTable);
