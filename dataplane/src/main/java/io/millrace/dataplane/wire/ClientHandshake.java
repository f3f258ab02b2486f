package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.secret.SecretProof;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The handshake of a connection to another process. It sends HELLO and nothing else until the
 * server has proved with its CHALLENGE that it knows the secret; then it sends PROOF.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>HELLO sent</td><td>valid CHALLENGE: send PROOF</td><td>connected</td></tr>
 * <tr><td>HELLO sent</td><td>BUSY, reset, or closed by the server</td><td>closed, retried</td></tr>
 * <tr><td>HELLO sent</td><td>invalid frame, or the time limit</td><td>failed</td></tr>
 * </table>
 */
final class ClientHandshake extends SimpleChannelInboundHandler<ByteBuf> {
  private static final int TIMEOUT_SECONDS = 5;

  private final DataTransport wire;
  private final OutboundDataConnection connection;
  private final Runnable proven;
  private final Bytes nonce;
  private Future<?> deadline;
  private String error = "";
  private boolean mayTryAgain = true;

  /**
   * @param proven replaces the handshake in the pipeline
   */
  ClientHandshake(DataTransport wire, OutboundDataConnection connection, Runnable proven) {
    this.wire = wire;
    this.connection = connection;
    this.proven = proven;
    nonce = wire.nonce();
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.writeAndFlush(Frames.hello(context.alloc(), nonce, wire.address(), connection.peer()));
    deadline =
        context
            .executor()
            .schedule(
                () -> giveUp(context, "it sent no CHALLENGE within " + TIMEOUT_SECONDS + " s"),
                TIMEOUT_SECONDS,
                TimeUnit.SECONDS);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
    if (!error.isEmpty()) {
      return;
    }
    if (frame.readableBytes() == 1 && frame.getByte(frame.readerIndex()) == Frames.BUSY) {
      error = "too many handshakes are pending there";
      context.close();
      return;
    }
    if (frame.readableBytes() != 1 + SecretProof.NONCE_BYTES + SecretProof.BYTES
        || frame.readByte() != Frames.CHALLENGE) {
      giveUp(context, "it does not speak our protocol");
      return;
    }
    SecretProof.Meeting meeting =
        Frames.meeting(
            wire.address(),
            connection.peer(),
            nonce,
            Frames.readBytes(frame, SecretProof.NONCE_BYTES));
    Bytes shown = Frames.readBytes(frame, SecretProof.BYTES);
    if (!SecretProof.fits(wire.port().secret(), SecretProof.Side.CALLED, meeting, shown)) {
      giveUp(
          context,
          "it does not prove that it knows the secret; if it belongs to this cluster, "
              + SecretProof.DIFFERS);
      return;
    }
    Bytes proof = SecretProof.of(wire.port().secret(), SecretProof.Side.CALLER, meeting);
    context.writeAndFlush(Frames.proof(context.alloc(), proof));
    proven.run();
  }

  private void giveUp(ChannelHandlerContext context, String why) {
    if (error.isEmpty()) {
      error = why;
      mayTryAgain = false;
    }
    context.close();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    if (deadline != null) {
      deadline.cancel(false);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (WireErrors.isReset(cause) && error.isEmpty()) {
      error = WireErrors.sentence(cause);
      context.close();
      return;
    }
    giveUp(
        context,
        cause instanceof DecoderException
            ? "its first bytes are invalid (" + WireErrors.sentence(cause) + ")"
            : WireErrors.sentence(cause));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (error.isEmpty()) {
      connection.notAccepted(
          "closed the connection during the handshake. Check that both processes have the same"
              + " version and TLS settings and that this is the address that the TaskManager"
              + " advertises, and look for refused connections in its log.");
    } else if (mayTryAgain) {
      connection.notAccepted("did not accept the connection: " + error);
    } else {
      connection.broke("TaskManager " + connection.peer() + " is not connected: " + error);
    }
  }
}
