package io.millrace.bench.load;

/**
 * The record of all keyed works. Public fields and a no-argument constructor make it a POJO for
 * Flink.
 */
public class Event {
  public long key;
  public long timestamp;
  public long value;

  public Event() {}

  public Event(long key, long timestamp, long value) {
    this.key = key;
    this.timestamp = timestamp;
    this.value = value;
  }
}
