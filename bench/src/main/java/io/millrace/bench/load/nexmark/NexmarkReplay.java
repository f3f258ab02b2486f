package io.millrace.bench.load.nexmark;

/**
 * The first events of a stream, again and again without end. Generating an event takes longer than
 * a simple query on it, so queries that do not look at event time are measured with events that are
 * in memory already: the figures then are those of the engines.
 */
public final class NexmarkReplay {
  /** So few that they stay in the caches of a processor. */
  static final int EVENTS = 100 * NexmarkGenerator.GROUP;

  private final NexmarkEvent[] events = new NexmarkEvent[EVENTS];
  private int next;
  private long position;

  public NexmarkReplay(NexmarkSettings settings, int instance, int instances) {
    NexmarkGenerator generator = new NexmarkGenerator(settings, instance, instances);
    for (int i = 0; i < EVENTS; i++) {
      events[i] = generator.next();
    }
  }

  /** The number of events so far. */
  public long position() {
    return position;
  }

  /** An event that must not be changed. */
  public NexmarkEvent next() {
    NexmarkEvent event = events[next];
    position++;
    next = next + 1 == EVENTS ? 0 : next + 1;
    return event;
  }
}
