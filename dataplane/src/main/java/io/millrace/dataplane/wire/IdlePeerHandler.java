package io.millrace.dataplane.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection on which nothing comes any more. A process that stands still and a network that
 * swallows everything leave connections open on which one would wait for ever, for records or for
 * credits; a consumer that is merely slow does not, because the wire's own thread answers.
 *
 * <p>Lives in the connection's event loop.
 */
final class IdlePeerHandler extends ChannelInboundHandlerAdapter {
  private final ConnectionTimeouts timeouts;
  private final boolean asks;
  private long lastHeard = System.nanoTime();
  private Future<?> next;

  /**
   * @param asks whether this side sends pings; the other one hears them and answers
   */
  IdlePeerHandler(ConnectionTimeouts timeouts, boolean asks) {
    this.timeouts = timeouts;
    this.asks = asks;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    schedule(context);
  }

  private void schedule(ChannelHandlerContext context) {
    next =
        context
            .executor()
            .schedule(() -> look(context), timeouts.ping().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void look(ChannelHandlerContext context) {
    if (!context.channel().isOpen()) {
      return;
    }
    if (System.nanoTime() - lastHeard > timeouts.silence().toNanos()) {
      context.fireExceptionCaught(
          new IdlePeerException("nothing came from it for " + timeouts.silence().toMillis()));
      return;
    }
    if (asks) {
      context
          .channel()
          .writeAndFlush(Frames.ping(context.alloc()), context.channel().voidPromise());
    }
    schedule(context);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    lastHeard = System.nanoTime();
    context.fireChannelRead(message);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    next.cancel(false);
  }

  /** Says how long nothing came. */
  static final class IdlePeerException extends Exception {
    private static final long serialVersionUID = 1L;

    IdlePeerException(String message) {
      super(message + " ms", null, false, false);
    }
  }
}
