// Logs, threads and metrics: the same for the JobManager and a TaskManager.
import {html, nothing} from 'lit';
import {Part, empty, problem} from './elements.js';
import {Live, request, url} from '../live.js';
import {bytes, time} from '../format.js';

const TAIL = 256 * 1024;
const MAX_METRICS = 16;

/** The log files of a process, and the end of one. @attr base the REST path of the process @attr link the path of this part in the page */
class ProcessLogs extends Part {
  static properties = {
    base: {},
    link: {},
    file: {},
    files: {state: true},
    text: {state: true},
    error: {state: true},
    follow: {state: true},
  };

  constructor() {
    super();
    this.follow = true;
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.follow && !document.hidden && this.load(), 2000);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  willUpdate(changed) {
    if (changed.has('base') || changed.has('file')) {
      this.text = '';
      this.load();
    }
  }

  async load() {
    try {
      this.files = (await request(`${this.base}/logs`)).logs;
      if (this.file) this.text = await this.tail();
      this.error = '';
    } catch (e) {
      this.error = e.message;
    }
  }

  get filePath() {
    return `${this.base}/logs/${encodeURIComponent(this.file)}`;
  }

  async tail() {
    const response = await fetch(url(this.filePath), {headers: {Range: `bytes=-${TAIL}`}});
    if (response.status === 416) return '';
    if (!response.ok) throw new Error((await response.json()).errors[0]);
    return response.text();
  }

  render() {
    return html`${problem(this.error)}
      ${this.files?.length === 0 ? empty('The process has no log files.') : nothing}
      ${this.files?.length > 0
        ? html`<table><thead><tr><th scope="col">File</th><th scope="col">Size</th><th scope="col">Changed</th></tr></thead>
            <tbody>${this.files.map(
              file => html`<tr><td><a href="${this.link}/${encodeURIComponent(file.name)}">${file.name}</a></td>
                <td>${bytes(file.size)}</td><td>${time(file.mtime)}</td></tr>`,
            )}</tbody></table>`
        : nothing}
      ${this.file
        ? html`<p class="controls"><b>${this.file}</b>
              <label><input type="checkbox" .checked=${this.follow} @change=${e => (this.follow = e.target.checked)}> follow</label>
              <a href=${url(this.filePath)} download>download</a></p>
            <pre class="log" tabindex="0">${this.text}</pre>`
        : nothing}`;
  }

  updated(changed) {
    if (changed.has('text') && this.follow) {
      const log = this.querySelector('pre.log');
      if (log) log.scrollTop = log.scrollHeight;
    }
  }
}

customElements.define('process-logs', ProcessLogs);

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
        <input type="search" placeholder="Filter by name or frame" aria-label="Filter threads" @input=${e => (this.filter = e.target.value)}>
        <small>${shown.length} of ${this.threads?.length ?? 0} threads</small></p>
      ${shown.map(thread => html`<details><summary>${thread.threadName}</summary><pre>${thread.stringifiedThreadInfo}</pre></details>`)}`;
  }
}

customElements.define('thread-dump', ThreadDump);

/** Values of the chosen metrics of a process. */
class ProcessMetrics extends Part {
  static properties = {base: {}, names: {state: true}, chosen: {state: true}, error: {state: true}};

  constructor() {
    super();
    this.live = new Live(this);
    this.chosen = [];
  }

  willUpdate(changed) {
    if (changed.has('base')) this.load();
    this.live.watch({
      values: this.chosen.length > 0 ? `${this.base}/metrics?get=${this.chosen.map(encodeURIComponent).join(',')}` : '',
    });
  }

  async load() {
    try {
      this.names = (await request(`${this.base}/metrics`)).map(metric => metric.id).sort();
      this.chosen = this.names
        .filter(name => /CPU\.Load|Heap\.(Used|Max)|Threads\.Count|GarbageCollector\.All|taskSlots|numRunningJobs|numRegistered/.test(name))
        .slice(0, MAX_METRICS);
    } catch (e) {
      this.error = e.message;
    }
  }

  choose(name) {
    if (name && !this.chosen.includes(name)) this.chosen = [...this.chosen, name].slice(-MAX_METRICS);
  }

  render() {
    const values = new Map((this.live.get('values') ?? []).map(({id, value}) => [id, value]));
    return html`${problem(this.error)}
      <p class="controls"><label>Add <select @change=${e => this.choose(e.target.value)}>
        <option value="">a metric</option>
        ${(this.names ?? []).filter(name => !this.chosen.includes(name)).map(name => html`<option>${name}</option>`)}
      </select></label></p>
      <table><tbody>${this.chosen.map(
        name => html`<tr><th scope="row">${name}</th><td>${shown(name, values.get(name))}</td>
          <td><button class="plain" aria-label="Remove ${name}" @click=${() => (this.chosen = this.chosen.filter(other => other !== name))}>×</button></td></tr>`,
      )}</tbody></table>`;
  }
}

const shown = (name, value) =>
  value !== undefined && /Memory|MemoryUsed|Bytes/.test(name) && !/Count|Segments/.test(name) ? bytes(Number(value)) : (value ?? '–');

customElements.define('process-metrics', ProcessMetrics);
