package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;

/**
 * The frames of the data connection: a length, a type, and what the type says. The producer's host
 * sends HELLO, OPEN, DATA and CLOSE, the consumer's WELCOME, OPENED, CREDIT and ERROR.
 */
final class Frames {
  static final byte HELLO = 1;
  static final byte WELCOME = 2;
  static final byte OPEN = 3;
  static final byte OPENED = 4;
  static final byte DATA = 5;
  static final byte CREDIT = 6;
  static final byte ERROR = 7;
  static final byte CLOSE = 8;

  static final int MAGIC = 0x4d4c5243;
  static final byte VERSION = 1;

  /** Before a connection has shown the secret nothing longer than this is read. */
  static final int MAX_HELLO = 1024;

  static final int MAX_FRAME = 64 << 20;
  static final int MAX_PAYLOAD = MAX_FRAME - 64;
  private static final int MAX_TEXT = 4096;
  private static final int DATA_HEADER = 4 + 4 + 4 + 4 + 1 + 1 + 8;

  private Frames() {}

  private static ByteBuf frame(ByteBufAllocator alloc, byte type, int body) {
    ByteBuf out = alloc.buffer(4 + 1 + body);
    out.writeInt(1 + body);
    out.writeByte(type);
    return out;
  }

  static ByteBuf hello(ByteBufAllocator alloc, Bytes secret) {
    return frame(alloc, HELLO, 4 + 1 + secret.length())
        .writeInt(MAGIC)
        .writeByte(VERSION)
        .writeBytes(secret.unsafeArray());
  }

  static ByteBuf welcome(ByteBufAllocator alloc) {
    return frame(alloc, WELCOME, 0);
  }

  static ByteBuf open(ByteBufAllocator alloc, int stream, JobId job, long number, String from) {
    byte[] address = from.getBytes(StandardCharsets.UTF_8);
    return frame(alloc, OPEN, 4 + 16 + 8 + address.length)
        .writeInt(stream)
        .writeLong(job.value().high())
        .writeLong(job.value().low())
        .writeLong(number)
        .writeBytes(address);
  }

  static JobId readJob(ByteBuf in) {
    return new JobId(new Id128(in.readLong(), in.readLong()));
  }

  static ByteBuf opened(ByteBufAllocator alloc, int stream) {
    return frame(alloc, OPENED, 4).writeInt(stream);
  }

  static ByteBuf close(ByteBufAllocator alloc, int stream) {
    return frame(alloc, CLOSE, 4).writeInt(stream);
  }

  static ByteBuf error(ByteBufAllocator alloc, int stream, String message) {
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, MAX_TEXT);
    return frame(alloc, ERROR, 4 + length).writeInt(stream).writeBytes(text, 0, length);
  }

  static String readText(ByteBuf in) {
    int length = Math.min(in.readableBytes(), MAX_TEXT);
    return in.readCharSequence(length, StandardCharsets.UTF_8).toString();
  }

  static ByteBuf data(
      ByteBufAllocator alloc, int stream, DataHeader header, byte[] payload, int length) {
    return frame(alloc, DATA, DATA_HEADER + length)
        .writeInt(stream)
        .writeInt(header.edge())
        .writeInt(header.producer())
        .writeInt(header.consumer())
        .writeBoolean(header.more())
        .writeByte(header.control())
        .writeLong(header.value())
        .writeBytes(payload, 0, length);
  }

  static DataHeader readHeader(ByteBuf in) {
    return new DataHeader(
        in.readInt(), in.readInt(), in.readInt(), in.readBoolean(), in.readByte(), in.readLong());
  }

  static ByteBuf credit(ByteBufAllocator alloc, int stream, DataHeader header, int count) {
    return frame(alloc, CREDIT, 20)
        .writeInt(stream)
        .writeInt(header.edge())
        .writeInt(header.producer())
        .writeInt(header.consumer())
        .writeInt(count);
  }
}
