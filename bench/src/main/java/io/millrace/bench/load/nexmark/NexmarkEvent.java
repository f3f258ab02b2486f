package io.millrace.bench.load.nexmark;

/**
 * A {@link Person}, an {@link Auction} or a {@link Bid}. Public fields and a no-argument
 * constructor make them POJOs for Flink.
 */
public class NexmarkEvent {
  /** Milliseconds since the epoch. */
  public long dateTime;

  public NexmarkEvent() {}
}
