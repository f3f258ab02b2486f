package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.secret.SecretProof;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The door of the data port: reads two short frames, and nothing after them, until a connection has
 * proved that it comes from the cluster. Strangers have a few seconds, and there may be only so
 * many of them: the oldest gives way to a new one.
 *
 * <p>States: waiting for HELLO → waiting for PROOF (CHALLENGE sent) → accepted, and from each →
 * refused.
 */
final class ServerHandshake extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(ServerHandshake.class);
  private static final int SECONDS = 5;

  private final DataTransport wire;
  private final String address;
  private final Consumer<String> accepted;
  private Optional<SecretProof.Meeting> meeting = Optional.empty();
  private Future<?> deadline;
  private ChannelHandlerContext own;
  private boolean refused;

  /**
   * @param address under which this host is known
   * @param accepted puts what follows into the pipeline, given the address of the peer
   */
  ServerHandshake(DataTransport wire, String address, Consumer<String> accepted) {
    this.wire = wire;
    this.address = address;
    this.accepted = accepted;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    own = context;
    wire.pendingHandshakes().add(this).ifPresent(ServerHandshake::giveWay);
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
    if (refused) {
      return;
    }
    if (meeting.isEmpty()) {
      hello(context, frame);
    } else {
      proof(context, frame, meeting.get());
    }
  }

  private void hello(ChannelHandlerContext context, ByteBuf frame) {
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
    SecretProof.Meeting met;
    try {
      met = Frames.readHello(frame, wire.nonce());
    } catch (MillraceException | IndexOutOfBoundsException e) {
      refuse(context, "its greeting is none (" + e.getMessage() + ")");
      return;
    }
    // Somebody in between, who listens elsewhere, would have us prove ourselves on its behalf.
    if (!met.called().equals(address)) {
      refuse(context, "it means to reach " + met.called() + ", but this process is " + address);
      return;
    }
    meeting = Optional.of(met);
    Bytes proof = SecretProof.of(wire.port().secret(), SecretProof.Side.CALLED, met);
    context.writeAndFlush(Frames.challenge(context.alloc(), met.calledNonce(), proof));
  }

  private void proof(ChannelHandlerContext context, ByteBuf frame, SecretProof.Meeting met) {
    if (!frame.isReadable() || frame.readByte() != Frames.PROOF) {
      refuse(context, "it goes on without a proof");
      return;
    }
    Bytes shown = Frames.readBytes(frame, frame.readableBytes());
    if (!SecretProof.fits(wire.port().secret(), SecretProof.Side.CALLER, met, shown)) {
      refuse(
          context,
          "it does not prove that it knows the secret; if it belongs to this cluster, "
              + SecretProof.DIFFERS);
      return;
    }
    leave();
    accepted.accept(met.caller());
  }

  private void refuse(ChannelHandlerContext context, String why) {
    if (refused(context, why)) {
      context.close();
    }
  }

  /** A member of the cluster that is told so tries again. */
  private void giveWay() {
    own.executor()
        .execute(
            () -> {
              if (refused(
                  own,
                  "more than "
                      + PendingHandshakes.MOST
                      + " connections have not proved that they know the secret, and it was the"
                      + " oldest of them")) {
                own.writeAndFlush(Frames.busy(own.alloc())).addListener(told -> own.close());
              }
            });
  }

  /** Whether this is the first reason to refuse it. */
  private boolean refused(ChannelHandlerContext context, String why) {
    if (refused || !context.channel().isOpen()) {
      return false;
    }
    refused = true;
    warn(
        context,
        more ->
            LOG.warn(
                "Data connection from {} refused: {}{}",
                context.channel().remoteAddress(),
                why,
                more));
    return true;
  }

  private void warn(ChannelHandlerContext context, Consumer<String> line) {
    wire.refusals()
        .log(
            context.channel().remoteAddress() instanceof InetSocketAddress remote
                ? remote.getHostString()
                : "",
            line);
  }

  private void leave() {
    if (deadline != null) {
      deadline.cancel(false);
    }
    wire.pendingHandshakes().remove(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (meeting.isPresent() && !refused) {
      warn(
          context,
          more ->
              LOG.warn(
                  "The data connection from {}, which says it is {}, ended before it proved that it"
                      + " knows the secret; if it belongs to this cluster, {}{}",
                  context.channel().remoteAddress(),
                  meeting.get().caller(),
                  SecretProof.DIFFERS,
                  more));
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    leave();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    refuse(context, "its first bytes make no sense (" + WireErrors.sentence(cause) + ")");
  }
}
