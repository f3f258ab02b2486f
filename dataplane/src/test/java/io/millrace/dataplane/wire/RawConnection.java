package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.secret.SecretProof;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.zip.CRC32C;

/** One connection to a data port, on which the test says every word itself. */
final class RawConnection implements AutoCloseable {
  /** Who it says it is. */
  static final String ADDRESS = "127.0.0.1:1";

  final Bytes nonce = SecretProof.nonce(new SecureRandom());

  /** What came in answer to the hello. */
  Bytes calledNonce = Bytes.EMPTY;

  Bytes calledProof = Bytes.EMPTY;

  private final String server;
  private final Socket socket;
  private int sent;

  RawConnection(String server) throws IOException {
    this.server = server;
    int port = Integer.parseInt(server.substring(server.indexOf(':') + 1));
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
  }

  /** The first frame of a connection; {@link #send} makes it the next one. */
  static byte[] frame(byte[] body) {
    CRC32C sum = new CRC32C();
    sum.update(body);
    byte[] frame =
        ByteBuffer.allocate(Frames.HEAD + body.length)
            .putInt(body.length)
            .putInt(0)
            .putInt((int) sum.getValue())
            .put(body)
            .array();
    return numbered(frame, 0);
  }

  static byte[] numbered(byte[] frame, int number) {
    byte[] next = frame.clone();
    Frames.numbered(Unpooled.wrappedBuffer(next), number);
    return next;
  }

  static byte[] hello(Bytes nonce, String caller, String called) {
    return numbered(
        taken(Frames.hello(UnpooledByteBufAllocator.DEFAULT, nonce, caller, called)), 0);
  }

  private static byte[] taken(ByteBuf buffer) {
    try {
      return ByteBufUtil.getBytes(buffer);
    } finally {
      buffer.release();
    }
  }

  void hello() throws IOException {
    hello(nonce);
  }

  void hello(Bytes withNonce) throws IOException {
    send(hello(withNonce, ADDRESS, server));
    byte[] challenge = next();
    calledNonce = Bytes.copyOf(challenge, 1, 1 + SecretProof.NONCE_BYTES);
    calledProof = Bytes.copyOf(challenge, 1 + SecretProof.NONCE_BYTES, challenge.length);
  }

  /** The frame of one who knows the secret. */
  byte[] proof(Bytes secret) {
    return shown(
        SecretProof.of(
            secret, SecretProof.Side.CALLER, Frames.meeting(ADDRESS, server, nonce, calledNonce)));
  }

  static byte[] shown(Bytes proof) {
    return taken(Frames.proof(UnpooledByteBufAllocator.DEFAULT, proof));
  }

  /** Frames, all at once. */
  void send(byte[]... frames) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] frame : frames) {
      bytes.write(numbered(frame, sent++));
    }
    sendRaw(bytes.toByteArray());
  }

  /** Whatever it is. */
  void sendRaw(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** The next frame. */
  byte[] next() throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] body = new byte[in.readInt()];
    in.readFully(new byte[Frames.HEAD - 4]);
    in.readFully(body);
    return body;
  }

  /** What still comes until the other side closes. */
  byte[] rest() throws IOException {
    try {
      return socket.getInputStream().readAllBytes();
    } catch (SocketException reset) {
      return new byte[0];
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
