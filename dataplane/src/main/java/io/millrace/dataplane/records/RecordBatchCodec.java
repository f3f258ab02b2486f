package io.millrace.dataplane.records;

import io.millrace.api.operator.SplitAssignment;
import io.millrace.api.serialization.Serializer;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Encodes and decodes batches of one job's records. Not thread-safe: tasks borrow a codec from the
 * {@link CodecPool} of their deployment.
 *
 * <p>A batch may start with the timestamps of its records, each as the difference to the previous
 * one. Then follow a byte for the encoding, the number of records, and the records: either each
 * with a tag (strings, boxed primitives, null, assigned splits of text files), or all of them
 * encoded by Fory.
 */
public final class RecordBatchCodec {
  private static final int PLAIN = 1;
  private static final int FORY = 2;
  private static final int TIMED = 3;

  /** The timestamps of records without timestamps. */
  public static final long[] NO_TIMESTAMPS = {};

  private static final int NULL = 0;
  private static final int LATIN = 1;
  private static final int UTF16 = 2;
  private static final int INTEGER = 3;
  private static final int LONG = 4;
  private static final int DOUBLE = 5;
  private static final int FLOAT = 6;
  private static final int SHORT = 7;
  private static final int BYTE = 8;
  private static final int CHARACTER = 9;
  private static final int TRUE = 10;
  private static final int FALSE = 11;
  private static final int ASSIGNMENT = 12;

  private static volatile boolean foryPrepared;

  private final ClassLoader classes;
  private final Consumer<Runnable> outside;
  private final Map<Class<?>, Serializer<?>> serializers;
  private final boolean compatible;
  private final boolean unknownClasses;
  private ForyRecordCodec fory;

  /**
   * A codec for records whose classes this loader finds.
   *
   * @param outside runs an action on a thread outside of user code and waits for it
   */
  public RecordBatchCodec(ClassLoader classes, Consumer<Runnable> outside) {
    this(classes, outside, Map.of());
  }

  /**
   * @param serializers the serializers of the program by class; this codec owns them
   */
  public RecordBatchCodec(
      ClassLoader classes, Consumer<Runnable> outside, Map<Class<?>, Serializer<?>> serializers) {
    this(classes, outside, serializers, false);
  }

  /**
   * @param compatible whether the bytes describe the fields of classes, so that a later version of
   *     a class reads them
   */
  public RecordBatchCodec(
      ClassLoader classes,
      Consumer<Runnable> outside,
      Map<Class<?>, Serializer<?>> serializers,
      boolean compatible) {
    this(classes, outside, serializers, compatible, false);
  }

  private RecordBatchCodec(
      ClassLoader classes,
      Consumer<Runnable> outside,
      Map<Class<?>, Serializer<?>> serializers,
      boolean compatible,
      boolean unknownClasses) {
    this.classes = classes;
    this.outside = outside;
    this.serializers = serializers;
    this.compatible = compatible;
    this.unknownClasses = unknownClasses;
  }

  /**
   * Decodes state without the classes of the program: an object of a class that the loader does not
   * find becomes a map of its fields; see {@link UnknownClasses}.
   */
  public static RecordBatchCodec ofUnknownClasses(ClassLoader classes) {
    return new RecordBatchCodec(classes, Runnable::run, Map.of(), true, true);
  }

  /** The loader of the classes of records. */
  public ClassLoader classes() {
    return classes;
  }

  /** The names of the classes that records contained so far, without those of plain values. */
  public Set<String> seenClasses() {
    return fory == null ? Set.of() : fory.seen();
  }

  /**
   * Encodes and decodes single values, with the classes of this codec and on its thread.
   *
   * @param dictionary describes the classes of values that were encoded; gets those of new ones
   */
  public ValueCodec values(ClassDictionary dictionary) {
    return new ValueCodec(this, dictionary);
  }

  /**
   * The content of a batch.
   *
   * @param timestamps of the records by position, empty if they have none
   */
  public record Decoded(Object[] records, long[] timestamps) {}

  /** Appends the records {@code [from, to)} as one batch, with timestamps if there are any. */
  public void encode(Object[] records, long[] timestamps, int from, int to, ByteArrayOutput out) {
    if (timestamps.length > 0) {
      out.putByte(TIMED);
      long before = 0;
      out.putVarInt(to - from);
      for (int i = from; i < to; i++) {
        out.putVarLong(timestamps[i] - before);
        before = timestamps[i];
      }
    }
    encode(records, from, to, out);
  }

  /** Appends the records {@code [from, to)} as one batch. */
  public void encode(Object[] records, int from, int to, ByteArrayOutput out) {
    int start = out.size;
    out.putByte(PLAIN);
    out.putVarInt(to - from);
    for (int i = from; i < to; i++) {
      if (!encodePlain(records[i], out)) {
        out.truncate(start);
        out.putByte(FORY);
        out.putVarInt(to - from);
        fory().encode(records, from, to, out);
        return;
      }
    }
  }

  /** Decodes one batch that fills the given bytes. */
  public Decoded decode(byte[] bytes, int from, int to) {
    ByteArrayInput in = new ByteArrayInput(bytes, from, to);
    int how = in.readByte();
    long[] timestamps = NO_TIMESTAMPS;
    if (how == TIMED) {
      timestamps = new long[readCount(in)];
      long before = 0;
      for (int i = 0; i < timestamps.length; i++) {
        before += in.readVarLong();
        timestamps[i] = before;
      }
      how = in.readByte();
    }
    Object[] records = decode(in, how);
    if (timestamps.length > 0 && timestamps.length != records.length) {
      throw new MillraceException(
          ErrorKind.BUG, timestamps.length + " timestamps for " + records.length + " records");
    }
    return new Decoded(records, timestamps);
  }

  private static int readCount(ByteArrayInput in) {
    int count = in.readVarInt();
    // A record takes at least a byte; a greater count is invalid and must not be allocated.
    if (count < 0 || count > in.remaining()) {
      throw new MillraceException(
          ErrorKind.BUG, "A batch claims " + count + " records in " + in.remaining() + " bytes");
    }
    return count;
  }

  private Object[] decode(ByteArrayInput in, int how) {
    int count = readCount(in);
    if (how == FORY) {
      return fory().decode(in, count);
    }
    if (how != PLAIN) {
      throw new MillraceException(
          ErrorKind.BUG, "A batch of records has the unknown encoding " + how);
    }
    Object[] records = new Object[count];
    for (int i = 0; i < count; i++) {
      records[i] = decodePlain(in);
    }
    return records;
  }

  ForyRecordCodec fory() {
    if (fory == null) {
      if (!foryPrepared) {
        outside.accept(ForyRecordCodec::prepare);
        foryPrepared = true;
      }
      fory = new ForyRecordCodec(classes, serializers, compatible, unknownClasses);
    }
    return fory;
  }

  static boolean encodePlain(Object record, ByteArrayOutput out) {
    if (record instanceof String text) {
      encodeText(text, out);
    } else if (record instanceof Integer number) {
      out.putByte(INTEGER);
      out.putInt(number);
    } else if (record instanceof Long number) {
      out.putByte(LONG);
      out.putLong(number);
    } else if (record instanceof Double number) {
      out.putByte(DOUBLE);
      out.putLong(Double.doubleToRawLongBits(number));
    } else if (record instanceof Boolean flag) {
      out.putByte(flag ? TRUE : FALSE);
    } else if (record instanceof Float number) {
      out.putByte(FLOAT);
      out.putInt(Float.floatToRawIntBits(number));
    } else if (record instanceof Short number) {
      out.putByte(SHORT);
      out.putShort(number);
    } else if (record instanceof Byte number) {
      out.putByte(BYTE);
      out.putByte(number);
    } else if (record instanceof Character character) {
      out.putByte(CHARACTER);
      out.putShort(character);
    } else if (record == null) {
      out.putByte(NULL);
    } else if (record instanceof SplitAssignment assignment
        && SplitAssignmentCodec.supports(assignment)) {
      out.putByte(ASSIGNMENT);
      SplitAssignmentCodec.encode(assignment, out);
    } else {
      return false;
    }
    return true;
  }

  private static void encodeText(String text, ByteArrayOutput out) {
    int length = text.length();
    int start = out.size;
    out.putByte(LATIN);
    out.putVarInt(length);
    out.reserve(length);
    byte[] bytes = out.bytes;
    int at = out.size;
    for (int i = 0; i < length; i++) {
      char character = text.charAt(i);
      if (character > 0xff) {
        out.truncate(start);
        out.putByte(UTF16);
        out.putVarInt(length);
        out.reserve(Math.multiplyExact(length, 2));
        for (int j = 0; j < length; j++) {
          out.putShort(text.charAt(j));
        }
        return;
      }
      bytes[at++] = (byte) character;
    }
    out.size = at;
  }

  static Object decodePlain(ByteArrayInput in) {
    int tag = in.readByte();
    switch (tag) {
      case LATIN -> {
        int length = in.readVarInt();
        return new String(in.bytes, in.take(length), length, StandardCharsets.ISO_8859_1);
      }
      case UTF16 -> {
        int length = in.readVarInt();
        if (length < 0 || length > in.remaining() / 2) {
          throw new MillraceException(
              ErrorKind.BUG, "A string of " + length + " characters is truncated");
        }
        char[] text = new char[length];
        for (int i = 0; i < length; i++) {
          text[i] = (char) in.readShort();
        }
        return new String(text);
      }
      case INTEGER -> {
        return in.readInt();
      }
      case LONG -> {
        return in.readLong();
      }
      case DOUBLE -> {
        return Double.longBitsToDouble(in.readLong());
      }
      case FLOAT -> {
        return Float.intBitsToFloat(in.readInt());
      }
      case SHORT -> {
        return (short) in.readShort();
      }
      case BYTE -> {
        return (byte) in.readByte();
      }
      case CHARACTER -> {
        return (char) in.readShort();
      }
      case TRUE -> {
        return true;
      }
      case FALSE -> {
        return false;
      }
      case NULL -> {
        return null;
      }
      case ASSIGNMENT -> {
        return SplitAssignmentCodec.decode(in);
      }
      default ->
          throw new MillraceException(
              ErrorKind.BUG, "A batch of records contains the unknown tag " + tag);
    }
  }
}
