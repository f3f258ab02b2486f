package io.millrace.bench.load;

import java.nio.ByteBuffer;

/**
 * The records of one partition of the input of W13: a key, an event time and a body, 100 bytes
 * together. The event time of a partition advances by a second every 50,000 records.
 */
public final class TopicRecords {
  public static final int PARTITIONS = 4;
  public static final int KEYS = 10_000;

  /** The length of the windows in milliseconds. */
  public static final int WINDOW_MS = 1000;

  private static final int PER_MS = 50;
  private static final int BODY_AT = 2 * Long.BYTES;

  private static final byte[] NO_BODY = {};

  private final Gen gen;
  private final byte[][] bodies = Payload.bodies();

  public TopicRecords(int partition) {
    this.gen = new Gen(partition, KEYS);
  }

  /** Moves to the next record. */
  public void advance() {
    gen.advance();
  }

  public long key() {
    return gen.key();
  }

  /** In milliseconds. */
  public long timestamp() {
    return gen.position() / PER_MS;
  }

  /** The current record, as it is in the topic. */
  public byte[] bytes() {
    byte[] body = Payload.bodyOf(gen, bodies);
    return ByteBuffer.allocate(BODY_AT + body.length)
        .putLong(key())
        .putLong(timestamp())
        .put(body)
        .array();
  }

  /**
   * Fills a payload from a record of the topic; its value is the event time.
   *
   * @param whole whether it has the body, too
   */
  static void parse(byte[] record, Payload into, boolean whole) {
    ByteBuffer bytes = ByteBuffer.wrap(record);
    into.key = bytes.getLong();
    into.value = bytes.getLong();
    if (!whole) {
      into.body = NO_BODY;
      return;
    }
    int length = record.length - BODY_AT;
    if (into.body == null || into.body.length != length) {
      into.body = new byte[length];
    }
    System.arraycopy(record, BODY_AT, into.body, 0, length);
  }

  /** The value of a record of the output topic; its key is {@link #number}. */
  public static byte[] count(long start, long count) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(start).putLong(count).array();
  }

  public static byte[] number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }
}
