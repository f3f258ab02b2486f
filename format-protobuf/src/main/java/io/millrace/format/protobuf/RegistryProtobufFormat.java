package io.millrace.format.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.millrace.api.format.DeserializationSchema;
import io.millrace.api.format.SerializationSchema;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.format.registry.SchemaRegistry;
import io.millrace.format.registry.SchemaRegistryClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * One message of Protocol Buffers per message of the connector, behind a zero byte, four bytes with
 * the id of the schema in a schema registry, and the place of the message in its file. Messages of
 * all versions of a schema are read as those of one class: Protobuf resolves fields by number.
 *
 * <pre>{@code
 * // OrderMessage is a class that Protobuf has generated.
 * SchemaRegistry registry = SchemaRegistry.at("https://host:8081");
 * RegistryProtobufFormat<OrderMessage> format =
 *     ProtobufFormat.of(OrderMessage.class).withRegistry(registry, "orders-value");
 * KafkaSource<OrderMessage> source =
 *     KafkaSource.of("host:9092", KafkaTopics.named("orders"), format);
 * }</pre>
 *
 * @param <T> the messages
 */
public final class RegistryProtobufFormat<T extends Message>
    implements DeserializationSchema<T>, SerializationSchema<T> {
  private static final long serialVersionUID = 1L;
  private static final byte MAGIC = 0;

  private final MessageType<T> type;
  private final SchemaRegistry registry;
  private final String subject;
  private transient RegisteredFiles files;
  private transient Descriptor descriptor;
  private transient byte[] header;

  RegistryProtobufFormat(MessageType<T> type, SchemaRegistry registry, String subject) {
    this.type = type;
    this.registry = Objects.requireNonNull(registry, "registry");
    this.subject = Objects.requireNonNull(subject, "subject");
  }

  private void open() {
    if (files == null) {
      files = new RegisteredFiles(new SchemaRegistryClient(registry));
      descriptor = type.descriptor();
    }
  }

  @Override
  public T deserialize(byte[] message) throws IOException {
    open();
    ByteBuffer in = ByteBuffer.wrap(message);
    if (in.remaining() <= 1 + Integer.BYTES || in.get() != MAGIC) {
      throw new MillraceException(
          ErrorKind.USER,
          "The message does not start with the id of a schema: its first byte is not 0, or it has"
              + " fewer than 6 bytes.");
    }
    int id = in.getInt();
    MessageIndexes indexes = MessageIndexes.read(in);
    String name = descriptor.getFullName();
    files
        .messageName(id, indexes)
        .filter(written -> !written.equals(name))
        .ifPresent(
            written -> {
              throw new MillraceException(
                  ErrorKind.USER, "The message is a " + written + ", and " + name + " is read.");
            });
    return type.parser().parseFrom(message, in.position(), in.remaining());
  }

  @Override
  public byte[] serialize(T record) throws IOException {
    open();
    if (header == null) {
      int id = files.id(subject, descriptor.getFile());
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.write(ByteBuffer.allocate(1 + Integer.BYTES).put(MAGIC).putInt(id).array());
      MessageIndexes.of(descriptor).write(out);
      header = out.toByteArray();
    }
    ByteBuffer message = ByteBuffer.allocate(header.length + record.getSerializedSize());
    return message.put(header).put(record.toByteArray()).array();
  }
}
