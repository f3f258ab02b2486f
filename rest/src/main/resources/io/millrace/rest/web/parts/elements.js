// Small pieces that all pages use.
import {LitElement, html, svg, nothing} from 'lit';

/** A component without a shadow tree: one style sheet serves the whole page, as its security policy demands. */
export class Part extends LitElement {
  createRenderRoot() {
    return this;
  }
}

const STATE_CLASS = {
  RUNNING: 'good',
  FINISHED: 'done',
  COMPLETED: 'done',
  FAILED: 'bad',
  FAILING: 'bad',
  CANCELED: 'off',
  CANCELLING: 'warn',
  CANCELING: 'warn',
  RESTARTING: 'warn',
  SUSPENDED: 'warn',
};

/** A job that has the state RUNNING while it waits for slots is not running for people. */
export const jobBadge = job => badge(job['waiting-for'] && ['CREATED', 'RUNNING'].includes(job.state) ? 'WAITING' : job.state);

export const badge = state => html`<span class="badge ${STATE_CLASS[state] ?? 'wait'}">${state}</span>`;

/** A bar of parts of a whole. @param parts [share, class] */
export function bar(parts, title) {
  let x = 0;
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label=${title}>
    <title>${title}</title>
    <rect class="rest" width="100" height="8"></rect>
    ${parts.map(([share, kind]) => {
      const width = Math.max(0, Math.min(100 - x, 100 * share));
      const rect = svg`<rect class=${kind} x=${x} width=${width} height="8"></rect>`;
      x += width;
      return rect;
    })}
  </svg>`;
}

export function taskBar(tasks) {
  const total = Math.max(1, tasks.total ?? Object.values(tasks).reduce((sum, n) => sum + n, 0));
  const share = (...states) =>
    states.reduce((sum, state) => sum + (tasks[state] ?? tasks[state.toUpperCase()] ?? 0), 0) / total;
  const parts = [
    [share('finished'), 'done'],
    [share('running'), 'good'],
    [share('created', 'scheduled', 'deploying', 'initializing', 'reconciling'), 'wait'],
    [share('canceling', 'canceled'), 'off'],
    [share('failed'), 'bad'],
  ];
  const title = Object.entries(tasks)
    .filter(([state, n]) => n > 0 && state !== 'total')
    .map(([state, n]) => `${n} ${state.toLowerCase()}`)
    .join(', ');
  return bar(parts, title || 'no tasks');
}

export const problem = text => (text ? html`<p class="problem" role="alert">${text}</p>` : nothing);

export const empty = text => html`<p class="empty">${text}</p>`;

export const facts = rows =>
  html`<dl class="facts">${rows.filter(Boolean).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

export const tabs = (current, base, names) =>
  html`<nav class="tabs" aria-label="Parts of this page">${names.map(
    ([id, label]) => html`<a href="${base}/${id}" aria-current=${id === current ? 'page' : 'false'}>${label}</a>`,
  )}</nav>`;

/** A table of which only the visible rows are in the document: it has no limit. */
export class LongTable extends Part {
  static properties = {rows: {attribute: false}, columns: {attribute: false}, top: {state: true}};
  static ROW = 30;
  static SHOWN = 40;

  constructor() {
    super();
    this.rows = [];
    this.columns = [];
    this.top = 0;
  }

  sorted() {
    if (this.order === undefined) return this.rows;
    const {value} = this.columns[this.order];
    const sign = this.descending ? -1 : 1;
    return [...this.rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
  }

  sortBy(index) {
    this.descending = this.order === index && !this.descending;
    this.order = index;
    this.requestUpdate();
  }

  render() {
    const rows = this.sorted();
    const first = Math.max(0, Math.min(Math.floor(this.top / LongTable.ROW) - 5, rows.length - LongTable.SHOWN));
    const shown = rows.slice(first, first + LongTable.SHOWN);
    const pad = n => svg`<svg class="pad" width="1" height=${Math.max(0, n) * LongTable.ROW}></svg>`;
    return html`<div class="scroll" tabindex="0" @scroll=${e => (this.top = e.target.scrollTop)}>
      <table>
        <thead><tr>${this.columns.map(
          (column, i) =>
            html`<th scope="col" aria-sort=${this.order === i ? (this.descending ? 'descending' : 'ascending') : 'none'}>
              <button class="plain" @click=${() => this.sortBy(i)}>${column.title}</button></th>`,
        )}</tr></thead>
        <tbody>
          ${first > 0 ? html`<tr><td class="padding" colspan=${this.columns.length}>${html`${pad(first)}`}</td></tr>` : nothing}
          ${shown.map(row => html`<tr>${this.columns.map(column => html`<td>${column.show(row)}</td>`)}</tr>`)}
          ${first + shown.length < rows.length
            ? html`<tr><td class="padding" colspan=${this.columns.length}>${html`${pad(rows.length - first - shown.length)}`}</td></tr>`
            : nothing}
        </tbody>
      </table>
    </div>`;
  }
}

customElements.define('long-table', LongTable);

/** Names with their values, to search in. */
export class KeyValues extends Part {
  static properties = {rows: {attribute: false}, filter: {state: true}};

  constructor() {
    super();
    this.filter = '';
  }

  render() {
    const text = this.filter.toLowerCase();
    const shown = this.rows.filter(row => row.some(cell => String(cell).toLowerCase().includes(text)));
    return html`${this.rows.length > 10
        ? html`<p class="controls"><input type="search" placeholder="Filter" aria-label="Filter" @input=${e => (this.filter = e.target.value)}>
            <small>${shown.length} of ${this.rows.length}</small></p>`
        : nothing}
      <div class="wide"><table><tbody>${shown.map(
        ([name, value]) => html`<tr><th scope="row">${name}</th><td><code>${value}</code></td></tr>`,
      )}</tbody></table></div>`;
  }
}

customElements.define('key-values', KeyValues);

/** A button that asks before it acts, and shows what came of it. */
export class ActionButton extends Part {
  static properties = {
    label: {},
    question: {},
    /** What the action needs to know: {label, value, min}, a number. */
    field: {attribute: false},
    action: {attribute: false},
    asking: {state: true},
    result: {state: true},
    failed: {state: true},
  };

  async act(event) {
    event.preventDefault();
    const value = this.field ? Number(this.querySelector('input').value) : undefined;
    this.asking = false;
    this.failed = false;
    this.result = 'Requested …';
    try {
      this.result = (await this.action(value)) ?? 'Done.';
    } catch (e) {
      this.failed = true;
      this.result = e.message;
    }
  }

  ask() {
    this.asking = true;
    this.updateComplete.then(() => this.querySelector('.ask input, .ask button')?.focus());
  }

  render() {
    return html`${this.asking
      ? html`<form class="ask" @submit=${this.act} @keydown=${event => event.key === 'Escape' && (this.asking = false)}>${this.question}
          ${this.field
            ? html`<label>${this.field.label} <input type="number" required min=${this.field.min} value=${this.field.value}></label>`
            : nothing}
          <button class="danger" type="submit">Yes</button>
          <button type="button" @click=${() => (this.asking = false)}>No</button></form>`
      : html`<button @click=${this.ask}>${this.label}</button>`}
    ${this.result ? html`<span class=${this.failed ? 'problem' : 'outcome'} role="status">${this.result}</span>` : nothing}`;
  }
}

customElements.define('action-button', ActionButton);
