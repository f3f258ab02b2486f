// The log files of a process: a list, and one of them with its end or an earlier part.
import {html, nothing} from 'lit';
import {Part, empty, problem} from './elements.js';
import {Live, RequestError, url} from '../live.js';
import {bytes, time} from '../format.js';

/** What is read at a time. */
const CHUNK = 256 * 1024;
/** A browser is slow with more text. */
const MAX_SHOWN = 4 * 1024 * 1024;
const LEVELS = [
  ['bad', /\b(ERROR|FATAL)\b|"level":\s*"ERROR"/],
  ['warn', /\bWARN(ING)?\b|"level":\s*"WARN"/],
];

/**
 * @attr base the REST path of the process
 * @attr owner the name of the process
 * @attr link the path of this part in the page
 */
class ProcessLogs extends Part {
  static properties = {
    base: {},
    owner: {},
    link: {},
    file: {},
    text: {state: true},
    error: {state: true},
    follow: {state: true},
    filter: {state: true},
  };

  constructor() {
    super();
    this.live = new Live(this);
    this.follow = true;
    this.filter = '';
    this.forget();
  }

  /** The shown bytes are those from start to end of the file. */
  forget() {
    this.start = 0;
    this.end = 0;
    this.text = '';
    this.read = undefined;
  }

  willUpdate(changed) {
    if (changed.has('base') || changed.has('file')) this.forget();
    // The sizes come as events: the content is read when one of them changes.
    this.live.watch({files: `${this.base}/logs`});
    const size = this.shownFile()?.size;
    if (size !== undefined && (this.read === undefined || (this.follow && size !== this.read))) {
      this.read = size;
      this.readEnd(size);
    }
  }

  files() {
    return this.live.get('files')?.logs;
  }

  shownFile() {
    const files = this.files() ?? [];
    if (this.file) return files.find(file => file.name === this.file);
    // Processes of one machine may share a directory.
    const logs = files.filter(file => file.name.endsWith('.log'));
    const own = logs.filter(file => file.name.includes(this.owner));
    return [own, logs, files].find(some => some.length > 0)?.reduce((newest, file) => (newest?.mtime >= file.mtime ? newest : file), undefined);
  }

  path(file) {
    return `${this.base}/logs/${encodeURIComponent(file.name)}`;
  }

  async readEnd(size) {
    // A file that is shorter than before was replaced.
    const isNew = size < this.end || this.end === 0 || size - this.end > CHUNK;
    const from = isNew ? Math.max(0, size - CHUNK) : this.end;
    if (from >= size) return;
    await this.readRange(from, size - 1, (text, end) => {
      if (isNew) {
        this.start = from;
        this.text = text;
      } else if (from === this.end) {
        this.text = (this.text + text).slice(-MAX_SHOWN);
        this.start = Math.max(this.start, end - MAX_SHOWN);
      } else {
        return;
      }
      this.end = end;
    });
  }

  async readEarlier() {
    const {start} = this;
    const from = Math.max(0, start - CHUNK);
    this.follow = false;
    await this.readRange(from, start - 1, text => {
      this.text = text + this.text;
      this.start = from;
    });
  }

  async readRange(from, to, then) {
    const file = this.shownFile();
    try {
      const response = await fetch(url(this.path(file)), {headers: {Range: `bytes=${from}-${to}`}});
      if (response.status === 416) return;
      if (!response.ok) {
        throw new RequestError(response.status, (await response.json()).errors?.[0] ?? `The server answered ${response.status}.`);
      }
      const content = await response.arrayBuffer();
      if (file.name === this.shownFile()?.name) {
        then(new TextDecoder().decode(content), from + content.byteLength);
        this.error = '';
      }
    } catch (e) {
      this.error = e.message;
    }
  }

  render() {
    const files = this.files();
    const shown = this.shownFile();
    return html`${problem(this.error || this.live.error('files'))}
      ${files?.length === 0 ? empty('The process has no log files.') : nothing}
      ${files?.length > 0
        ? html`<div class="wide"><table><thead><tr><th scope="col">File</th><th scope="col">Size</th><th scope="col">Changed</th></tr></thead>
            <tbody>${files.map(
              file => html`<tr><td><a href="${this.link}/${encodeURIComponent(file.name)}" aria-current=${file === shown ? 'true' : 'false'}>${file.name}</a></td>
                <td>${bytes(file.size)}</td><td>${time(file.mtime)}</td></tr>`,
            )}</tbody></table></div>`
        : nothing}
      ${shown ? this.content(shown) : this.file && files ? problem(`There is no file '${this.file}'.`) : nothing}`;
  }

  content(file) {
    const lines = this.text.split('\n');
    const wanted = this.filter.toLowerCase();
    const found = wanted ? lines.filter(line => line.toLowerCase().includes(wanted)) : lines;
    return html`<p class="controls"><b>${file.name}</b>
        <label class="inline"><input type="checkbox" .checked=${this.follow} @change=${e => (this.follow = e.target.checked)}> follow</label>
        <input type="search" placeholder="Only lines with …" aria-label="Filter lines" @input=${e => (this.filter = e.target.value)}>
        ${this.start > 0 ? html`<button @click=${this.readEarlier}>Earlier</button>` : nothing}
        <a href=${url(this.path(file))} download=${file.name}>Download</a>
        <small>bytes ${this.start} to ${this.end}${wanted ? `, ${found.length} of ${lines.length} lines` : ''}</small></p>
      <pre class="log" tabindex="0">${paragraphs(found)}</pre>`;
  }

  updated(changed) {
    if ((changed.has('text') || changed.has('follow')) && this.follow) {
      const log = this.querySelector('pre.log');
      if (log) log.scrollTop = log.scrollHeight;
    }
  }
}

/** Lines with a level stand out; those between them are one text. */
function paragraphs(lines) {
  const parts = [];
  let plain = [];
  const flush = () => {
    if (plain.length > 0) parts.push(`${plain.join('\n')}\n`);
    plain = [];
  };
  for (const line of lines) {
    const level = LEVELS.find(([, pattern]) => pattern.test(line.slice(0, 200)));
    if (level) {
      flush();
      parts.push(html`<span class=${level[0]}>${line}\n</span>`);
    } else {
      plain.push(line);
    }
  }
  flush();
  return parts;
}

customElements.define('process-logs', ProcessLogs);
