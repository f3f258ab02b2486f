package io.millrace.dataplane.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection on which no byte arrives. A process that hangs and a network that drops all
 * packets leave connections open, on which tasks would wait for records or credits for ever. A slow
 * consumer is not affected, because the transport thread answers pings.
 *
 * <p>Belongs to the connection's event loop.
 */
final class IdlePeerHandler extends ChannelInboundHandlerAdapter {
  private final ConnectionTimeouts timeouts;
  private final boolean pings;
  private long lastRead = System.nanoTime();
  private Future<?> next;

  /**
   * @param pings whether this side sends pings; the other side answers them
   */
  IdlePeerHandler(ConnectionTimeouts timeouts, boolean pings) {
    this.timeouts = timeouts;
    this.pings = pings;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    schedule(context);
  }

  private void schedule(ChannelHandlerContext context) {
    next =
        context
            .executor()
            .schedule(
                () -> check(context), timeouts.pingInterval().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void check(ChannelHandlerContext context) {
    if (!context.channel().isOpen()) {
      return;
    }
    if (System.nanoTime() - lastRead > timeouts.idle().toNanos()) {
      context.fireExceptionCaught(
          new IdlePeerException("no byte arrived from it for " + timeouts.idle().toMillis()));
      return;
    }
    if (pings) {
      context
          .channel()
          .writeAndFlush(Frames.ping(context.alloc()), context.channel().voidPromise());
    }
    schedule(context);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    lastRead = System.nanoTime();
    context.fireChannelRead(message);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    next.cancel(false);
  }

  /** The peer sent nothing for the idle timeout. */
  static final class IdlePeerException extends Exception {
    private static final long serialVersionUID = 1L;

    IdlePeerException(String message) {
      super(message + " ms", null, false, false);
    }
  }
}
