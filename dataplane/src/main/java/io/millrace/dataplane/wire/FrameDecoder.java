package io.millrace.dataplane.wire;

import io.millrace.core.tls.InternalTls;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.TooLongFrameException;
import java.util.List;

/**
 * Takes frames out of what comes on a connection, without their heads. What is not exactly the next
 * frame as it was sent is an error, after which nothing is read any more.
 */
final class FrameDecoder extends ByteToMessageDecoder {
  /** How a connection with TLS begins, whatever the version. */
  private static final int TLS_HANDSHAKE = 0x1603;

  private int longest = Frames.MAX_HELLO;
  private int number;
  private boolean broken;

  /** From here on, frames may be as long as this. */
  void takeUpTo(int bytes) {
    longest = bytes;
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
          "what comes is not its frame " + number + ", so bytes were lost or changed on the way");
    }
    if (length < 1 || length > longest) {
      broken = true;
      throw new TooLongFrameException(
          "a frame of " + length + " bytes; at most " + longest + " are taken");
    }
    if (in.readableBytes() < Frames.HEAD + length) {
      return;
    }
    if (!Frames.isSealed(in, length)) {
      broken = true;
      throw new CorruptedFrameException(
          "the bytes of its frame " + number + " were changed on the way");
    }
    number++;
    in.skipBytes(Frames.HEAD);
    out.add(in.readRetainedSlice(length));
  }
}
