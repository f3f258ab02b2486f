package io.millrace.format.protobuf;

import com.google.protobuf.Message;
import io.millrace.api.serialization.Serializer;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Writes messages of a generated class that travel between tasks or lie in state, as Protobuf does.
 *
 * <pre>{@code
 * // OrderMessage is a class that Protobuf has generated.
 * env.registerSerializer(OrderMessage.class, ProtobufSerializer.of(OrderMessage.class));
 * }</pre>
 *
 * @param <T> the messages
 */
public final class ProtobufSerializer<T extends Message> implements Serializer<T> {
  private static final long serialVersionUID = 1L;

  private final MessageType<T> type;

  private ProtobufSerializer(MessageType<T> type) {
    this.type = type;
  }

  public static <T extends Message> ProtobufSerializer<T> of(Class<T> generated) {
    return new ProtobufSerializer<>(MessageType.of(generated));
  }

  @Override
  public void write(T value, DataOutput out) throws IOException {
    byte[] bytes = value.toByteArray();
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  @Override
  public T read(DataInput in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return type.parser().parseFrom(bytes);
  }
}
