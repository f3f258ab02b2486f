// Bars on a common time axis.
import {html, svg, nothing} from 'lit';
import {duration} from '../format.js';

const WIDTH = 1000;
const ROW = 22;
const LABEL = 290;

/** @param rows [{label, title, parts: [{from, to, kind, title}]}] with times in ms */
export function gantt(rows, label) {
  const times = rows.flatMap(row => row.parts.flatMap(part => [part.from, part.to]));
  if (times.length === 0) return nothing;
  const start = Math.min(...times);
  const span = Math.max(1, Math.max(...times) - start);
  const x = at => LABEL + ((WIDTH - LABEL - 70) * (at - start)) / span;
  const height = ROW * (rows.length + 1);
  return html`<div class="wide"><svg class="gantt" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label=${label}>
    ${[0, 0.25, 0.5, 0.75, 1].map(
      share => svg`<line x1=${x(start + share * span)} x2=${x(start + share * span)} y1="0" y2=${height - ROW}></line>
        <text class="tick" x=${x(start + share * span)} y=${height - 6}>${duration(share * span)}</text>`,
    )}
    ${rows.map((row, i) => {
      const y = i * ROW;
      const last = Math.max(...row.parts.map(part => part.to));
      const total = row.parts.reduce((sum, part) => sum + part.to - part.from, 0);
      return svg`<g><title>${row.title ?? row.label}</title>
        <text x="0" y=${y + 15}>${row.label.length > 44 ? `${row.label.slice(0, 43)}…` : row.label}</text>
        ${row.parts.map(
          part => svg`<rect class=${part.kind} x=${x(part.from)} y=${y + 4} height=${ROW - 8} width=${Math.max(2, x(part.to) - x(part.from))} rx="2"><title>${part.title ?? ''}</title></rect>`,
        )}
        <text class="value" x=${x(last) + 6} y=${y + 15}>${duration(total)}</text></g>`;
    })}
  </svg></div>`;
}
