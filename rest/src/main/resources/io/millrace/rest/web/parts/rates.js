// The rate of a job over the time in which the page is open.
import {html} from 'lit';
import {Part} from './elements.js';
import {count} from '../format.js';

const KEPT = 300;

class RateChart extends Part {
  static properties = {job: {attribute: false}, flow: {attribute: false}};

  constructor() {
    super();
    this.points = [];
  }

  connectedCallback() {
    super.connectedCallback();
    this.onTheme = () => this.chart && this.draw();
    window.addEventListener('themechange', this.onTheme);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', this.onTheme);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    window.removeEventListener('themechange', this.onTheme);
    matchMedia('(prefers-color-scheme: dark)').removeEventListener('change', this.onTheme);
    this.chart?.destroy();
    this.chart = undefined;
  }

  render() {
    return html`<div class="chart"><canvas role="img" aria-label="Records per second into and out of the job"></canvas></div>`;
  }

  updated(changed) {
    if (this.jobId !== this.job.jid) {
      this.jobId = this.job.jid;
      this.points = [];
    }
    if (changed.has('job') && this.flow) {
      const hasInput = new Set(this.job.plan.nodes.filter(node => node.inputs?.length > 0).map(node => node.id));
      const feeds = new Set(this.job.plan.nodes.flatMap(node => (node.inputs ?? []).map(input => input.id)));
      const sum = (vertices, key) => vertices.reduce((total, vertex) => total + vertex[key], 0);
      this.points.push({
        at: this.job.now,
        sources: sum(this.flow.vertices.filter(vertex => !hasInput.has(vertex.id)), 'records-out-per-second'),
        sinks: sum(this.flow.vertices.filter(vertex => hasInput.has(vertex.id) && !feeds.has(vertex.id)), 'records-in-per-second'),
      });
      this.points.splice(0, this.points.length - KEPT);
      this.draw();
    }
  }

  draw() {
    const style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue(name).trim();
    const dataset = (label, key, name) => ({
      label,
      data: this.points.map(point => point[key]),
      borderColor: colour(name),
      backgroundColor: colour(name),
      borderWidth: 2,
      pointRadius: 0,
      tension: 0.2,
    });
    const data = {
      labels: this.points.map(point => new Date(point.at).toLocaleTimeString()),
      datasets: [dataset('out of the sources', 'sources', '--good'), dataset('into the sinks', 'sinks', '--accent')],
    };
    if (!this.chart) {
      this.chart = new window.Chart(this.querySelector('canvas'), {
        type: 'line',
        data,
        options: {
          animation: false,
          maintainAspectRatio: false,
          interaction: {mode: 'index', intersect: false},
          plugins: {legend: {labels: {boxWidth: 12, boxHeight: 2}}},
          scales: {x: {ticks: {maxTicksLimit: 6, maxRotation: 0}}, y: {beginAtZero: true, ticks: {callback: count}}},
        },
      });
    }
    this.chart.data = data;
    const {scales, plugins} = this.chart.options;
    for (const axis of [scales.x, scales.y]) {
      axis.ticks.color = colour('--dim');
      axis.grid.color = colour('--line');
    }
    plugins.legend.labels.color = colour('--text');
    this.chart.update('none');
  }
}

customElements.define('rate-chart', RateChart);
