package io.millrace.core.tls;

import io.millrace.core.Sha256;
import io.millrace.core.config.Configuration;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * A TLS connection of a process with itself, in memory. It loads the classes and initialises the
 * algorithms that the first real connection needs, in a thread beside the start of the process.
 */
public final class TlsWarmUp {
  /** A handshake takes about ten. */
  private static final int MAX_ROUNDS = 50;

  private static final int BUFFER_BYTES = 64 * 1024;

  /** As much as a small jar, so that the JVM compiles ciphers and hashes before one is sent. */
  private static final int TRANSFER_BYTES = 512 * 1024;

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

  /** Whether the handshake succeeded in both roles and data could be sent each way. */
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
          && send(client, server, toServer)
          && send(server, client, toClient);
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
  private static boolean send(SSLEngine from, SSLEngine to, ByteBuffer sent) throws SSLException {
    ByteBuffer content = ByteBuffer.allocate(TRANSFER_BYTES);
    ByteBuffer plain = ByteBuffer.allocate(BUFFER_BYTES);
    MessageDigest digest = Sha256.begin();
    int received = 0;
    while (content.hasRemaining()) {
      from.wrap(content, sent);
      sent.flip();
      plain.clear();
      boolean progress = true;
      while (progress && sent.hasRemaining()) {
        progress = to.unwrap(sent, plain).bytesConsumed() > 0;
      }
      sent.clear();
      received += plain.position();
      digest.update(plain.flip());
    }
    return received == TRANSFER_BYTES;
  }
}
