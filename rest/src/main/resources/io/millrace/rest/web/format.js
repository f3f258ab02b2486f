// Numbers, sizes and times as people read them.

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytes(value) {
  if (value == null || value < 0) return '–';
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

export function count(value) {
  if (value == null) return '–';
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${(value / 1e3).toFixed(1)} k`;
  return value % 1 === 0 ? String(value) : value.toFixed(value < 10 ? 1 : 0);
}

export const rate = value => (value == null ? '–' : `${count(value)}/s`);

export const percent = share => `${Math.round(100 * share)} %`;

export function duration(millis) {
  if (millis == null || millis < 0) return '–';
  if (millis < 1000) return `${Math.round(millis)} ms`;
  const seconds = Math.floor(millis / 1000);
  if (seconds < 60) return `${(millis / 1000).toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function time(millis) {
  if (millis == null || millis <= 0) return '–';
  const date = new Date(millis);
  const sameDay = new Date().toDateString() === date.toDateString();
  return sameDay ? date.toLocaleTimeString() : date.toLocaleString();
}

export const shortId = id => (id.length > 12 ? id.slice(0, 8) : id);

export const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

const DAY = 86_400_000;

/** A watermark: how far it is behind the clock. Event time of replayed or generated records may be far from the clock. */
export function eventTime(millis, now) {
  const behind = now - millis;
  if (behind >= 0 && behind < DAY) return `${duration(behind)} behind`;
  const date = new Date(millis);
  if (Number.isNaN(date.getTime())) return millis > 0 ? 'end of input' : 'no watermark';
  return date.toISOString().slice(0, 19).replace('T', ' ');
}
