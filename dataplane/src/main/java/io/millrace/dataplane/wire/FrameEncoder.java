package io.millrace.dataplane.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/** Numbers frames in the order in which the connection sends them, for all threads. */
final class FrameEncoder extends ChannelOutboundHandlerAdapter {
  private int number;

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    context.write(Frames.numbered((ByteBuf) message, number++), promise);
  }
}
