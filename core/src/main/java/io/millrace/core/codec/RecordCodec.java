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
 * Writes and reads records of a fixed table of classes. Safe to use from any number of threads.
 *
 * <p>A message is a version byte, the number of its class (the position in the table) and its
 * components in order. Components may be
 *
 * <ul>
 *   <li>primitives except {@code char}, their boxes, {@code String}, {@link Bytes}, {@code byte[]},
 *       {@code int[]}, {@code long[]}, {@code Duration}, {@code Instant}, enums (by name),
 *   <li>{@code Optional}, {@code List}, {@code Set} and {@code Map} of these, the last two in the
 *       order in which they were written,
 *   <li>records, generic ones too, in the table or not, and
 *   <li>sealed interfaces of records and enums, by the place of the leaf among the permitted ones,
 *   <li>{@code Record}, which stands for any class of the table.
 * </ul>
 *
 * <p>Both sides must have the same records: there is no schema on the wire. Whoever changes the
 * table, a component or a permitted type changes the format, and what was stored before cannot be
 * read.
 */
public final class RecordCodec {
  /** What a message may have at most where the codec is not given another limit. */
  public static final int DEFAULT_MAX_BYTES = 1 << 20;

  /** How deep records may nest; deeper ones are an attack or a mistake. */
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

  /** A codec whose messages take at most {@code maxBytes}, to write and to read. */
  public static RecordCodec of(List<Class<? extends Record>> table, int maxBytes) {
    if (maxBytes < 1) {
      throw new IllegalArgumentException("A message has at least 1 byte, not " + maxBytes);
    }
    return new RecordCodec(OrderedCopies.list(table), maxBytes);
  }

  /**
   * A number that two codecs have in common only where each reads what the other wrote: to be kept
   * beside messages that are stored for longer than a release is in use.
   */
  public long fingerprint() {
    return SchemaFingerprint.of(types);
  }

  /**
   * Looks into every class that the table leads to, and throws for the first component of a type
   * that messages cannot hold. Otherwise a class is looked into when it is first used.
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

  /** Reads one message that fills the array, or throws a {@link CodecException}. */
  public Record decode(byte[] bytes) {
    return decode(Record.class, open(bytes, 0, bytes.length));
  }

  /** Reads one message that fills the rest of the buffer, which is used up then. */
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

  /** Reads one message that must be of the class expected; another one is not even decoded. */
  public <T extends Record> T decode(Class<T> expected, Bytes bytes) {
    return decode(expected, open(bytes.unsafeArray(), 0, bytes.length()));
  }

  private <T extends Record> T decode(Class<T> expected, WireReader in) {
    RecordTypeCodec plan = table.next(in);
    if (!expected.isAssignableFrom(plan.type())) {
      throw in.failure(
          "a " + plan.type().getName() + " stands where a " + expected.getName() + " is expected");
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
          "the message is of version "
              + (version & 0xff)
              + " and this process speaks version "
              + VERSION
              + "; run the same release everywhere");
    }
    return in;
  }

  private void checkSize(int bytes) {
    if (bytes > maxBytes) {
      throw new CodecException(
          "the message has " + bytes + " bytes and may have " + maxBytes, 0, null);
    }
  }
}
