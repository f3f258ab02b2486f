package io.millrace.core.codec;

import io.millrace.core.Bytes;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/** Types without component types. */
enum ScalarTypeCodec implements TypeCodec {
  BOOLEAN(boolean.class, Boolean.class),
  BYTE(byte.class, Byte.class),
  SHORT(short.class, Short.class),
  INT(int.class, Integer.class),
  LONG(long.class, Long.class),
  FLOAT(float.class, Float.class),
  DOUBLE(double.class, Double.class),
  STRING(String.class, String.class),
  BYTES(Bytes.class, Bytes.class),
  BYTE_ARRAY(byte[].class, byte[].class),
  INT_ARRAY(int[].class, int[].class),
  LONG_ARRAY(long[].class, long[].class),
  DURATION(Duration.class, Duration.class),
  INSTANT(Instant.class, Instant.class);

  private static final ScalarTypeCodec[] ALL = values();
  private static final TypeCodec[] NONE = {};
  private static final int NANOS = 1_000_000_000;

  private final Class<?> type;
  private final Class<?> boxed;

  ScalarTypeCodec(Class<?> type, Class<?> boxed) {
    this.type = type;
    this.boxed = boxed;
  }

  /** The codec of a Java type, or null if the type is not a scalar. */
  static ScalarTypeCodec find(Class<?> type) {
    for (ScalarTypeCodec scalar : ALL) {
      if (scalar.type == type || scalar.boxed == type) {
        return scalar;
      }
    }
    return null;
  }

  @Override
  public void write(WireWriter out, Object value) {
    switch (this) {
      case BOOLEAN -> out.writeByte((Boolean) value ? 1 : 0);
      case BYTE -> out.writeByte((Byte) value);
      case SHORT -> out.writeInt((Short) value);
      case INT -> out.writeInt((Integer) value);
      case LONG -> out.writeLong((Long) value);
      case FLOAT -> out.writeFixed(Float.floatToRawIntBits((Float) value), Float.BYTES);
      case DOUBLE -> out.writeFixed(Double.doubleToRawLongBits((Double) value), Double.BYTES);
      case STRING -> out.writeString((String) value);
      case BYTES -> out.writeBytes(((Bytes) value).unsafeArray());
      case BYTE_ARRAY -> out.writeBytes((byte[]) value);
      case INT_ARRAY -> {
        int[] numbers = (int[]) value;
        out.writeVarint(numbers.length);
        for (int number : numbers) {
          out.writeInt(number);
        }
      }
      case LONG_ARRAY -> {
        long[] numbers = (long[]) value;
        out.writeVarint(numbers.length);
        for (long number : numbers) {
          out.writeLong(number);
        }
      }
      case DURATION -> {
        Duration duration = (Duration) value;
        out.writeLong(duration.getSeconds());
        out.writeVarint(duration.getNano());
      }
      case INSTANT -> {
        Instant instant = (Instant) value;
        out.writeLong(instant.getEpochSecond());
        out.writeVarint(instant.getNano());
      }
    }
  }

  @Override
  public Object read(WireReader in) {
    return switch (this) {
      case BOOLEAN -> in.readChoice(2, "boolean") == 1;
      case BYTE -> in.readByte();
      case SHORT -> in.readShort();
      case INT -> in.readInt();
      case LONG -> in.readLong();
      case FLOAT -> Float.intBitsToFloat((int) in.readFixed(Float.BYTES));
      case DOUBLE -> Double.longBitsToDouble(in.readFixed(Double.BYTES));
      case STRING -> in.readString();
      case BYTES -> Bytes.wrap(in.readBytes());
      case BYTE_ARRAY -> in.readBytes();
      case INT_ARRAY -> {
        int[] numbers = new int[in.readCount(1)];
        for (int i = 0; i < numbers.length; i++) {
          numbers[i] = in.readInt();
        }
        yield numbers;
      }
      case LONG_ARRAY -> {
        long[] numbers = new long[in.readCount(1)];
        for (int i = 0; i < numbers.length; i++) {
          numbers[i] = in.readLong();
        }
        yield numbers;
      }
      case DURATION -> Duration.ofSeconds(in.readLong(), readNanos(in));
      case INSTANT -> {
        try {
          yield Instant.ofEpochSecond(in.readLong(), readNanos(in));
        } catch (DateTimeException e) {
          throw in.failure("an instant is out of range", e);
        }
      }
    };
  }

  private static int readNanos(WireReader in) {
    long nanos = in.readVarint();
    if (nanos < 0 || nanos >= NANOS) {
      throw in.failure("nanoseconds out of range: " + Long.toUnsignedString(nanos));
    }
    return (int) nanos;
  }

  @Override
  public TypeCodec[] parts() {
    return NONE;
  }
}
