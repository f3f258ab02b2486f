// What runs, what waits and why, and what has ended.
import {html, nothing} from 'lit';
import {Part, bar, empty, jobBadge, problem, taskBar} from '../parts/elements.js';
import {Live} from '../live.js';
import {duration, plural, time} from '../format.js';

const ENDED = ['FINISHED', 'FAILED', 'CANCELED'];
const MAX_WORKERS = 24;
const MAX_SQUARES = 32;

class OverviewPage extends Part {
  static properties = {history: {attribute: false}, filter: {state: true}};

  constructor() {
    super();
    this.filter = '';
    this.live = new Live(this);
  }

  render() {
    this.live.watch({overview: '/overview', jobs: '/jobs/overview', workers: this.history ? '' : '/taskmanagers'});
    const overview = this.live.get('overview');
    const jobs = this.live.get('jobs')?.jobs;
    if (!overview || !jobs) {
      return problem(this.live.error('overview') ?? this.live.error('jobs'));
    }
    const shown = jobs.filter(job => `${job.name} ${job.jid} ${job.state}`.toLowerCase().includes(this.filter.toLowerCase()));
    const ended = shown.filter(job => ENDED.includes(job.state)).sort((a, b) => b['end-time'] - a['end-time']);
    const current = shown.filter(job => !ENDED.includes(job.state));
    const waiting = current.filter(job => job['waiting-for']);
    const running = current.filter(job => !job['waiting-for']);
    return html`
      ${problem(this.live.error('overview') ?? this.live.error('jobs'))}
      <h1>Jobs</h1>
      ${this.cards(overview, jobs)}
      ${jobs.length === 0 ? this.welcome(overview) : nothing}
      ${jobs.length > 10
        ? html`<p><input type="search" placeholder="Filter by name, id or state" aria-label="Filter jobs" .value=${this.filter} @input=${e => (this.filter = e.target.value)}></p>`
        : nothing}
      ${waiting.length > 0 ? this.section('Waiting', waiting, '') : nothing}
      ${jobs.length > 0 && !this.history ? this.section('Running', running, 'No job runs.') : nothing}
      ${this.workers()}
      ${ended.length > 0 ? this.section('Ended', ended, '') : nothing}`;
  }

  /** The slots of each TaskManager, those in use first. */
  workers() {
    const workers = this.live.get('workers')?.taskmanagers;
    if (!workers || workers.length === 0) return nothing;
    const most = [...workers].sort((a, b) => b.slotsNumber - b.freeSlots - (a.slotsNumber - a.freeSlots)).slice(0, MAX_WORKERS);
    return html`<section class="card">
      <h2>Slots <small>${plural(workers.length, 'TaskManager')}</small></h2>
      <ul class="workers">${most.map(worker => {
        const used = worker.slotsNumber - worker.freeSlots;
        return html`<li><a href="#/taskmanagers/${encodeURIComponent(worker.id)}">${worker.id}</a>${worker.blocked
            ? html` <span class="badge warn">blocked</span>`
            : nothing}
          <span class="squares" role="img" aria-label="${used} of ${plural(worker.slotsNumber, 'slot')} in use">${
            worker.slotsNumber > MAX_SQUARES
              ? bar([[used / worker.slotsNumber, 'good']], `${used} of ${worker.slotsNumber}`)
              : Array.from({length: worker.slotsNumber}, (_, i) => html`<i class=${i < used ? 'used' : ''}></i>`)
          }</span>
          <small>${used} / ${worker.slotsNumber} · ${plural(worker.assignedTasks ?? 0, 'task')}</small></li>`;
      })}</ul>
      ${workers.length > most.length ? html`<p><a href="#/taskmanagers">All ${workers.length} TaskManagers</a></p>` : nothing}
    </section>`;
  }

  cards(overview, jobs) {
    const waiting = jobs.filter(job => job['waiting-for']).length;
    const used = overview['slots-total'] - overview['slots-available'];
    const card = (value, label, extra, kind) => html`<div class="card figure"><strong class=${kind ?? ''}>${value}</strong><span>${label}</span>${extra ?? nothing}</div>`;
    return html`<div class="cards">
      ${this.history ? nothing : card(overview['jobs-running'] - waiting, 'running')}
      ${waiting > 0 ? card(waiting, 'waiting', nothing, 'warn') : nothing}
      ${card(overview['jobs-finished'], 'finished')}
      ${card(overview['jobs-failed'], 'failed', nothing, overview['jobs-failed'] > 0 ? 'bad' : '')}
      ${card(overview['jobs-cancelled'], 'cancelled')}
      ${this.history
        ? nothing
        : html`${card(html`<a href="#/taskmanagers">${overview.taskmanagers}</a>`, overview.taskmanagers === 1 ? 'TaskManager' : 'TaskManagers')}
            ${card(
              `${used} / ${overview['slots-total']}`,
              'slots in use',
              bar([[used / Math.max(1, overview['slots-total']), 'good']], `${used} of ${plural(overview['slots-total'], 'slot')} in use`),
            )}`}
    </div>`;
  }

  welcome(overview) {
    if (this.history) return empty('No ended job is in the archive.');
    return html`<section class="card">
      <h2>No jobs yet</h2>
      <p>Run an example on this cluster from a terminal:</p>
      <pre><code>./millrace run -m ${location.host} -d examples/rate-counter.jar
./millrace list -m ${location.host}</code></pre>
      <p>Start a program of your own, with a test:</p>
      <pre><code>./millrace new my-program
cd my-program && mvn package
../millrace run -m ${location.host} target/my-program-1.0-SNAPSHOT.jar</code></pre>
      ${overview['slots-total'] === 0
        ? html`<p>No TaskManager is registered yet. A cluster with <code>--elastic</code> starts them when a job needs slots;
            <code>./millrace taskmanager</code> starts one by hand.</p>`
        : nothing}
    </section>`;
  }

  section(title, jobs, none) {
    return html`<section class="card">
      <h2>${title} <small>${jobs.length}</small></h2>
      ${jobs.length === 0
        ? empty(none)
        : html`<div class="wide"><table class="jobs">
            <thead><tr><th scope="col">Job</th><th scope="col">State</th><th scope="col">Tasks</th><th scope="col">Started</th><th scope="col">Duration</th></tr></thead>
            <tbody>${jobs.slice(0, 500).map(job => this.row(job))}</tbody>
          </table></div>
          ${jobs.length > 500 ? empty(`${jobs.length - 500} more. Use the filter to find them.`) : nothing}`}
    </section>`;
  }

  row(job) {
    return html`<tr>
      <td><a href="#/jobs/${job.jid}">${job.name}</a> <code class="id">${job.jid}</code>
        ${job['waiting-for'] ? html`<p class="reason">Waits: ${job['waiting-for']}</p>` : nothing}</td>
      <td>${jobBadge(job)}</td>
      <td class="tasks">${taskBar(job.tasks)} <small>${job.tasks.total}</small></td>
      <td>${time(job['start-time'])}</td>
      <td>${duration(job.duration)}</td>
    </tr>`;
  }
}

customElements.define('overview-page', OverviewPage);
