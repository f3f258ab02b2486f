package io.millrace.dataplane.records;

import io.millrace.api.serialization.Serializer;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.fory.config.Config;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;

/**
 * Calls a serializer of the program. Its bytes follow their length, so that a serializer which
 * reads more or fewer bytes than it wrote is detected.
 */
final class UserSerializerAdapter<T> extends org.apache.fory.serializer.Serializer<T> {
  private final Serializer<T> serializer;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  UserSerializerAdapter(Config config, Class<T> type, Serializer<T> serializer) {
    super(config, type);
    this.serializer = serializer;
  }

  @Override
  public void write(WriteContext context, T value) {
    bytes.reset();
    try {
      serializer.write(value, new DataOutputStream(bytes));
    } catch (IOException | RuntimeException e) {
      throw failed("write", e);
    }
    context.writeVarUInt32(bytes.size());
    context.getBuffer().writeBytes(bytes.toByteArray());
  }

  @Override
  public T read(ReadContext context) {
    int length = context.readVarUInt32();
    context.getBuffer().checkReadableBytes(length);
    ByteArrayInputStream in = new ByteArrayInputStream(context.getBuffer().readBytes(length));
    T value;
    try {
      value = serializer.read(new DataInputStream(in));
    } catch (IOException | RuntimeException e) {
      throw failed("read", e);
    }
    if (in.available() > 0) {
      throw new MillraceException(
          ErrorKind.USER,
          named()
              + " left "
              + in.available()
              + " of "
              + length
              + " bytes unread. Read all of them.");
    }
    return value;
  }

  private MillraceException failed(String what, Exception thrown) {
    return new MillraceException(
        ErrorKind.USER, named() + " failed to " + what + ": " + Failure.sentence(thrown), thrown);
  }

  private String named() {
    return "The serializer " + serializer.getClass().getName() + " of " + type.getName();
  }
}
