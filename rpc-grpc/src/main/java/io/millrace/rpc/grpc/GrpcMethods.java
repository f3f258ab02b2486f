package io.millrace.rpc.grpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** The gRPC methods; their messages are plain bytes. */
final class GrpcMethods {
  static final String SERVICE = "millrace.Rpc";

  /** Carries no messages: its headers authenticate both sides. */
  static final MethodDescriptor<byte[], byte[]> HELLO = method("Hello");

  static final MethodDescriptor<byte[], byte[]> CALLS = method("Calls");

  /** Heartbeats have their own stream so that they do not queue behind a burst of calls. */
  static final MethodDescriptor<byte[], byte[]> HEARTBEATS = method("Heartbeats");

  private GrpcMethods() {}

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setRequestMarshaller(new BytesMarshaller())
        .setResponseMarshaller(new BytesMarshaller())
        .build();
  }

  private static final class BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] frame) {
      return new Frame(frame);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        // gRPC limits the size of a message before it gets here; a message of unknown length was
        // compressed.
        return stream instanceof KnownLength
            ? stream.readNBytes(stream.available())
            : stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A frame that gRPC copies as a whole instead of in pieces. */
  private static final class Frame extends ByteArrayInputStream implements KnownLength, Drainable {
    Frame(byte[] frame) {
      super(frame);
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      return Math.toIntExact(transferTo(target));
    }
  }
}
