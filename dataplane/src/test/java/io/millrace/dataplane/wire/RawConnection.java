package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.secret.SecretProof;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

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

  RawConnection(String server) throws IOException {
    this.server = server;
    int port = Integer.parseInt(server.substring(server.indexOf(':') + 1));
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
  }

  static byte[] frame(byte[] body) {
    return ByteBuffer.allocate(4 + body.length).putInt(body.length).put(body).array();
  }

  static byte[] hello(Bytes nonce, String caller, String called) {
    return taken(Frames.hello(UnpooledByteBufAllocator.DEFAULT, nonce, caller, called));
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

  /** All at once. */
  void send(byte[]... pieces) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] piece : pieces) {
      bytes.write(piece);
    }
    socket.getOutputStream().write(bytes.toByteArray());
  }

  /** The next frame. */
  byte[] next() throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] body = new byte[in.readInt()];
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
