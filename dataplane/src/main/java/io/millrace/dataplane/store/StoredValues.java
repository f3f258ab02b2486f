package io.millrace.dataplane.store;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.ClassDictionary;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.ValueCodec;
import java.util.ArrayList;
import java.util.List;

/** Values as bytes. The dictionary describes their classes. Belongs to one thread. */
final class StoredValues {
  private final ValueCodec codec;
  private final ByteArrayOutput out = new ByteArrayOutput();
  private final ByteArrayOutput element = new ByteArrayOutput();

  StoredValues(RecordBatchCodec codec, ClassDictionary dictionary) {
    this.codec = codec.values(dictionary);
  }

  byte[] encode(Object value) {
    out.clear();
    codec.encode(value, out);
    return out.toArray();
  }

  /** With the time of the last update before the value. */
  byte[] encode(long updated, Object value) {
    out.clear();
    putTime(updated);
    codec.encode(value, out);
    return out.toArray();
  }

  private void putTime(long updated) {
    out.putBytes(StoreBytes.timestamp(updated), 0, Long.BYTES);
  }

  Object decode(byte[] bytes, int from) {
    return decode(bytes, from, bytes.length);
  }

  Object decode(byte[] bytes, int from, int to) {
    return codec.decode(bytes, from, to);
  }

  // --- lists

  byte[] encodeElement(Object value) {
    out.clear();
    appendElement(value);
    return out.toArray();
  }

  byte[] encodeElements(Iterable<?> values) {
    out.clear();
    values.forEach(this::appendElement);
    return out.toArray();
  }

  byte[] encodeElements(long updated, Iterable<?> values) {
    out.clear();
    putTime(updated);
    values.forEach(this::appendElement);
    return out.toArray();
  }

  /** Appends the length of a value and the value. */
  void appendElement(Object value) {
    element.clear();
    codec.encode(value, element);
    appendEncoded(element.array(), 0, element.size());
  }

  /** As {@link #appendElement} of a value that these values have encoded. */
  void appendEncoded(byte[] bytes, int from, int to) {
    out.putVarInt(to - from);
    out.putBytes(bytes, from, to - from);
  }

  List<Object> decodeElements(byte[] bytes, int from) {
    List<Object> elements = new ArrayList<>();
    ByteArrayInput in = new ByteArrayInput(bytes, from, bytes.length);
    while (in.remaining() > 0) {
      int length = in.readVarInt();
      int at = in.take(length);
      elements.add(decode(bytes, at, at + length));
    }
    return elements;
  }

  // --- sessions

  byte[] encodeSessions(List<StoredSession> sessions) {
    out.clear();
    for (StoredSession session : sessions) {
      out.putLong(session.start());
      out.putLong(session.end());
      out.putByte(session.fired() ? 1 : 0);
      session.writeContent(this);
    }
    return out.toArray();
  }

  /**
   * @param bytes nobody changes them afterwards: contents are decoded later
   */
  List<StoredSession> decodeSessions(byte[] bytes) {
    List<StoredSession> sessions = new ArrayList<>(1);
    ByteArrayInput in = new ByteArrayInput(bytes, 0, bytes.length);
    while (in.remaining() > 0) {
      long start = in.readLong();
      long end = in.readLong();
      boolean fired = in.readByte() != 0;
      int length = in.readVarInt();
      int at = in.take(length);
      sessions.add(new StoredSession(start, end, fired, this, bytes, at, at + length));
    }
    return sessions;
  }
}
