package io.millrace.core.tls;

import io.millrace.core.config.Configuration;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * A TLS handshake of a process with itself, in memory. It loads the classes and initialises the
 * algorithms that the first real connection needs, in a thread beside the start of the process.
 */
public final class TlsWarmUp {
  /** A handshake takes about ten. */
  private static final int MAX_ROUNDS = 50;

  private static final int BUFFER_BYTES = 64 * 1024;

  private TlsWarmUp() {}

  /**
   * Does nothing without TLS. A failure has no effect, because real connections report it.
   *
   * @return whether a handshake succeeded
   */
  public static boolean run(Configuration configuration) {
    try {
      return InternalTls.of(configuration).filter(TlsWarmUp::connectToItself).isPresent();
    } catch (RuntimeException e) {
      return false;
    }
  }

  /** Whether the handshake succeeded in both roles and a byte could be sent each way. */
  static boolean connectToItself(InternalTls tls) {
    SSLContext context = tls.context();
    SSLEngine client = engine(context, tls, true);
    SSLEngine server = engine(context, tls, false);
    try {
      ByteBuffer toServer = ByteBuffer.allocate(BUFFER_BYTES);
      ByteBuffer toClient = ByteBuffer.allocate(BUFFER_BYTES);
      client.beginHandshake();
      server.beginHandshake();
      for (int round = 0; round < MAX_ROUNDS && !(isOver(client) && isOver(server)); round++) {
        advance(client, toClient, toServer);
        advance(server, toServer, toClient);
      }
      return isOver(client)
          && isOver(server)
          && sendByte(client, server, toServer)
          && sendByte(server, client, toClient);
    } catch (SSLException e) {
      return false;
    }
  }

  private static SSLEngine engine(SSLContext context, InternalTls tls, boolean client) {
    SSLEngine engine = context.createSSLEngine("localhost", 1);
    engine.setUseClientMode(client);
    engine.setEnabledProtocols(new String[] {tls.protocol()});
    if (!tls.ciphers().isEmpty()) {
      engine.setEnabledCipherSuites(tls.ciphers().toArray(new String[0]));
    }
    if (!client) {
      engine.setNeedClientAuth(true);
    }
    return engine;
  }

  private static boolean isOver(SSLEngine engine) {
    return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
  }

  /** Takes what the peer has sent, and sends what is due. */
  private static void advance(SSLEngine engine, ByteBuffer received, ByteBuffer sent)
      throws SSLException {
    ByteBuffer none = ByteBuffer.allocate(BUFFER_BYTES);
    received.flip();
    boolean progress = true;
    while (progress) {
      progress = false;
      for (Runnable task = engine.getDelegatedTask();
          task != null;
          task = engine.getDelegatedTask()) {
        task.run();
        progress = true;
      }
      if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
        progress |= engine.wrap(ByteBuffer.allocate(0), sent).bytesProduced() > 0;
      } else if (received.hasRemaining()) {
        progress |= engine.unwrap(received, none).bytesConsumed() > 0;
      }
    }
    received.compact();
  }

  /**
   * @param sent what the receiver has not read yet: tickets for resumption
   */
  private static boolean sendByte(SSLEngine from, SSLEngine to, ByteBuffer sent)
      throws SSLException {
    from.wrap(ByteBuffer.wrap(new byte[] {1}), sent);
    sent.flip();
    ByteBuffer plain = ByteBuffer.allocate(BUFFER_BYTES);
    boolean progress = true;
    while (progress && sent.hasRemaining()) {
      progress = to.unwrap(sent, plain).bytesConsumed() > 0;
    }
    return plain.position() == 1;
  }
}
