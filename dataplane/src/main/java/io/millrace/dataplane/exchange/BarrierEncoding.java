package io.millrace.dataplane.exchange;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The request of a checkpoint as the payload of a frame. */
public final class BarrierEncoding {
  /** The maximum length of the path of a directory in bytes. */
  private static final int MAX_PATH = 4096;

  private BarrierEncoding() {}

  /** Refuses a request whose paths are too long to be sent. */
  public static void check(CheckpointRequest request) {
    path(request.directory());
    path(request.sharedDirectory());
  }

  private static byte[] path(String directory) {
    byte[] bytes = directory.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > MAX_PATH) {
      throw new MillraceException(
          ErrorKind.USER,
          "The path of a checkpoint directory has %d bytes; the maximum is %d. Use a shorter one."
              .formatted(bytes.length, MAX_PATH));
    }
    return bytes;
  }

  static void encode(CheckpointRequest request, ByteArrayOutput out) {
    out.putLong(request.checkpoint());
    out.putLong(request.timestamp());
    out.putByte(request.barriers().unaligned() ? 1 : 0);
    out.putLong(request.barriers().alignmentTimeout().toMillis());
    out.putInt(request.inlineThreshold());
    put(request.type().name().getBytes(StandardCharsets.UTF_8), out);
    put(path(request.directory()), out);
    put(path(request.sharedDirectory()), out);
  }

  private static void put(byte[] text, ByteArrayOutput out) {
    out.putVarInt(text.length);
    out.putBytes(text, 0, text.length);
  }

  static CheckpointRequest decode(ByteArrayInput in) {
    long checkpoint = in.readLong();
    long timestamp = in.readLong();
    int unaligned = in.readByte();
    long timeout = in.readLong();
    int inlineThreshold = in.readInt();
    String type = readText(in);
    String directory = readText(in);
    String shared = readText(in);
    if (in.remaining() > 0) {
      throw malformed(in.remaining() + " more bytes");
    }
    try {
      return new CheckpointRequest(
          checkpoint,
          timestamp,
          CheckpointRequest.Type.valueOf(type),
          new CheckpointRequest.Barriers(unaligned != 0, Duration.ofMillis(timeout)),
          directory,
          shared,
          inlineThreshold);
    } catch (IllegalArgumentException e) {
      throw malformed(e.getMessage());
    }
  }

  private static String readText(ByteArrayInput in) {
    int length = in.readVarInt();
    if (length < 0 || length > MAX_PATH) {
      throw malformed("a text of " + length + " bytes");
    }
    return new String(in.array(), in.take(length), length, StandardCharsets.UTF_8);
  }

  private static MillraceException malformed(String what) {
    return new MillraceException(ErrorKind.BUG, "A checkpoint barrier has " + what);
  }
}
