package io.millrace.bench.load;

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicInteger;

/** Parses and counts the input of W13. Each instance of a source has a copy of its own. */
public final class TopicParser implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final AtomicInteger INSTANCES = new AtomicInteger();

  /** Whether the programs drop the bodies, which they do not need, as soon as they can. */
  private static final boolean PROJECTED = Boolean.getBoolean("kafka.projected");

  private final boolean reuse;
  private transient Payload only;
  private transient boolean numbered;
  private transient int instance;
  private transient long count;

  /**
   * @param reuse whether one object is filled again and again
   */
  public TopicParser(boolean reuse) {
    this.reuse = reuse;
  }

  public Payload parse(byte[] record) {
    if (!numbered) {
      numbered = true;
      instance = INSTANCES.getAndIncrement();
      only = new Payload();
    }
    Payload payload = reuse ? only : new Payload();
    TopicRecords.parse(record, payload, !PROJECTED);
    if ((++count & (RecordMeter.EVERY - 1)) == 0) {
      RecordMeter.in(instance, count);
    }
    return payload;
  }
}
