// The JobManager: configuration, environment, metrics, logs, threads.
import {html} from 'lit';
import {Part, problem, tabs} from '../parts/elements.js';
import '../parts/process.js';
import {Live} from '../live.js';

const BASE = '/jobmanager';
const TABS = [
  ['configuration', 'Configuration'],
  ['environment', 'Environment'],
  ['metrics', 'Metrics'],
  ['logs', 'Logs'],
  ['threads', 'Threads'],
];

class JobManagerPage extends Part {
  static properties = {tab: {}, item: {}};

  constructor() {
    super();
    this.live = new Live(this);
  }

  render() {
    this.live.watch({
      config: this.tab === 'configuration' ? `${BASE}/config` : '',
      environment: this.tab === 'environment' ? `${BASE}/environment` : '',
    });
    return html`<h1>JobManager</h1>${tabs(this.tab, '#/jobmanager', TABS)}<section class="card">${this.content()}</section>`;
  }

  content() {
    switch (this.tab) {
      case 'configuration':
        return this.table('config', this.live.get('config')?.map(({key, value}) => [key, value]));
      case 'environment':
        return this.environment();
      case 'metrics':
        return html`<metric-table .base=${BASE}></metric-table>`;
      case 'logs':
        return html`<process-logs .owner=${'jobmanager'} .base=${BASE} .link=${'#/jobmanager/logs'} .file=${decodeURIComponent(this.item)}></process-logs>`;
      case 'threads':
        return html`<thread-dump .base=${BASE}></thread-dump>`;
      default:
        return problem(`There is no part '${this.tab}'.`);
    }
  }

  table(name, rows) {
    return rows ? html`<key-values .rows=${rows}></key-values>` : problem(this.live.error(name));
  }

  environment() {
    const environment = this.live.get('environment');
    if (!environment) return problem(this.live.error('environment'));
    return this.table('environment', [
      ['JVM', environment.jvm.version],
      ['Architecture', environment.jvm.arch],
      ['Options', environment.jvm.options.join('\n')],
      ['Class path', environment.classpath.join('\n')],
    ]);
  }
}

customElements.define('job-manager-page', JobManagerPage);
