package io.millrace.format.avro;

import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.format.SerializationSchema;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.format.registry.SchemaRegistry;
import io.millrace.format.registry.SchemaRegistryClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * One record per message, behind a zero byte and four bytes with the id of the schema in a schema
 * registry. Messages with different schemas are read as records of one: fields that the writer does
 * not have get their defaults.
 *
 * <pre>{@code
 * SchemaRegistry registry = SchemaRegistry.at("https://host:8081");
 * RegistryAvroFormat<Order> format =
 *     AvroFormat.of(Order.class).withRegistry(registry, "orders-value");
 * orders.sinkTo(KafkaSink.to("host:9092", "orders", format));
 * }</pre>
 *
 * @param <T> the records
 */
public final class RegistryAvroFormat<T>
    implements DeserializationSchema<T>, SerializationSchema<T> {
  private static final long serialVersionUID = 1L;
  private static final byte MAGIC = 0;
  private static final int HEADER = 1 + Integer.BYTES;

  private final AvroType<T> type;
  private final SchemaRegistry registry;
  private final String subject;
  private transient BinaryAvro<T> binary;
  private transient SchemaRegistryClient client;
  private transient SchemaRegistryClient.Schema registered;

  RegistryAvroFormat(AvroType<T> type, SchemaRegistry registry, String subject) {
    this.type = type;
    this.registry = Objects.requireNonNull(registry, "registry");
    this.subject = Objects.requireNonNull(subject, "subject");
  }

  private void open() {
    if (binary == null) {
      binary = new BinaryAvro<>(type);
      client = new SchemaRegistryClient(registry);
      registered =
          new SchemaRegistryClient.Schema(
              SchemaRegistryClient.SchemaType.AVRO, type.schema().toString(), List.of());
    }
  }

  @Override
  public T deserialize(byte[] message) throws IOException {
    open();
    if (message.length < HEADER || message[0] != MAGIC) {
      throw new MillraceException(
          ErrorKind.USER,
          "The message does not start with the id of a schema: its first byte is not 0, or it has"
              + " fewer than 5 bytes.");
    }
    int id = ByteBuffer.wrap(message).getInt(1);
    return binary.read(client.schema(id, SchemaRegistryClient.SchemaType.AVRO), message, HEADER);
  }

  @Override
  public byte[] serialize(T record) throws IOException {
    open();
    int id = client.id(subject, registered);
    return binary.write(ByteBuffer.allocate(HEADER).put(MAGIC).putInt(id).array(), record);
  }
}
