package io.millrace.bench.load;

/**
 * The record every keyed workload moves: public fields and a no-argument constructor, so Flink sees
 * a POJO.
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
