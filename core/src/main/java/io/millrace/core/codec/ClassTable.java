package io.millrace.core.codec;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Encodes a record of any class of the table: the number of the class, then the record. */
final class ClassTable implements TypeCodec {
  private final RecordTypeCodec[] messages;
  private final Map<Class<?>, Integer> numbers = new HashMap<>();

  ClassTable(TypeCodecs plans, List<Class<? extends Record>> types) {
    messages = new RecordTypeCodec[types.size()];
    for (int i = 0; i < messages.length; i++) {
      Class<?> type = types.get(i);
      if (!type.isRecord()) {
        throw new IllegalArgumentException("" + type.getName() + " must be a record");
      }
      if (numbers.put(type, i) != null) {
        throw new IllegalArgumentException(type.getName() + " is in the table twice");
      }
      messages[i] = plans.record(ResolvedType.of(type));
    }
  }

  @Override
  public void write(WireWriter out, Object value) {
    Integer number = numbers.get(value.getClass());
    if (number == null) {
      throw new MillraceException(
          ErrorKind.BUG,
          value.getClass().getName()
              + " is not in the class table of the codec. Add it at the end.");
    }
    out.writeVarint(number);
    messages[number].write(out, value);
  }

  @Override
  public Object read(WireReader in) {
    return next(in).read(in);
  }

  /** Reads the number of a class. */
  RecordTypeCodec next(WireReader in) {
    long number = in.readVarint();
    if (number < 0 || number >= messages.length) {
      throw in.failure(
          "unknown message number "
              + Long.toUnsignedString(number)
              + " in a table of "
              + messages.length);
    }
    return messages[(int) number];
  }

  @Override
  public TypeCodec[] parts() {
    return messages;
  }
}
