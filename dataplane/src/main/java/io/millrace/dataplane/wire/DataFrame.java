package io.millrace.dataplane.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/** A received DATA frame. Its owner releases it once. */
public final class DataFrame {
  private final DataFrameHeader header;
  private final ByteBuf payload;
  private final Channel channel;
  private final int stream;

  DataFrame(DataFrameHeader header, ByteBuf payload, Channel channel, int stream) {
    this.header = header;
    this.payload = payload;
    this.channel = channel;
    this.stream = stream;
  }

  public DataFrameHeader header() {
    return header;
  }

  public int size() {
    return payload.readableBytes();
  }

  public void copyTo(byte[] bytes, int from) {
    payload.getBytes(payload.readerIndex(), bytes, from, payload.readableBytes());
  }

  /** Gives a credit back to the producer. */
  public void credit() {
    channel.writeAndFlush(Frames.credit(channel.alloc(), stream, header, 1), channel.voidPromise());
  }

  /** Asks the producer, which is the enumerator of a source, for splits. */
  public void requestSplits(long total) {
    channel.writeAndFlush(
        Frames.splitRequest(channel.alloc(), stream, header, total), channel.voidPromise());
  }

  public void release() {
    payload.release();
  }
}
