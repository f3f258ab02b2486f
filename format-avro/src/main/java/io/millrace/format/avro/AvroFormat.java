package io.millrace.format.avro;

import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.format.SerializationSchema;
import io.millrace.format.registry.SchemaRegistry;
import java.io.IOException;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * One record per message in Avro's binary encoding. Messages do not have their schema: all are
 * written with the same one.
 *
 * <pre>{@code
 * orders.sinkTo(KafkaSink.to("host:9092", "orders", AvroFormat.of(Order.class)));
 * }</pre>
 *
 * @param <T> the records
 */
public final class AvroFormat<T> implements DeserializationSchema<T>, SerializationSchema<T> {
  private static final long serialVersionUID = 1L;

  private final AvroType<T> type;
  private final String writerJson;
  private transient BinaryAvro<T> binary;

  private AvroFormat(AvroType<T> type, String writerJson) {
    this.type = type;
    this.writerJson = writerJson;
  }

  public static <T> AvroFormat<T> of(AvroType<T> type) {
    return new AvroFormat<>(Objects.requireNonNull(type, "type"), type.schema().toString());
  }

  /** A generated class, a record or another class; see {@link AvroType#of(Class)}. */
  public static <T> AvroFormat<T> of(Class<T> type) {
    return of(AvroType.of(type));
  }

  public static AvroFormat<GenericRecord> generic(Schema schema) {
    return of(AvroType.generic(schema));
  }

  /**
   * Reads messages that were written with another schema, as Avro resolves it: fields that the
   * writer does not have get their defaults.
   */
  public AvroFormat<T> writtenWith(Schema writer) {
    return new AvroFormat<>(type, writer.toString());
  }

  /**
   * The same records in messages that name their schemas in a registry.
   *
   * @param subject under which the sink registers the schema, mostly {@code TOPIC-value}
   */
  public RegistryAvroFormat<T> withRegistry(SchemaRegistry registry, String subject) {
    return new RegistryAvroFormat<>(type, registry, subject);
  }

  private BinaryAvro<T> binary() {
    if (binary == null) {
      binary = new BinaryAvro<>(type);
    }
    return binary;
  }

  @Override
  public T deserialize(byte[] message) throws IOException {
    return binary().read(writerJson, message, 0);
  }

  @Override
  public byte[] serialize(T record) throws IOException {
    return binary().write(new byte[0], record);
  }
}
