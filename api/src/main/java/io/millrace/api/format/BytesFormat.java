package io.millrace.api.format;

/** Messages as they are. */
public final class BytesFormat
    implements DeserializationSchema<byte[]>, SerializationSchema<byte[]> {
  private static final long serialVersionUID = 1L;

  @Override
  public byte[] deserialize(byte[] message) {
    return message;
  }

  @Override
  public byte[] serialize(byte[] record) {
    return record;
  }
}
