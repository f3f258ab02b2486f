package io.millrace.api.format;

/**
 * Messages as they are.
 *
 * <pre>{@code
 * // Copies the values of a topic without looking at them.
 * KafkaSource<byte[]> from =
 *     KafkaSource.of("host:9092", KafkaTopics.named("orders"), new BytesFormat());
 * env.fromSource(from, "orders").sinkTo(KafkaSink.to("host:9092", "copy", new BytesFormat()));
 * }</pre>
 */
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
