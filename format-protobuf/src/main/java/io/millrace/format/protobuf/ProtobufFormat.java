package io.millrace.format.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.format.SerializationSchema;
import io.millrace.format.registry.SchemaRegistry;
import java.util.Objects;

/**
 * One message of Protocol Buffers per message of the connector. Fields that the reader does not
 * know are kept, as Protobuf does.
 *
 * <pre>{@code
 * // OrderMessage is a class that Protobuf has generated.
 * KafkaSource<OrderMessage> source =
 *     KafkaSource.of(
 *         "host:9092", KafkaTopics.named("orders"), ProtobufFormat.of(OrderMessage.class));
 * env.fromSource(source, "orders").print();
 * }</pre>
 *
 * @param <T> the messages
 */
public final class ProtobufFormat<T extends Message>
    implements DeserializationSchema<T>, SerializationSchema<T> {
  private static final long serialVersionUID = 1L;

  private final MessageType<T> type;

  private ProtobufFormat(MessageType<T> type) {
    this.type = type;
  }

  /** Messages of a class that Protobuf has generated. */
  public static <T extends Message> ProtobufFormat<T> of(Class<T> generated) {
    return new ProtobufFormat<>(MessageType.of(Objects.requireNonNull(generated, "generated")));
  }

  /** Messages without a class. */
  public static ProtobufFormat<DynamicMessage> dynamic(Descriptor descriptor) {
    return new ProtobufFormat<>(MessageType.of(descriptor));
  }

  /**
   * Messages without a class.
   *
   * @param files a {@code FileDescriptorSet}, as {@code protoc --include_imports -o} writes it
   * @param name the full name of the message
   */
  public static ProtobufFormat<DynamicMessage> dynamic(byte[] files, String name) {
    return new ProtobufFormat<>(MessageType.of(files, name));
  }

  /**
   * The same messages, each with the id of its schema in a registry.
   *
   * @param subject under which the sink registers the schema, mostly {@code TOPIC-value}
   */
  public RegistryProtobufFormat<T> withRegistry(SchemaRegistry registry, String subject) {
    return new RegistryProtobufFormat<>(type, registry, subject);
  }

  @Override
  public T deserialize(byte[] message) throws InvalidProtocolBufferException {
    return type.parser().parseFrom(message);
  }

  @Override
  public byte[] serialize(T record) {
    return record.toByteArray();
  }
}
