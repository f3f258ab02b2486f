// Upload a program and run it.
import {html, nothing} from 'lit';
import {Part, empty, problem} from '../parts/elements.js';
import '../parts/graph.js';
import {Live, request, send} from '../live.js';
import {time} from '../format.js';

class SubmitPage extends Part {
  static properties = {
    query: {},
    uploading: {state: true},
    error: {state: true},
    jar: {state: true},
    plan: {state: true},
    planning: {state: true},
    running: {state: true},
  };

  constructor() {
    super();
    this.live = new Live(this);
  }

  async upload(file) {
    if (!file) return;
    const form = new FormData();
    form.append('jarfile', file);
    this.uploading = file.name;
    this.error = '';
    try {
      const {filename} = await request('/jars/upload', {method: 'POST', body: form});
      this.choose(filename.split('/').pop());
    } catch (e) {
      this.error = e.message;
    }
    this.uploading = '';
  }

  /** What the form says about the program. */
  program() {
    const form = new FormData(this.querySelector('form.run'));
    const text = name => form.get(name).trim() || undefined;
    return {
      entryClass: text('entryClass'),
      programArgsList: text('arguments') && words(text('arguments')),
      parallelism: text('parallelism') ? Number(text('parallelism')) : undefined,
      savepointPath: text('savepointPath'),
      allowNonRestoredState: form.get('allowNonRestoredState') === 'on' || undefined,
    };
  }

  async run(event) {
    event.preventDefault();
    this.running = true;
    this.error = '';
    try {
      const {jobid} = await send('POST', `/jars/${encodeURIComponent(this.jar)}/run`, this.program());
      location.hash = `#/jobs/${jobid}`;
    } catch (e) {
      this.error = e.message;
    }
    this.running = false;
  }

  /** What the program would run, without running it. */
  async preview() {
    const {entryClass, programArgsList, parallelism} = this.program();
    this.planning = true;
    this.error = '';
    try {
      const {plan} = await send('POST', `/jars/${encodeURIComponent(this.jar)}/plan`, {entryClass, programArgsList, parallelism});
      this.plan = plan;
    } catch (e) {
      this.plan = undefined;
      this.error = e.message;
    }
    this.planning = false;
  }

  choose(jar) {
    this.jar = jar;
    this.plan = undefined;
  }

  async deleteJar(id) {
    try {
      await send('DELETE', `/jars/${encodeURIComponent(id)}`);
    } catch (e) {
      this.error = e.message;
    }
  }

  render() {
    this.live.watch({jars: '/jars'});
    const jars = this.live.get('jars')?.files;
    return html`<h1>Submit a program</h1>
      ${this.continuation()}
      ${problem(this.error || this.live.error('jars'))}
      <section class="card">
        <label class="upload">Upload a jar <input type="file" accept=".jar" @change=${e => this.upload(e.target.files[0])}></label>
        ${this.uploading ? html`<p role="status">Uploading ${this.uploading} …</p>` : nothing}
        ${!jars
          ? nothing
          : jars.length === 0
            ? empty('No jar is uploaded.')
            : html`<div class="wide"><table><thead><tr><th scope="col">Jar</th><th scope="col">Main class</th><th scope="col">Uploaded</th><th scope="col"></th></tr></thead>
                <tbody>${jars.map(
                  jar => html`<tr><td>${jar.name}</td><td>${jar.entry.map(entry => html`<code>${entry.name}</code> `)}</td><td>${time(jar.uploaded)}</td>
                    <td><button @click=${() => this.choose(jar.id)}>Run …</button> <button @click=${() => this.deleteJar(jar.id)}>Delete</button></td></tr>`,
                )}</tbody></table></div>`}
      </section>
      ${this.jar && jars?.some(jar => jar.id === this.jar) ? this.form(jars.find(jar => jar.id === this.jar)) : nothing}`;
  }

  /** After a job was stopped to be started with another parallelism. */
  continuation() {
    const {savepoint, parallelism, job} = this.start();
    if (!savepoint) return nothing;
    return html`<section class="card"><h2>Start ${job} again</h2>
      <p>The job is stopped. Choose its jar below, or start it from the savepoint in a terminal:</p>
      <pre><code>./millrace run -m ${location.host} -d -s ${savepoint} -p ${parallelism} program.jar</code></pre></section>`;
  }

  start() {
    return Object.fromEntries(new URLSearchParams(this.query));
  }

  form(jar) {
    const {savepoint, parallelism} = this.start();
    return html`<section class="card"><h2>Run ${jar.name}</h2>
      <form class="run" @submit=${this.run}>
        <label>Main class <input name="entryClass" placeholder=${jar.entry[0]?.name ?? 'required: the manifest has none'}></label>
        <label>Arguments <input name="arguments" placeholder="--input /data --output /out"></label>
        <label>Parallelism <input name="parallelism" type="number" min="1" placeholder="default" value=${parallelism ?? ''}></label>
        <label>Savepoint <input name="savepointPath" placeholder="path to start from" value=${savepoint ?? ''}></label>
        <label class="check"><input name="allowNonRestoredState" type="checkbox"> drop state that no operator claims</label>
        <button type="submit" ?disabled=${this.running}>${this.running ? 'Starting …' : 'Run'}</button>
        <button type="button" ?disabled=${this.planning} @click=${this.preview}>${this.planning ? 'Planning …' : 'Show the plan'}</button>
      </form></section>
      ${this.plan
        ? html`<section class="card"><h2>Plan of ${this.plan.name}</h2><job-graph .plan=${this.plan} .vertices=${[]}></job-graph></section>`
        : nothing}`;
  }
}

/** Arguments as a shell splits them: quotes keep blanks. */
function words(text) {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain);
}

customElements.define('submit-page', SubmitPage);
