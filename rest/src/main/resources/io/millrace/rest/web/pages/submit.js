// Upload a program and run it.
import {html, nothing} from 'lit';
import {Part, empty, problem} from '../parts/elements.js';
import {Live, request, send} from '../live.js';
import {time} from '../format.js';

class SubmitPage extends Part {
  static properties = {uploading: {state: true}, error: {state: true}, jar: {state: true}, running: {state: true}};

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
      this.jar = filename.split('/').pop();
    } catch (e) {
      this.error = e.message;
    }
    this.uploading = '';
  }

  async run(event) {
    event.preventDefault();
    const form = new FormData(event.target);
    const text = name => form.get(name).trim() || undefined;
    this.running = true;
    this.error = '';
    try {
      const {jobid} = await send('POST', `/jars/${encodeURIComponent(this.jar)}/run`, {
        entryClass: text('entryClass'),
        programArgsList: text('arguments')?.split(/\s+/),
        parallelism: text('parallelism') ? Number(text('parallelism')) : undefined,
        savepointPath: text('savepointPath'),
        allowNonRestoredState: form.get('allowNonRestoredState') === 'on' || undefined,
      });
      location.hash = `#/jobs/${jobid}`;
    } catch (e) {
      this.error = e.message;
    }
    this.running = false;
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
      ${problem(this.error ?? this.live.error('jars'))}
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
                    <td><button @click=${() => (this.jar = jar.id)}>Run …</button> <button @click=${() => this.deleteJar(jar.id)}>Delete</button></td></tr>`,
                )}</tbody></table></div>`}
      </section>
      ${this.jar && jars?.some(jar => jar.id === this.jar) ? this.form(jars.find(jar => jar.id === this.jar)) : nothing}`;
  }

  form(jar) {
    return html`<section class="card"><h2>Run ${jar.name}</h2>
      <form @submit=${this.run}>
        <label>Main class <input name="entryClass" placeholder=${jar.entry[0]?.name ?? 'required: the manifest has none'}></label>
        <label>Arguments <input name="arguments" placeholder="--input /data --output /out"></label>
        <label>Parallelism <input name="parallelism" type="number" min="1" placeholder="default"></label>
        <label>Savepoint <input name="savepointPath" placeholder="path to start from"></label>
        <label class="check"><input name="allowNonRestoredState" type="checkbox"> drop state that no operator claims</label>
        <button type="submit" ?disabled=${this.running}>${this.running ? 'Starting …' : 'Run'}</button>
      </form></section>`;
  }
}

customElements.define('submit-page', SubmitPage);
