package io.millrace.bench.load.nexmark;

import java.io.Serializable;

/**
 * A stream of the generator. The same settings give the same events, whatever the number of
 * instances.
 *
 * @param seed of all random choices
 * @param microsPerEvent event time from one event of the stream to the next
 * @param events length of the stream over all instances; {@link Long#MAX_VALUE} without end
 */
public record NexmarkSettings(long seed, long microsPerEvent, long events) implements Serializable {
  public NexmarkSettings {
    if (microsPerEvent < 1 || events < 0) {
      throw new IllegalArgumentException(
          "Event time advances by 1 µs or more, not "
              + microsPerEvent
              + ", and a stream has 0 events or more, not "
              + events);
    }
  }

  /** 100,000 events per second of event time: a window of 10 s has a million. */
  public static NexmarkSettings unbounded() {
    return bounded(Long.MAX_VALUE);
  }

  /** The beginning of {@link #unbounded}. */
  public static NexmarkSettings bounded(long events) {
    return new NexmarkSettings(1, 10, events);
  }

  public boolean isBounded() {
    return events != Long.MAX_VALUE;
  }
}
