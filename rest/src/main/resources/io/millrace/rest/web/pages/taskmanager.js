// One TaskManager: memory, slots, metrics, logs, threads.
import {html, svg, nothing} from 'lit';
import {Part, bar, empty, facts, problem, tabs} from '../parts/elements.js';
import '../parts/process.js';
import {Live} from '../live.js';
import {bytes, duration, percent} from '../format.js';

const TABS = [
  ['memory', 'Memory'],
  ['slots', 'Slots'],
  ['metrics', 'Metrics'],
  ['logs', 'Logs'],
  ['threads', 'Threads'],
];

const MAP = {width: 1000, height: 90};

class TaskManagerPage extends Part {
  static properties = {worker: {}, tab: {}, item: {}};

  constructor() {
    super();
    this.live = new Live(this);
  }

  get base() {
    return `/taskmanagers/${encodeURIComponent(this.worker)}`;
  }

  render() {
    this.live.watch({worker: this.base});
    const worker = this.live.get('worker');
    const link = `#${this.base}`;
    if (!worker) return problem(this.live.error('worker'));
    return html`${problem(this.live.error('worker'))}
      <h1>${worker.id}</h1>
      ${facts([
        ['Address', worker.path.split('/')[0]],
        ['Data port', worker.dataPort],
        ['Cores', worker.hardware.cpuCores],
        ['Memory of the machine', bytes(worker.hardware.physicalMemory)],
        ['Last heartbeat', `${duration(Math.max(0, Date.now() - worker.timeSinceLastHeartbeat))} ago`],
      ])}
      ${tabs(this.tab, link, TABS)}
      <section class="card">${this.content(worker, link)}</section>`;
  }

  content(worker, link) {
    switch (this.tab) {
      case 'memory':
        return this.memory(worker);
      case 'slots':
        return this.slots(worker);
      case 'metrics':
        return html`<metric-table .base=${this.base}></metric-table>`;
      case 'logs':
        return html`<process-logs .owner=${worker.id} .base=${this.base} .link="${link}/logs" .file=${decodeURIComponent(this.item)}></process-logs>`;
      case 'threads':
        return html`<thread-dump .base=${this.base}></thread-dump>`;
      default:
        return problem(`There is no part '${this.tab}'.`);
    }
  }

  /** The budget of each part of the process, with what is used where the process knows it. */
  memory(worker) {
    const budget = worker.memoryConfiguration;
    const {metrics} = worker;
    const total = budget.totalProcessMemory;
    const heap = budget.frameworkHeap + budget.taskHeap;
    const rows = [
      ['JVM heap', 'heap', heap, metrics.heapUsed, `framework ${bytes(budget.frameworkHeap)}, tasks ${bytes(budget.taskHeap)}`],
      ['Managed memory', 'managed', budget.managedMemory, metrics.managedMemoryUsed, 'state backends and batch operators'],
      ['Network', 'network', budget.networkMemory, metrics.nettyShuffleMemoryUsed, 'buffers between TaskManagers'],
      [
        'Off-heap',
        'offheap',
        budget.frameworkOffHeap + budget.taskOffHeap,
        metrics.directUsed,
        `framework ${bytes(budget.frameworkOffHeap)}, tasks ${bytes(budget.taskOffHeap)}`,
      ],
      ['Metaspace', 'metaspace', budget.jvmMetaspace, undefined, 'classes'],
      ['JVM overhead', 'overhead', budget.jvmOverhead, undefined, 'threads, code cache, garbage collector'],
    ];
    const collected = metrics.garbageCollectors.find(collector => collector.name === 'All');
    return html`<h2>${bytes(total)} for the process</h2>
      ${map(rows, total)}
      <div class="wide"><table>
        <thead><tr><th scope="col">Part</th><th scope="col">Budget</th><th scope="col">Used</th><th scope="col"></th><th scope="col">For</th></tr></thead>
        <tbody>${rows.map(
          ([name, kind, size, used, purpose]) => html`<tr>
            <th scope="row"><span class="swatch ${kind}"></span> ${name}</th>
            <td>${bytes(size)}</td>
            <td>${used === undefined ? '–' : bytes(used)}</td>
            <td class="tasks">${used === undefined || size === 0 ? nothing : html`${bar([[used / size, kind]], percent(used / size))} <small>${percent(used / size)}</small>`}</td>
            <td>${purpose}</td>
          </tr>`,
        )}</tbody>
      </table></div>
      ${collected ? facts([['Garbage collections', collected.count], ['Time in them', duration(collected.time)]]) : nothing}
      <p class="hint"><code>millrace memory</code> computes these figures for other options.</p>`;
  }

  slots(worker) {
    const used = worker.allocatedSlots ?? [];
    return html`<h2>${used.length} of ${worker.slotsNumber} slots in use</h2>
      <div class="slots">${used.map(
        slot => html`<a class="slot used" href="#/jobs/${slot.jobId}" title="Job ${slot.jobId}">
          <b>${slot.jobId.slice(0, 8)}</b><span>${slot.assignedTasks ?? ''} tasks</span>
          <small>${slot.resource.cpuCores} cores · heap ${slot.resource.taskHeapMemory} MB · managed ${slot.resource.managedMemory} MB</small></a>`,
      )}
      ${Array.from({length: worker.freeSlots}, () => html`<span class="slot">free</span>`)}</div>
      ${worker.slotsNumber === 0 ? empty('This TaskManager carves slots out of its resources on demand.') : nothing}`;
  }
}

/** The parts of the process memory in proportion, each filled as far as it is used. */
function map(rows, total) {
  let x = 0;
  const parts = rows
    .filter(([, , size]) => size > 0)
    .map(([name, kind, size, used]) => {
      const width = (MAP.width * size) / total;
      const share = Math.min(1, (used ?? 0) / size);
      const part = svg`<g transform="translate(${x},0)"><title>${name}: ${bytes(size)}${used === undefined ? '' : `, ${bytes(used)} used`}</title>
        <rect class="${kind} budget" width=${Math.max(1, width - 2)} height=${MAP.height}></rect>
        <rect class=${kind} y=${MAP.height * (1 - share)} width=${Math.max(1, width - 2)} height=${MAP.height * share}></rect>
        ${width > 8 * name.length ? svg`<text x="6" y="16">${name}</text>` : nothing}</g>`;
      x += width;
      return part;
    });
  return html`<div class="wide"><svg class="memory" viewBox="0 0 ${MAP.width} ${MAP.height}" role="img"
    aria-label="Parts of the process memory, filled as far as they are used">${parts}</svg></div>`;
}

customElements.define('task-manager-page', TaskManagerPage);
