// The frame of the page: navigation, theme, keyboard, and which page is shown.
import {html, nothing} from 'lit';
import {Part, problem} from './parts/elements.js';
import {hub, request} from './live.js';
import './pages/overview.js';
import './pages/job.js';
import './pages/taskmanagers.js';
import './pages/taskmanager.js';
import './pages/jobmanager.js';
import './pages/submit.js';

const PAGES = [
  {match: /^$/, name: 'overview', show: (groups, app) => html`<overview-page .history=${app.isHistory}></overview-page>`},
  {
    match: /^jobs\/([0-9a-f]{32})(?:\/([a-z]+)(?:\/(.+))?)?$/,
    name: 'overview',
    show: ([job, tab, item], app) =>
      html`<job-page .job=${job} .tab=${tab ?? 'graph'} .item=${item ?? ''} .history=${app.isHistory}></job-page>`,
  },
  {match: /^taskmanagers$/, name: 'taskmanagers', show: () => html`<task-managers-page></task-managers-page>`},
  {
    match: /^taskmanagers\/([^/]+)(?:\/([a-z]+)(?:\/(.+))?)?$/,
    name: 'taskmanagers',
    show: ([id, tab, item]) =>
      html`<task-manager-page .worker=${decodeURIComponent(id)} .tab=${tab ?? 'memory'} .item=${item ?? ''}></task-manager-page>`,
  },
  {
    match: /^jobmanager(?:\/([a-z]+)(?:\/(.+))?)?$/,
    name: 'jobmanager',
    show: ([tab, item]) => html`<job-manager-page .tab=${tab ?? 'configuration'} .item=${item ?? ''}></job-manager-page>`,
  },
  {match: /^submit(?:\?(.*))?$/, name: 'submit', show: ([query]) => html`<submit-page .query=${query ?? ''}></submit-page>`},
];

const KEYS = [
  ['g o', 'overview', '#/'],
  ['g t', 'TaskManagers', '#/taskmanagers'],
  ['g j', 'JobManager', '#/jobmanager'],
  ['g s', 'submit a program', '#/submit'],
];

const CONNECTION = {
  connecting: ['wait', 'connecting'],
  live: ['good', 'live'],
  polling: ['wait', 'every 3 s'],
  lost: ['bad', 'no connection'],
  refused: ['bad', 'no access'],
};

class MillraceApp extends Part {
  static properties = {
    path: {state: true},
    connection: {state: true},
    config: {state: true},
    failure: {state: true},
    help: {state: true},
  };

  constructor() {
    super();
    this.path = this.currentPath();
    this.connection = hub.state;
    this.theme = localStorage.getItem('millrace-theme') ?? '';
    this.applyTheme();
  }

  get isHistory() {
    return this.config?.features['web-history'] ?? false;
  }

  connectedCallback() {
    super.connectedCallback();
    hub.stateListeners.add(state => (this.connection = state));
    window.addEventListener('hashchange', () => {
      this.path = this.currentPath();
      document.title = 'Millrace';
      window.scrollTo(0, 0);
    });
    window.addEventListener('keydown', event => this.onKey(event));
    request('/config')
      .then(config => (this.config = config))
      .catch(e => (this.failure = e.message));
  }

  currentPath() {
    return location.hash.replace(/^#\/?/, '');
  }

  applyTheme() {
    document.documentElement.dataset.theme = this.theme;
  }

  switchTheme() {
    const dark = this.theme ? this.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    this.theme = dark ? 'light' : 'dark';
    localStorage.setItem('millrace-theme', this.theme);
    this.applyTheme();
    window.dispatchEvent(new Event('themechange'));
  }

  onKey(event) {
    if (event.target.closest('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '?') this.help = !this.help;
    if (event.key === 'Escape') this.help = false;
    if (event.key === 'd') this.switchTheme();
    if (/^[1-9]$/.test(event.key)) this.querySelectorAll('.tabs a')[event.key - 1]?.click();
    const both = `${this.lastKey ?? ''} ${event.key}`;
    const found = KEYS.find(([keys]) => keys === both);
    if (found) location.hash = found[2];
    this.lastKey = event.key;
  }

  render() {
    const [page, groups] = this.page();
    const [kind, text] = CONNECTION[this.connection];
    const link = (name, href, label) =>
      html`<a href=${href} aria-current=${page?.name === name ? 'page' : 'false'}>${label}</a>`;
    return html`
      <a class="skip" href="#/" @click=${this.skip}>Skip to the content</a>
      <header>
        <a class="brand" href="#/"><img src="web/icon.svg" alt="" width="26" height="26"> Millrace</a>
        <nav aria-label="Pages">
          ${link('overview', '#/', 'Jobs')}
          ${this.isHistory
            ? nothing
            : html`${link('taskmanagers', '#/taskmanagers', 'TaskManagers')} ${link('jobmanager', '#/jobmanager', 'JobManager')}
                ${this.config?.features['web-submit'] ? link('submit', '#/submit', 'Submit') : nothing}`}
        </nav>
        <span class="space"></span>
        ${this.isHistory ? html`<span class="badge off">history</span>` : nothing}
        <span class="connection" role="status"><span class="dot ${kind}"></span> ${text}</span>
        <button class="plain" title="Light or dark (d)" aria-label="Switch between light and dark" @click=${this.switchTheme}>◐</button>
        <button class="plain" title="Keys (?)" aria-label="Show the keys" @click=${() => (this.help = !this.help)}>?</button>
      </header>
      ${this.help ? this.keys() : nothing}
      <main tabindex="-1">
        ${problem(this.failure)}
        ${this.connection === 'refused'
          ? problem('The access of this browser has ended. Run ./millrace web and open the link that it prints.')
          : nothing}
        ${page && this.config ? page.show(groups, this) : nothing}
        ${page ? nothing : problem(`There is no page '${this.path}'.`)}
      </main>
      <footer>Millrace ${this.config?.['flink-version'] ?? ''}</footer>`;
  }

  skip(event) {
    event.preventDefault();
    this.querySelector('main').focus();
  }

  page() {
    for (const page of PAGES) {
      const found = page.match.exec(this.path);
      if (found) return [page, found.slice(1)];
    }
    return [undefined, []];
  }

  keys() {
    return html`<section class="card keys" role="dialog" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        ${KEYS.map(([keys, what]) => html`<div><dt>${keys.split(' ').map(key => html`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd></div>`)}
        <div><dt><kbd>d</kbd></dt><dd>light or dark</dd></div>
        <div><dt><kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd></dt><dd>along the edges of the graph, which has the focus</dd></div>
        <div><dt><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></dt><dd>closer, farther, whole graph</dd></div>
        <div><dt><kbd>1</kbd> … <kbd>9</kbd></dt><dd>parts of a page</dd></div>
        <div><dt><kbd>?</kbd></dt><dd>this list</dd></div>
      </dl>
    </section>`;
  }
}

customElements.define('millrace-app', MillraceApp);
