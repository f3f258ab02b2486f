package io.millrace.core.codec;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Encodes and decodes records of a fixed table of classes. Thread-safe.
 *
 * <p>A message is a version byte, the number of its class (the position in the table) and its
 * components in order. Components may be
 *
 * <ul>
 *   <li>primitives except {@code char}, their boxes, {@code String}, {@link Bytes}, {@code byte[]},
 *       {@code int[]}, {@code long[]}, {@code Duration}, {@code Instant}, enums (by name),
 *   <li>{@code Optional}, {@code List}, {@code Set} and {@code Map} of these, the last two in the
 *       order in which they were written,
 *   <li>records, also generic ones, in the table or not,
 *   <li>sealed interfaces of records and enums, by the position of the leaf among the permitted
 *       ones, and
 *   <li>{@code Record}, which stands for any class of the table.
 * </ul>
 *
 * <p>Both sides must have the same records: there is no schema on the wire. A change of the table,
 * of a component or of a permitted type changes the format, and data stored before cannot be read.
 */
public final class RecordCodec {
  /** The default maximum size of a message. */
  public static final int DEFAULT_MAX_BYTES = 1 << 20;

  /** Maximum nesting depth of records. */
  static final int MAX_DEPTH = 64;

  private static final byte VERSION = 1;

  private final List<Class<? extends Record>> types;
  private final ClassTable table;
  private final int maxBytes;

  private RecordCodec(List<Class<? extends Record>> types, int maxBytes) {
    this.types = types;
    this.table = new TypeCodecs(types).table();
    this.maxBytes = maxBytes;
  }

  public static RecordCodec of(List<Class<? extends Record>> table) {
    return of(table, DEFAULT_MAX_BYTES);
  }

  /** A codec whose messages have at most {@code maxBytes}. */
  public static RecordCodec of(List<Class<? extends Record>> table, int maxBytes) {
    if (maxBytes < 1) {
      throw new IllegalArgumentException("maxBytes must be >= 1, but is " + maxBytes);
    }
    return new RecordCodec(OrderedCopies.list(table), maxBytes);
  }

  /**
   * A hash of the schema. Two codecs with the same fingerprint can read each other's messages.
   * Store it beside messages that outlive a release.
   */
  public long fingerprint() {
    return SchemaFingerprint.of(types);
  }

  /**
   * Checks all classes that are reachable from the table and throws for the first component whose
   * type is not supported. Without this call a class is checked on first use.
   */
  public void checkAll() {
    Set<TypeCodec> seen = new HashSet<>();
    Deque<TypeCodec> open = new ArrayDeque<>();
    open.add(table);
    while (!open.isEmpty()) {
      for (TypeCodec part : open.remove().parts()) {
        if (seen.add(part)) {
          open.add(part);
        }
      }
    }
  }

  public byte[] encode(Record message) {
    WireWriter out = new WireWriter(message.getClass(), maxBytes);
    out.writeByte(VERSION);
    table.write(out, message);
    return out.toBytes();
  }

  /** Decodes one message that fills the array, or throws a {@link CodecException}. */
  public Record decode(byte[] bytes) {
    return decode(Record.class, open(bytes, 0, bytes.length));
  }

  /** Decodes one message that fills the rest of the buffer and consumes it. */
  public Record decode(ByteBuffer buffer) {
    int length = buffer.remaining();
    checkSize(length);
    if (buffer.hasArray()) {
      int start = buffer.arrayOffset() + buffer.position();
      buffer.position(buffer.limit());
      return decode(Record.class, open(buffer.array(), start, start + length));
    }
    byte[] copy = new byte[length];
    buffer.get(copy);
    return decode(copy);
  }

  /**
   * Decodes one message of the expected class. A message of another class is rejected before it is
   * decoded.
   */
  public <T extends Record> T decode(Class<T> expected, Bytes bytes) {
    return decode(expected, open(bytes.unsafeArray(), 0, bytes.length()));
  }

  private <T extends Record> T decode(Class<T> expected, WireReader in) {
    RecordTypeCodec plan = table.next(in);
    if (!expected.isAssignableFrom(plan.type())) {
      throw in.failure("expected " + expected.getName() + ", but found " + plan.type().getName());
    }
    T message = expected.cast(plan.read(in));
    in.expectEnd();
    return message;
  }

  private WireReader open(byte[] bytes, int start, int end) {
    checkSize(end - start);
    WireReader in = new WireReader(bytes, start, end);
    byte version = in.readByte();
    if (version != VERSION) {
      throw in.failure(
          "the message has version "
              + (version & 0xff)
              + " and this process uses version "
              + VERSION
              + "; run the same release everywhere");
    }
    return in;
  }

  private void checkSize(int bytes) {
    if (bytes > maxBytes) {
      throw new CodecException(
          "the message has " + bytes + " bytes; the maximum is " + maxBytes, 0, null);
    }
  }
}
