// Values of REST resources that stay current: one stream of server-sent events for all that the visible page shows.

const STREAM_PATIENCE = 6000;
const POLL_INTERVAL = 3000;
const RETRY_INTERVAL = 2000;

/** URLs are relative to the page, which a proxy may serve under another path. */
export const url = path => new URL(path.replace(/^\//, ''), document.baseURI.split('#')[0]).href;

export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(url(path), options);
  } catch (e) {
    throw new RequestError(0, 'The server does not answer.');
  }
  const text = await response.text();
  const isJson = (response.headers.get('Content-Type') ?? '').includes('json');
  const body = isJson && text ? JSON.parse(text) : text;
  if (!response.ok) {
    throw new RequestError(response.status, body?.errors?.[0] ?? `The server answered ${response.status}.`);
  }
  return body;
}

export const send = (method, path, json) =>
  request(path, {
    method,
    headers: json === undefined ? {} : {'Content-Type': 'application/json'},
    body: json === undefined ? undefined : JSON.stringify(json),
  });

class Hub {
  constructor() {
    this.listeners = new Map();
    this.values = new Map();
    this.state = 'connecting';
    this.stateListeners = new Set();
    document.addEventListener('visibilitychange', () => this.reopen());
  }

  add(resource, listener) {
    const known = this.listeners.get(resource);
    if (known) {
      known.add(listener);
      const value = this.values.get(resource);
      if (value) listener(value);
    } else {
      this.listeners.set(resource, new Set([listener]));
      this.reopen();
    }
  }

  remove(resource, listener) {
    const known = this.listeners.get(resource);
    known?.delete(listener);
    if (known?.size === 0) {
      this.listeners.delete(resource);
      this.values.delete(resource);
      this.reopen();
    }
  }

  /** Pages add and remove several resources at a time: one new stream serves all of them. */
  reopen() {
    if (!this.scheduled) {
      this.scheduled = true;
      queueMicrotask(() => {
        this.scheduled = false;
        this.open();
      });
    }
  }

  open() {
    this.source?.close();
    clearTimeout(this.patience);
    clearInterval(this.poller);
    const resources = [...this.listeners.keys()];
    // A browser has few connections per server: hidden tabs need none.
    if (document.hidden || resources.length === 0) return;
    const query = resources.map(resource => `resource=${encodeURIComponent(resource)}`).join('&');
    const source = new EventSource(url(`/events?${query}`));
    this.source = source;
    this.bodies = new Map();
    // After a loss of the connection the server sends everything again.
    source.onopen = () => this.bodies.clear();
    this.patience = setTimeout(() => this.poll(resources), STREAM_PATIENCE);
    source.onmessage = event => {
      clearTimeout(this.patience);
      this.show('live');
      const {resource, status, body, changes} = JSON.parse(event.data);
      this.bodies.set(resource, changes ? changed(this.bodies.get(resource), changes) : body);
      this.deliver(resource, status, this.bodies.get(resource));
    };
    source.onerror = () => {
      this.show('lost');
      // After a loss of the connection the browser tries again by itself, after an error status it does not.
      if (source.readyState === EventSource.CLOSED) this.retry(source);
    };
  }

  async retry(source) {
    clearTimeout(this.patience);
    try {
      await request('/config');
    } catch (e) {
      if (e.status === 401) {
        this.show('refused');
        return;
      }
    }
    setTimeout(() => this.source === source && this.open(), RETRY_INTERVAL);
  }

  /** Some proxies keep events back until the stream ends. */
  poll(resources) {
    this.source.close();
    const ask = () => {
      for (const resource of resources) {
        request(resource)
          .then(body => {
            this.show('polling');
            this.deliver(resource, 200, body);
          })
          .catch(e => {
            if (e.status === 0) this.show('lost');
            else this.deliver(resource, e.status, {errors: [e.message]});
          });
      }
    };
    ask();
    this.poller = setInterval(ask, POLL_INTERVAL);
  }

  deliver(resource, status, body) {
    const value = status < 300 ? {body} : {error: body?.errors?.[0] ?? `Status ${status}`, status};
    this.values.set(resource, value);
    this.listeners.get(resource)?.forEach(listener => listener(value));
  }

  show(state) {
    if (this.state !== state) {
      this.state = state;
      this.stateListeners.forEach(listener => listener(state));
    }
  }
}

/**
 * A value with the changes that the server sent: [new value], [] for a value that is gone, or the changes of members or
 * elements. What has not changed stays the same object, so that components can skip it.
 */
function changed(value, changes) {
  if (Array.isArray(changes)) return changes[0];
  const copy = Array.isArray(value) ? [...value] : {...value};
  for (const [name, change] of Object.entries(changes)) {
    if (Array.isArray(change) && change.length === 0) delete copy[name];
    else copy[name] = changed(copy[name], change);
  }
  return copy;
}

export const hub = new Hub();

/** The first value of a resource that is accepted. The server sends it: nothing asks repeatedly. */
export function until(resource, accept) {
  return new Promise((resolve, reject) => {
    const listener = value => {
      if (value.error) reject(new RequestError(value.status, value.error));
      else if (accept(value.body)) resolve(value.body);
      else return;
      // The hub may be calling its listeners.
      queueMicrotask(() => hub.remove(resource, listener));
    };
    hub.add(resource, listener);
  });
}

/** A controller of a component: its fields have the last values of the watched resources. */
export class Live {
  constructor(host) {
    this.host = host;
    this.watched = new Map();
    host.addController(this);
  }

  /** @param resources names and paths; a path that is empty is not watched */
  watch(resources) {
    for (const [name, entry] of this.watched) {
      if (resources[name] !== entry.resource) {
        hub.remove(entry.resource, entry.listener);
        this.watched.delete(name);
      }
    }
    for (const [name, resource] of Object.entries(resources)) {
      if (resource && !this.watched.has(name)) {
        const entry = {resource, value: {}};
        entry.listener = value => {
          // The last known state stays visible while the server cannot answer.
          entry.value = value.error && entry.value.body ? {...entry.value, error: value.error} : value;
          this.host.requestUpdate();
        };
        this.watched.set(name, entry);
        hub.add(resource, entry.listener);
      }
    }
  }

  get(name) {
    return this.watched.get(name)?.value.body;
  }

  error(name) {
    return this.watched.get(name)?.value.error;
  }

  hostDisconnected() {
    this.watch({});
  }
}
