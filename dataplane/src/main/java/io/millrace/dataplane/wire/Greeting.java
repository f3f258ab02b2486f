package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import java.security.MessageDigest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The door of the data port: reads one short frame, and nothing after it, until a connection has
 * shown the cluster's secret. Strangers have a few seconds and there may be only so many of them.
 */
final class Greeting extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(Greeting.class);
  private static final int SECONDS = 5;
  private static final int MAX_STRANGERS = 64;

  private final Bytes secret;
  private final AtomicInteger strangers;
  private final Runnable accepted;
  private Future<?> deadline;
  private boolean counted;

  /**
   * @param strangers how many connections wait at the door; shared by all of them
   * @param accepted puts what follows into the pipeline
   */
  Greeting(Bytes secret, AtomicInteger strangers, Runnable accepted) {
    this.secret = secret;
    this.strangers = strangers;
    this.accepted = accepted;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    counted = true;
    if (strangers.incrementAndGet() > MAX_STRANGERS) {
      refuse(context, "too many connections wait to be accepted");
      return;
    }
    deadline =
        context
            .executor()
            .schedule(
                () -> refuse(context, "no greeting within " + SECONDS + " s"),
                SECONDS,
                TimeUnit.SECONDS);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    if (frame.readableBytes() < 6
        || frame.readByte() != Frames.HELLO
        || frame.readInt() != Frames.MAGIC) {
      refuse(context, "it does not speak our protocol");
      return;
    }
    byte version = frame.readByte();
    if (version != Frames.VERSION) {
      refuse(context, "it speaks version " + version + ", this process " + Frames.VERSION);
      return;
    }
    byte[] shown = new byte[frame.readableBytes()];
    frame.readBytes(shown);
    if (!MessageDigest.isEqual(shown, secret.unsafeArray())) {
      refuse(context, "its cluster secret is another one");
      return;
    }
    leave();
    accepted.run();
    context.writeAndFlush(Frames.welcome(context.alloc()));
  }

  private void refuse(ChannelHandlerContext context, String why) {
    if (context.channel().isOpen()) {
      LOG.warn("Data connection from {} refused: {}", context.channel().remoteAddress(), why);
      context.close();
    }
  }

  private void leave() {
    if (deadline != null) {
      deadline.cancel(false);
    }
    if (counted) {
      counted = false;
      strangers.decrementAndGet();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    leave();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    refuse(context, "its first bytes make no sense (" + cause.getMessage() + ")");
  }
}
