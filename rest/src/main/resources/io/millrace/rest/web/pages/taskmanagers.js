// All TaskManagers.
import {html} from 'lit';
import {Part, bar, empty, problem} from '../parts/elements.js';
import {Live} from '../live.js';
import {bytes, duration} from '../format.js';

class TaskManagersPage extends Part {
  constructor() {
    super();
    this.live = new Live(this);
  }

  render() {
    this.live.watch({workers: '/taskmanagers'});
    const workers = this.live.get('workers')?.taskmanagers;
    if (!workers) return problem(this.live.error('workers'));
    return html`<h1>TaskManagers <small>${workers.length}</small></h1>
      ${problem(this.live.error('workers'))}
      ${workers.length === 0
        ? html`${empty('No TaskManager is registered.')}<p>An elastic cluster starts them when a job needs slots. The page of a job that waits says
            what it waits for.</p>`
        : html`<section class="card"><long-table .rows=${workers} .columns=${[
            {
              title: 'TaskManager',
              value: row => row.id,
              show: row => html`<a href="#/taskmanagers/${encodeURIComponent(row.id)}">${row.id}</a>${row.blocked ? html` <span class="badge warn">blocked</span>` : ''}`,
            },
            {title: 'Address', value: row => row.path, show: row => row.path.split('/')[0]},
            {
              title: 'Slots in use',
              value: row => row.slotsNumber - row.freeSlots,
              show: row => html`${bar([[1 - row.freeSlots / Math.max(1, row.slotsNumber), 'good']], `${row.slotsNumber - row.freeSlots} of ${row.slotsNumber}`)}
                <small>${row.slotsNumber - row.freeSlots} / ${row.slotsNumber}</small>`,
            },
            {title: 'Tasks', value: row => row.assignedTasks ?? 0, show: row => row.assignedTasks ?? '–'},
            {title: 'Cores', value: row => row.hardware.cpuCores, show: row => row.hardware.cpuCores},
            {
              title: 'Process memory',
              value: row => row.memoryConfiguration.totalProcessMemory ?? 0,
              show: row => bytes(row.memoryConfiguration.totalProcessMemory),
            },
            {
              title: 'Last heartbeat',
              value: row => row.timeSinceLastHeartbeat,
              show: row => `${duration(Math.max(0, Date.now() - row.timeSinceLastHeartbeat))} ago`,
            },
          ]}></long-table></section>`}`;
  }
}

customElements.define('task-managers-page', TaskManagersPage);
