package io.millrace.dataplane.store;

/**
 * A session of a key. The content of a session from a store is decoded only when it is asked for: a
 * key may have thousands of sessions, of which a record concerns one.
 */
public final class StoredSession {
  private final long start;
  private final long end;
  private final boolean fired;
  private final Content content;

  /** The content of a session. */
  private sealed interface Content {}

  private record Decoded(Object value) implements Content {}

  /** As it is in the store, in bytes that nobody changes. */
  private record Encoded(StoredValues by, byte[] bytes, int from, int to) implements Content {}

  /**
   * @param fired whether it was emitted
   */
  public StoredSession(long start, long end, boolean fired, Object content) {
    this(start, end, fired, new Decoded(content));
  }

  /** A session whose content is in bytes, of which nobody changes one. */
  StoredSession(
      long start, long end, boolean fired, StoredValues by, byte[] bytes, int from, int to) {
    this(start, end, fired, new Encoded(by, bytes, from, to));
  }

  private StoredSession(long start, long end, boolean fired, Content content) {
    this.start = start;
    this.end = end;
    this.fired = fired;
    this.content = content;
  }

  public long start() {
    return start;
  }

  public long end() {
    return end;
  }

  /** Whether it was emitted. */
  public boolean fired() {
    return fired;
  }

  public StoredSession withFired(boolean now) {
    return now == fired ? this : new StoredSession(start, end, now, content);
  }

  /** The content; each call decodes it anew if the session is from a store. */
  public Object content() {
    return content instanceof Encoded encoded
        ? encoded.by().decode(encoded.bytes(), encoded.from(), encoded.to())
        : ((Decoded) content).value();
  }

  /** Appends the length of the content and the content as the given values encode it. */
  void writeContent(StoredValues values) {
    if (content instanceof Encoded encoded && encoded.by() == values) {
      values.appendEncoded(encoded.bytes(), encoded.from(), encoded.to());
    } else {
      values.appendElement(content());
    }
  }
}
