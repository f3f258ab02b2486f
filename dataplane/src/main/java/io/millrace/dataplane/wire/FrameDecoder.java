package io.millrace.dataplane.wire;

import io.millrace.core.tls.InternalTls;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import java.util.List;

/**
 * Decodes the frames of a connection and removes their heads. It checks the number and the checksum
 * of each frame. After an invalid frame it ignores all further bytes.
 */
final class FrameDecoder extends ByteToMessageDecoder {
  /** The first two bytes of a TLS connection, in any version. */
  private static final int TLS_HANDSHAKE = 0x1603;

  private int maxLength = Frames.MAX_HELLO;
  private int number;
  private boolean broken;

  /** Sets the maximum length of the frames that follow. */
  void maxLength(int bytes) {
    maxLength = bytes;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (broken) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (in.readableBytes() < Frames.HEAD) {
      return;
    }
    int length = in.getInt(in.readerIndex());
    if (!Frames.isNumbered(in, number)) {
      broken = true;
      if (number == 0 && length >>> 16 == TLS_HANDSHAKE) {
        throw new CorruptedFrameException(
            "it speaks TLS, this process does not; " + InternalTls.DIFFERS);
      }
      throw new CorruptedFrameException(
          "the bytes are not those of frame " + number + ": bytes were lost or changed in transit");
    }
    if (length < 1 || length > maxLength) {
      broken = true;
      throw new TooLongFrameException(
          "a frame has " + length + " bytes; the maximum is " + maxLength);
    }
    if (in.readableBytes() < Frames.HEAD + length) {
      return;
    }
    if (!Frames.isSealed(in, length)) {
      broken = true;
      throw new CorruptedFrameException(
          "the bytes of frame " + number + " were changed in transit");
    }
    number++;
    in.skipBytes(Frames.HEAD);
    out.add(in.readRetainedSlice(length));
  }
}
