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
 * The handshake of a connection to the data port. It reads two short frames until the client has
 * proved that it knows the secret of the cluster. The handshake has a time limit, and the number of
 * pending handshakes is bounded: a new one replaces the oldest.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>waiting for HELLO</td><td>valid HELLO: send CHALLENGE</td><td>waiting for PROOF</td></tr>
 * <tr><td>waiting for PROOF</td><td>valid PROOF</td><td>accepted</td></tr>
 * <tr><td>waiting</td><td>invalid frame, or the time limit</td><td>refused: close</td></tr>
 * <tr><td>waiting</td><td>replaced by a newer handshake: send BUSY</td><td>refused: close</td></tr>
 * </table>
 */
final class ServerHandshake extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(ServerHandshake.class);
  private static final int TIMEOUT_SECONDS = 5;

  private final DataTransport wire;
  private final String address;
  private final Consumer<String> accepted;
  private Optional<SecretProof.Meeting> meeting = Optional.empty();
  private Future<?> deadline;
  private ChannelHandlerContext own;
  private boolean refused;

  /**
   * @param address the data address of this process
   * @param accepted replaces the handshake in the pipeline; gets the address of the peer
   */
  ServerHandshake(DataTransport wire, String address, Consumer<String> accepted) {
    this.wire = wire;
    this.address = address;
    this.accepted = accepted;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    own = context;
    wire.pendingHandshakes().add(this).ifPresent(ServerHandshake::replaced);
    deadline =
        context
            .executor()
            .schedule(
                () -> refuse(context, "no HELLO and PROOF within " + TIMEOUT_SECONDS + " s"),
                TIMEOUT_SECONDS,
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
      refuse(context, "its HELLO frame is invalid (" + e.getMessage() + ")");
      return;
    }
    // Otherwise a man in the middle could relay the proof of this process.
    if (!met.called().equals(address)) {
      refuse(
          context, "it wants to connect to " + met.called() + ", but this process is " + address);
      return;
    }
    meeting = Optional.of(met);
    Bytes proof = SecretProof.of(wire.port().secret(), SecretProof.Side.CALLED, met);
    context.writeAndFlush(Frames.challenge(context.alloc(), met.calledNonce(), proof));
  }

  private void proof(ChannelHandlerContext context, ByteBuf frame, SecretProof.Meeting met) {
    if (!frame.isReadable() || frame.readByte() != Frames.PROOF) {
      refuse(context, "it sent no PROOF frame");
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

  /** Sends BUSY, upon which a process of the cluster tries again. */
  private void replaced() {
    own.executor()
        .execute(
            () -> {
              if (refused(
                  own,
                  "more than "
                      + PendingHandshakes.MOST
                      + " handshakes are pending, and this one is the oldest")) {
                own.writeAndFlush(Frames.busy(own.alloc())).addListener(told -> own.close());
              }
            });
  }

  /** Records a refusal; false if the connection is refused or closed already. */
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
                  "The data connection from {}, which claims to be {}, was closed before it proved"
                      + " that it knows the secret; if it belongs to this cluster, {}{}",
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
    refuse(context, "its first bytes are invalid (" + WireErrors.sentence(cause) + ")");
  }
}
