package io.millrace.dataplane.records;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/**
 * Encodes and decodes single values, of which there are many: strings, boxed primitives, arrays of
 * bytes and null with a tag each, all others with Fory, which describes their classes in a {@link
 * ClassDictionary}. Belongs to the codec that it comes from; not thread-safe.
 */
public final class ValueCodec {
  // Above the tags of plain values.
  private static final int BYTES = 32;
  private static final int OBJECT = 33;

  private final RecordBatchCodec codec;
  private final ClassDictionary dictionary;

  /** Null before the first value of a class of the program. */
  private ForyValueCodec objects;

  ValueCodec(RecordBatchCodec codec, ClassDictionary dictionary) {
    this.codec = codec;
    this.dictionary = dictionary;
  }

  private ForyValueCodec objects() {
    if (objects == null) {
      objects = new ForyValueCodec(codec.fory(), dictionary);
    }
    return objects;
  }

  public void encode(Object value, ByteArrayOutput out) {
    if (value instanceof byte[] bytes) {
      out.putByte(BYTES);
      out.putBytes(bytes, 0, bytes.length);
    } else if (!RecordBatchCodec.encodePlain(value, out)) {
      out.putByte(OBJECT);
      objects().encode(value, out);
    }
  }

  /** Decodes a value that fills the given bytes. */
  public Object decode(byte[] bytes, int from, int to) {
    if (from >= to) {
      throw new MillraceException(ErrorKind.BUG, "A stored value is empty");
    }
    ByteArrayInput in = new ByteArrayInput(bytes, from, to);
    int tag = bytes[from];
    if (tag == BYTES) {
      byte[] content = new byte[to - from - 1];
      System.arraycopy(bytes, from + 1, content, 0, content.length);
      return content;
    }
    if (tag == OBJECT) {
      in.take(1);
      return objects().decode(in);
    }
    return RecordBatchCodec.decodePlain(in);
  }
}
