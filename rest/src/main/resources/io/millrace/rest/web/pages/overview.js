// What runs, what waits and why, and what has ended.
import {html, nothing} from 'lit';
import {Part, badge, bar, empty, problem, taskBar} from '../parts/elements.js';
import {Live} from '../live.js';
import {duration, plural, time} from '../format.js';

const ENDED = ['FINISHED', 'FAILED', 'CANCELED'];

class OverviewPage extends Part {
  static properties = {filter: {state: true}};

  constructor() {
    super();
    this.filter = '';
    this.live = new Live(this);
  }

  render() {
    this.live.watch({overview: '/overview', jobs: '/jobs/overview'});
    const overview = this.live.get('overview');
    const jobs = this.live.get('jobs')?.jobs;
    if (!overview || !jobs) {
      return problem(this.live.error('overview') ?? this.live.error('jobs'));
    }
    const shown = jobs.filter(job => `${job.name} ${job.jid} ${job.state}`.toLowerCase().includes(this.filter.toLowerCase()));
    const current = shown.filter(job => !ENDED.includes(job.state));
    const ended = shown.filter(job => ENDED.includes(job.state)).sort((a, b) => b['end-time'] - a['end-time']);
    return html`
      ${problem(this.live.error('overview') ?? this.live.error('jobs'))}
      <h1>Jobs</h1>
      ${this.cards(overview, jobs)}
      ${jobs.length === 0 ? this.welcome(overview) : nothing}
      ${jobs.length > 10
        ? html`<p><input type="search" placeholder="Filter by name, id or state" aria-label="Filter jobs" .value=${this.filter} @input=${e => (this.filter = e.target.value)}></p>`
        : nothing}
      ${jobs.length > 0 ? this.section('Current', current, 'No job runs or waits.') : nothing}
      ${ended.length > 0 ? this.section('Ended', ended, '') : nothing}`;
  }

  cards(overview, jobs) {
    const waiting = jobs.filter(job => job['waiting-for']).length;
    const used = overview['slots-total'] - overview['slots-available'];
    const card = (value, label, extra) => html`<div class="card figure"><strong>${value}</strong><span>${label}</span>${extra ?? nothing}</div>`;
    return html`<div class="cards">
      ${card(overview['jobs-running'] - waiting, 'running')}
      ${waiting > 0 ? card(waiting, 'waiting') : nothing}
      ${card(overview['jobs-finished'], 'finished')}
      ${card(overview['jobs-failed'], 'failed')}
      ${card(overview['jobs-cancelled'], 'cancelled')}
      ${card(html`<a href="#/taskmanagers">${overview.taskmanagers}</a>`, overview.taskmanagers === 1 ? 'TaskManager' : 'TaskManagers')}
      ${card(
        `${used} / ${overview['slots-total']}`,
        'slots in use',
        bar([[used / Math.max(1, overview['slots-total']), 'good']], `${used} of ${plural(overview['slots-total'], 'slot')} in use`),
      )}
    </div>`;
  }

  welcome(overview) {
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
      <td>${badge(job.state)}</td>
      <td class="tasks">${taskBar(job.tasks)} <small>${job.tasks.total}</small></td>
      <td>${time(job['start-time'])}</td>
      <td>${duration(job.duration)}</td>
    </tr>`;
  }
}

customElements.define('overview-page', OverviewPage);
