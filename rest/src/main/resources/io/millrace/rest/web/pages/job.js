// One job: graph, subtasks, checkpoints, failures, timeline, explanation, configuration.
import {html, nothing} from 'lit';
import {Part, badge, empty, facts, jobBadge, problem, tabs, taskBar} from '../parts/elements.js';
import {gantt} from '../parts/gantt.js';
import '../parts/graph.js';
import '../parts/rates.js';
import '../parts/flamegraph.js';
import '../parts/process.js';
import {Live, request, send, until} from '../live.js';
import {bytes, count, duration, percent, plural, rate, time} from '../format.js';

const ENDED = ['FINISHED', 'FAILED', 'CANCELED'];
const MAX_GANTT_ROWS = 60;
/** The slowest vertices of a checkpoint whose subtasks are shown. */
const MAX_GANTT_VERTICES = 30;
const VERTEX_PARTS = [
  ['subtasks', 'Subtasks'],
  ['metrics', 'Metrics'],
  ['accumulators', 'Accumulators'],
];

class JobPage extends Part {
  static properties = {
    job: {},
    tab: {},
    item: {},
    history: {attribute: false},
    vertex: {state: true},
    vertexPart: {state: true},
    detail: {state: true},
    detailError: {state: true},
  };

  constructor() {
    super();
    this.live = new Live(this);
    this.vertexPart = 'subtasks';
  }

  get path() {
    return `/jobs/${this.job}`;
  }

  willUpdate(changed) {
    if (changed.has('job')) {
      this.vertex = undefined;
    }
    const shows = (tab, resource) => (this.tab === tab ? `${this.path}${resource}` : '');
    this.live.watch({
      job: this.path,
      flow: this.history ? '' : shows('graph', '/flow') || shows('vertices', '/flow'),
      explain: shows('explain', '/explain') || shows('graph', '/explain'),
      timeline: shows('timeline', '/timeline'),
      checkpoints: shows('checkpoints', '/checkpoints'),
      checkpointConfig: shows('checkpoints', '/checkpoints/config'),
      exceptions: shows('exceptions', '/exceptions'),
      config: shows('configuration', '/config'),
      checkpoint: this.tab === 'checkpoints' && this.item ? `${this.path}/checkpoints/details/${this.item}` : '',
      vertex: this.showsVertex('subtasks') ? `${this.path}/vertices/${this.vertex}` : '',
      accumulators: this.showsVertex('accumulators') ? `${this.path}/vertices/${this.vertex}/accumulators` : '',
    });
    const checkpoint = this.live.get('checkpoint');
    if (checkpoint !== this.checkpoint) {
      this.checkpoint = checkpoint;
      this.loadSubtasks(checkpoint);
    }
  }

  updated() {
    const job = this.live.get('job');
    if (job) document.title = `${job.name} ${job.state.toLowerCase()} – Millrace`;
  }

  showsVertex(part) {
    return this.vertex && ['graph', 'vertices'].includes(this.tab) && this.vertexPart === part;
  }

  render() {
    const job = this.live.get('job');
    if (!job) return problem(this.live.error('job'));
    const names = [
      ['graph', 'Graph'],
      ['vertices', 'Vertices'],
      ['checkpoints', 'Checkpoints'],
      ['exceptions', 'Exceptions'],
      ['timeline', 'Timeline'],
      ['explain', 'Explain'],
      ...(this.history || ENDED.includes(job.state) ? [] : [['flamegraph', 'Flame graph']]),
      ['configuration', 'Configuration'],
    ];
    return html`
      ${problem(this.live.error('job'))}
      <div class="title"><h1>${job.name}</h1> ${jobBadge(job)} <code class="id">${job.jid}</code>
        <span class="space"></span>${this.actions(job)}</div>
      ${job['waiting-for'] ? html`<p class="reason">Waits: ${job['waiting-for']}</p>` : nothing}
      ${facts([
        ['Started', time(job['start-time'])],
        job['end-time'] > 0 && ['Ended', time(job['end-time'])],
        ['Duration', duration(job.duration)],
        ['Type', job['job-type'].toLowerCase()],
        ['Vertices', job.vertices.length],
        ['Tasks', job.vertices.reduce((sum, vertex) => sum + vertex.parallelism, 0)],
      ])}
      ${tabs(this.tab, `#/jobs/${this.job}`, names)}
      ${this[`${this.tab}Tab`]?.(job) ?? problem(`There is no part '${this.tab}'.`)}`;
  }

  actions(job) {
    if (this.history || ENDED.includes(job.state)) return nothing;
    const stop = async drain => {
      const {'request-id': id} = await send('POST', `${this.path}/stop`, {drain});
      return this.savepointPath(id);
    };
    const savepoint = async () => {
      const {'request-id': id} = await send('POST', `${this.path}/savepoints`, {});
      return `Savepoint: ${await this.savepointPath(id)}`;
    };
    const rescale = async parallelism => {
      const path = await stop(false);
      location.hash = `#/submit?${new URLSearchParams({savepoint: path, parallelism, job: job.name})}`;
    };
    const cancel = async () => {
      await send('PATCH', `${this.path}?mode=cancel`);
      return 'The job is being cancelled.';
    };
    const widest = Math.max(1, ...job.vertices.map(vertex => vertex.parallelism));
    return html`
      <action-button label="Savepoint" question="Take a savepoint?" .action=${savepoint}></action-button>
      <action-button label="Stop" question="Stop with a savepoint?" .action=${async () => `Savepoint: ${await stop(false)}`}></action-button>
      <action-button label="Rescale" question="Stop with a savepoint, then start from it?" .field=${{label: 'Parallelism', value: widest, min: 1}}
        .action=${rescale}></action-button>
      <action-button label="Cancel" question="Cancel without a savepoint?" .action=${cancel}></action-button>`;
  }

  async savepointPath(id) {
    const {operation} = await until(`${this.path}/savepoints/${id}`, answer => answer.status.id === 'COMPLETED');
    const failure = operation['failure-cause'];
    if (failure) throw new Error(failure['stack-trace'].split('\n')[0]);
    return operation.location;
  }

  // ---- graph and vertices

  graphTab(job) {
    const explain = this.live.get('explain');
    const flow = this.live.get('flow');
    return html`<div class="split">
      <section class="card graph-card">
        <job-graph .plan=${job.plan} .vertices=${job.vertices} .flow=${flow} .now=${job.now} .selected=${this.vertex ?? ''}
          @vertex=${event => (this.vertex = this.vertex === event.detail ? undefined : event.detail)}></job-graph>
      </section>
      ${this.vertex ? this.vertexPanel(job) : nothing}
    </div>
    <p class="summary">${explain?.summary} ${flow?.bottleneck ? this.bottleneck(job, flow) : nothing}
      ${explain ? html`<a href="#/jobs/${this.job}/explain">Explain</a>` : nothing}</p>
    ${this.history || ENDED.includes(job.state)
      ? nothing
      : html`<section class="card"><h2>Records per second</h2><rate-chart .job=${job} .flow=${flow}></rate-chart></section>`}`;
  }

  bottleneck(job, flow) {
    const {name} = job.vertices.find(vertex => vertex.id === flow.bottleneck) ?? {};
    const {busy} = flow.vertices.find(vertex => vertex.id === flow.bottleneck);
    return html`<b>${name}</b> limits the rate: it is busy for ${percent(busy)} of the time, and others wait for it.`;
  }

  vertexPanel(job) {
    const {name} = job.vertices.find(vertex => vertex.id === this.vertex) ?? {};
    return html`<section class="card panel" aria-label="Vertex">
      <button class="plain close" aria-label="Close" @click=${() => (this.vertex = undefined)}>×</button>
      <h2>${name}</h2>
      <p class="controls parts">${VERTEX_PARTS.filter(([part]) => !this.history || part !== 'metrics').map(
        ([part, label]) => html`<button aria-pressed=${part === this.vertexPart} @click=${() => (this.vertexPart = part)}>${label}</button>`,
      )}
      ${this.history || ENDED.includes(job.state) ? nothing : html`<a href="#/jobs/${this.job}/flamegraph/${this.vertex}">Flame graph</a>`}</p>
      ${this.vertexContent()}
    </section>`;
  }

  vertexContent() {
    if (this.vertexPart === 'metrics') {
      return html`<metric-table .base="${this.path}/vertices/${this.vertex}/subtasks"></metric-table>`;
    }
    if (this.vertexPart === 'accumulators') {
      const accumulators = this.live.get('accumulators')?.['user-accumulators'];
      if (!accumulators) return problem(this.live.error('accumulators'));
      return accumulators.length === 0
        ? empty('The functions of this vertex have no accumulators.')
        : html`<table><tbody>${accumulators.map(
            ({name, type, value}) => html`<tr><th scope="row">${name}</th><td>${value}</td><td><small>${type}</small></td></tr>`,
          )}</tbody></table>`;
    }
    const vertex = this.live.get('vertex');
    return vertex ? this.subtasks(vertex) : problem(this.live.error('vertex'));
  }

  subtasks(vertex) {
    const metric = (title, key, show = count) => ({
      title,
      value: row => row.metrics[key],
      show: row => show(row.metrics[key]),
    });
    const skew = this.live.get('flow')?.vertices.find(flow => flow.id === vertex.id)?.skew;
    return html`
      ${facts([
        ['Parallelism', vertex.parallelism],
        ['Maximum', vertex.maxParallelism],
        skew > 0 && ['Skew', `${skew.toFixed(2)} × mean`],
      ])}
      <long-table .rows=${vertex.subtasks} .columns=${[
        {title: '#', value: row => row.subtask, show: row => row.subtask},
        {title: 'State', value: row => row.status, show: row => badge(row.status)},
        {title: 'TaskManager', value: row => row['taskmanager-id'], show: row => this.workerLink(row['taskmanager-id'])},
        metric('In', 'read-records'),
        metric('Out', 'write-records'),
        metric('Bytes in', 'read-bytes', bytes),
        metric('Bytes out', 'write-bytes', bytes),
        metric('Busy', 'accumulated-busy-time', duration),
        metric('Waits for room', 'accumulated-backpressured-time', duration),
        {title: 'Attempt', value: row => row.attempt, show: row => row.attempt},
      ]}></long-table>`;
  }

  workerLink(id) {
    return !id || id.startsWith('(') || this.history ? (id ?? '') : html`<a href="#/taskmanagers/${encodeURIComponent(id)}">${id}</a>`;
  }

  verticesTab(job) {
    const flows = new Map((this.live.get('flow')?.vertices ?? []).map(flow => [flow.id, flow]));
    const flow = row => flows.get(row.id);
    return html`<section class="card">
      <long-table .rows=${job.vertices} .columns=${[
        {
          title: 'Vertex',
          value: row => row.name,
          show: row => html`<button class="link" @click=${() => (this.vertex = row.id)}>${row.name}</button>`,
        },
        {title: 'State', value: row => row.status, show: row => badge(row.status)},
        {title: 'Tasks', value: row => row.parallelism, show: row => html`${taskBar(row.tasks)} <small>${row.parallelism}</small>`},
        {title: 'In', value: row => row.metrics['read-records'], show: row => count(row.metrics['read-records'])},
        {title: 'Out', value: row => row.metrics['write-records'], show: row => count(row.metrics['write-records'])},
        {title: 'In/s', value: row => flow(row)?.['records-in-per-second'] ?? 0, show: row => rate(flow(row)?.['records-in-per-second'])},
        {title: 'Out/s', value: row => flow(row)?.['records-out-per-second'] ?? 0, show: row => rate(flow(row)?.['records-out-per-second'])},
        {title: 'Busy', value: row => flow(row)?.busy ?? 0, show: row => (flow(row) ? percent(flow(row).busy) : '–')},
        {
          title: 'Waits for room',
          value: row => flow(row)?.['back-pressured'] ?? 0,
          show: row => (flow(row) ? percent(flow(row)['back-pressured']) : '–'),
        },
        {title: 'Skew', value: row => flow(row)?.skew ?? 0, show: row => (flow(row)?.skew > 0 ? `${flow(row).skew.toFixed(2)} ×` : '–')},
        {title: 'Duration', value: row => row.duration, show: row => duration(row.duration)},
      ]}></long-table>
    </section>
    ${this.vertex ? this.vertexPanel(job) : nothing}`;
  }

  // ---- checkpoints

  async loadSubtasks(checkpoint) {
    if (!checkpoint) {
      this.detail = undefined;
      return;
    }
    const slowest = Object.entries(checkpoint.tasks)
      .sort(([, a], [, b]) => b.end_to_end_duration - a.end_to_end_duration)
      .slice(0, MAX_GANTT_VERTICES);
    try {
      const vertices = await Promise.all(
        slowest.map(async ([vertex]) => ({
          vertex,
          ...(await request(`${this.path}/checkpoints/details/${checkpoint.id}/subtasks/${vertex}`)),
        })),
      );
      if (this.checkpoint === checkpoint) this.detail = {details: checkpoint, vertices};
      this.detailError = '';
    } catch (e) {
      this.detailError = e.message;
    }
  }

  checkpointsTab(job) {
    const all = this.live.get('checkpoints');
    const config = this.live.get('checkpointConfig');
    if (!all) return problem(this.live.error('checkpoints'));
    const {counts, latest} = all;
    return html`
      ${config
        ? facts([
            ['Interval', config.interval > 1e15 || config.interval <= 0 ? 'off' : duration(config.interval)],
            ['Mode', config.mode.replaceAll('_', ' ')],
            ['Time-out', duration(config.timeout)],
            ['Unaligned', config.unaligned_checkpoints ? 'yes' : 'no'],
            ['State backend', config.state_backend],
            ['Storage', config.checkpoint_storage],
          ])
        : nothing}
      ${facts([
        ['Completed', counts.completed],
        ['In progress', counts.in_progress],
        ['Failed', counts.failed],
        ['Restored', counts.restored],
        latest.completed && ['Last', `${duration(latest.completed.end_to_end_duration)}, ${bytes(latest.completed.state_size)}`],
        latest.savepoint && ['Savepoint', latest.savepoint.external_path],
        latest.failed && ['Last failure', latest.failed.failure_message ?? '–'],
      ])}
      ${this.item ? this.checkpointDetail(job) : nothing}
      <section class="card"><h2>History</h2>
      ${all.history.length === 0
        ? empty('No checkpoint yet.')
        : html`<long-table .rows=${all.history} .columns=${[
            {title: 'Id', value: row => row.id, show: row => html`<a href="#/jobs/${this.job}/checkpoints/${row.id}">${row.id}</a>`},
            {title: 'State', value: row => row.status, show: row => badge(row.status)},
            {title: 'Type', value: row => row.checkpoint_type, show: row => row.checkpoint_type.toLowerCase()},
            {title: 'Triggered', value: row => row.trigger_timestamp, show: row => time(row.trigger_timestamp)},
            {title: 'Duration', value: row => row.end_to_end_duration, show: row => duration(row.end_to_end_duration)},
            {title: 'Written', value: row => row.checkpointed_size, show: row => bytes(row.checkpointed_size)},
            {title: 'State size', value: row => row.state_size, show: row => bytes(row.state_size)},
            {title: 'Tasks', value: row => row.num_acknowledged_subtasks, show: row => `${row.num_acknowledged_subtasks} / ${row.num_subtasks}`},
          ]}></long-table>`}
      </section>`;
  }

  checkpointDetail(job) {
    if (!this.detail) return problem(this.detailError || this.live.error('checkpoint'));
    const {details, vertices} = this.detail;
    const names = new Map(job.vertices.map(vertex => [vertex.id, vertex.name]));
    const rows = vertices
      .flatMap(({vertex, subtasks}) => subtasks.filter(task => task.status === 'completed').map(task => ({vertex, task})))
      .sort((a, b) => b.task.end_to_end_duration - a.task.end_to_end_duration);
    const bars = rows.slice(0, MAX_GANTT_ROWS).map(({vertex, task}) => ({
      label: `${names.get(vertex) ?? vertex} (${task.index + 1})`,
      title: `${bytes(task.checkpointed_size)} written, ${bytes(task.state_size)} state`,
      parts: phases(details.trigger_timestamp, task),
    }));
    return html`<section class="card">
      <h2>Checkpoint ${details.id} ${badge(details.status)}</h2>
      ${facts([
        ['Duration', duration(details.end_to_end_duration)],
        ['Written', bytes(details.checkpointed_size)],
        ['State', bytes(details.state_size)],
        details.external_path && ['Path', details.external_path],
        details.failure_message && ['Failure', details.failure_message],
      ])}
      ${bars.length === 0
        ? empty('No task has stored its part yet.')
        : html`<p class="legend"><span class="swatch wait"></span> until the barrier arrives <span class="swatch align"></span> alignment
              <span class="swatch sync"></span> synchronous part <span class="swatch async"></span> asynchronous part <span class="swatch report"></span> until the JobManager knows</p>
            ${gantt(bars, 'Phases of the checkpoint in each task, slowest first')}
            ${details.num_acknowledged_subtasks > bars.length
              ? empty(`The slowest ${bars.length} of ${details.num_acknowledged_subtasks} tasks.`)
              : nothing}`}
    </section>`;
  }

  // ---- failures, timeline, explanation, configuration

  exceptionsTab() {
    const entries = this.live.get('exceptions')?.exceptionHistory.entries;
    if (!entries) return problem(this.live.error('exceptions'));
    if (entries.length === 0) return empty('No failure.');
    return html`${entries.map((entry, i) => this.failure(entry, i === 0))}
      ${this.live.get('exceptions').exceptionHistory.truncated ? empty('Older failures are not shown.') : nothing}`;
  }

  /** A failure with the chain of its causes; the last one is where it began. */
  failure(entry, isOpen) {
    const chain = causes(entry.stacktrace);
    const concurrent = entry.concurrentExceptions ?? [];
    return html`<section class="card">
      <h2>${lastPart(entry.exceptionName)} <small>${time(entry.timestamp)}</small>
        ${Object.values(entry.failureLabels ?? {}).map(label => html`<span class="badge off">${label}</span> `)}</h2>
      ${facts([
        entry.taskName && ['Task', entry.taskName],
        entry.taskManagerId && ['TaskManager', this.workerLink(entry.taskManagerId)],
        entry.endpoint && ['At', entry.endpoint],
      ])}
      <ol class="causes">${chain.map(
        ({what, frames}, i) => html`<li>
          <span class=${i === chain.length - 1 ? 'root' : ''}>${what}</span>
          ${frames.length > 0
            ? html`<details ?open=${isOpen && i === chain.length - 1}><summary><small>${plural(frames.length, 'frame')}</small></summary>
                <pre>${frames.join('\n')}</pre></details>`
            : nothing}</li>`,
      )}</ol>
      <details><summary>Whole stack trace</summary><pre>${entry.stacktrace}</pre></details>
      ${concurrent.length > 0
        ? html`<details><summary>${plural(concurrent.length, 'other task')} failed until all were stopped</summary>
            <ul>${concurrent.map(other => html`<li>${other.taskName}: ${other.stacktrace.split('\n')[0]}</li>`)}</ul></details>`
        : nothing}
    </section>`;
  }

  timelineTab() {
    const timeline = this.live.get('timeline');
    if (!timeline) return problem(this.live.error('timeline'));
    const rounds = groupByRound(timeline.steps);
    return html`${[...rounds].map(
      ([round, steps]) => html`<section class="card">
        <h2>${round === 0 ? 'First start' : `Restart ${round}`}</h2>
        ${gantt(
          steps
            .filter(step => step.step !== 'Run')
            .map(step => ({
              label: `${step.step} · ${step.process}`,
              title: step.detail,
              parts: [
                {
                  from: step['start-time'],
                  to: step['end-time'] < 0 ? timeline.now : step['end-time'],
                  kind: step['end-time'] < 0 ? 'wait' : 'step',
                  title: step.detail,
                },
              ],
            })),
          'Steps of the life of the job',
        )}
        <ol class="steps">${steps.map(step => html`<li><b>${step.step}</b> <small>${duration(step.duration)}</small> ${step.detail}</li>`)}</ol>
      </section>`,
    )}
    ${timeline.notes.map(note => html`<p>${note}</p>`)}`;
  }

  explainTab() {
    const explain = this.live.get('explain');
    if (!explain) return problem(this.live.error('explain'));
    const list = (title, sentences) =>
      sentences.length === 0 ? nothing : html`<h2>${title}</h2><ul>${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul>`;
    const text = entry => (typeof entry === 'string' ? entry : entry.sentence);
    return html`<section class="card prose">
      <p class="summary">${explain.summary}</p>
      ${list('What is missing', explain.unmet.map(text))}
      ${list('Where the slots are', explain.places.map(text))}
      ${list('What happened', explain.causes.map(text))}
      ${list('Notes', explain.notes)}
    </section>`;
  }

  flamegraphTab(job) {
    return html`<flame-graph .job=${this.job} .vertices=${job.vertices} .vertex=${this.item || job.vertices[0]?.id}></flame-graph>`;
  }

  configurationTab() {
    const config = this.live.get('config');
    if (!config) return problem(this.live.error('config'));
    const execution = config['execution-config'] ?? {};
    const user = Object.entries(execution['user-config'] ?? {});
    return html`<section class="card">
      <key-values .rows=${Object.entries(execution).filter(([name]) => name !== 'user-config')}></key-values>
      <h2>Parameters of the program</h2>
      ${user.length === 0 ? empty('The program has set none.') : html`<key-values .rows=${user}></key-values>`}
    </section>`;
  }
}

function phases(triggered, task) {
  let at = triggered;
  return [
    ['wait', 'until the barrier arrives', task.start_delay],
    ['align', 'alignment', task.alignment?.duration],
    ['sync', 'synchronous part', task.checkpoint?.sync],
    ['async', 'asynchronous part', task.checkpoint?.async],
  ]
    .filter(([, , millis]) => millis > 0 || millis === 0)
    .map(([kind, name, millis]) => {
      const part = {from: at, to: at + millis, kind, title: `${name}: ${duration(millis)}`};
      at += millis;
      return part;
    })
    .concat(task.ack_timestamp > at ? [{from: at, to: task.ack_timestamp, kind: 'report', title: 'until the JobManager knows'}] : []);
}

const lastPart = name => name.split('.').pop();

/** Each exception of a stack trace with its own frames. */
function causes(stack) {
  const chain = [];
  for (const line of stack.split('\n')) {
    if (chain.length === 0 || line.startsWith('Caused by: ')) {
      chain.push({what: line.replace('Caused by: ', ''), frames: []});
    } else if (line.trim()) {
      const last = chain.at(-1);
      // A message may have several lines.
      if (last.frames.length === 0 && !/^\s+(at|\.\.\.|Suppressed:)/.test(line)) last.what += `\n${line}`;
      else last.frames.push(line.trim());
    }
  }
  return chain;
}

function groupByRound(steps) {
  const rounds = new Map();
  for (const step of steps) {
    if (!rounds.has(step.round)) rounds.set(step.round, []);
    rounds.get(step.round).push(step);
  }
  return rounds;
}

customElements.define('job-page', JobPage);
