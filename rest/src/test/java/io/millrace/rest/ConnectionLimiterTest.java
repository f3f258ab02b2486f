package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.RestAuthentication;
import io.millrace.core.fs.FileDescriptors;
import io.millrace.core.testing.Behaviour;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of the number of connections and of the time without authentication. */
class ConnectionLimiterTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(4);
  private static final String TOKEN = "token-of-connection-limiter-test";

  @TempDir private Path directory;
  private final List<RawConnection> open = new ArrayList<>();
  private FakeCluster cluster;

  @AfterEach
  void stop() throws IOException {
    for (RawConnection raw : open) {
      raw.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Behaviour(
      "I4: REST bounds connections, and an unauthenticated one never blocks an authenticated one")
  void closesConnectionWithoutRequest() throws IOException {
    start(new ConnectionLimits(100, 100, SHORT));
    assertThat(connect().answer()).isEmpty();
    RawConnection slow = connect();
    slow.send("GET /jobs HTTP/1.1\r\nHost: loc");
    assertThat(slow.answer()).isEmpty();
  }

  @Test
  void closesConnectionWithoutAuthenticatedRequest() throws IOException {
    start(new ConnectionLimits(100, 100, REQUEST_TIMEOUT));
    RawConnection unauthenticated = connect();
    unauthenticated.send("GET /jobs HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    // The response leaves the connection open; the timeout closes it.
    assertThat(unauthenticated.answer()).startsWith("HTTP/1.1 403");
  }

  @Test
  void keepsAuthenticatedConnection() throws IOException {
    start(new ConnectionLimits(100, 100, REQUEST_TIMEOUT));
    RawConnection known = connect();
    known.send(request("keep-alive"));
    RawConnection watch = connect();
    assertThat(watch.answer()).as("closed after its time, and so later than the other").isEmpty();
    known.send(request("close"));
    assertThat(known.answer().split("HTTP/1.1 200", -1)).hasSize(3);
  }

  @Test
  @Behaviour(
      "I4: REST bounds connections, and an unauthenticated one never blocks an authenticated one")
  void newConnectionReplacesOldestUnauthenticatedOne() throws IOException {
    start(new ConnectionLimits(3, 100, LONG));
    assertOldestIsReplaced();
  }

  @Test
  void newConnectionReplacesOldestOfItsAddress() throws IOException {
    start(new ConnectionLimits(100, 3, LONG));
    assertOldestIsReplaced();
  }

  private void assertOldestIsReplaced() throws IOException {
    RawConnection known = connect();
    known.send(request("keep-alive"));
    awaitServed(known);
    RawConnection oldest = connect();
    RawConnection second = connect();
    RawConnection third = connect();

    assertThat(oldest.answer()).isEmpty();
    for (RawConnection served : List.of(known, second, third)) {
      served.send(request("close"));
      assertThat(served.answer()).contains("HTTP/1.1 200");
    }
  }

  @Test
  void idleConnectionsOfOwnUserDoNotBlockNewOnes() throws IOException {
    start(new ConnectionLimits(20, 20, LONG), FakeCluster.OWN_USER);
    for (int i = 0; i < 60; i++) {
      connect();
    }
    assertThat(isServed()).isTrue();
  }

  @Test
  void idleConnectionsAreReplacedBeforeNewOneWithPendingLookup() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        ConnectionLimiter limiter =
            new ConnectionLimiter(
                new ConnectionLimits(2, 100, LONG), PeerAuthentication.ofThisMachine())) {
      SocketChannel idle = accepted(limiter, server);
      limiter.lookedUp(find(limiter, idle), true);
      SocketChannel pending = accepted(limiter, server);
      SocketChannel next = accepted(limiter, server);
      assertThat(idle.isOpen()).isFalse();
      limiter.lookedUp(find(limiter, next), false);
      SocketChannel last = accepted(limiter, server);
      assertThat(next.isOpen()).as("a connection of another user is replaced first").isFalse();
      assertThat(pending.isOpen()).isTrue();
      pending.unsafe().closeForcibly();
      last.unsafe().closeForcibly();
    }
  }

  /** Replaced connections still have their descriptors until their event loop has closed them. */
  @Test
  void rejectsConnectionsWhileReplacedOnesStillHoldTheReserve() throws IOException {
    AtomicLong inUse = new AtomicLong(299);
    List<SocketChannel> channels = new ArrayList<>();
    try (ServerSocket server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        ConnectionLimiter limiter =
            new ConnectionLimiter(new ConnectionLimits(1000, 1000, LONG), null, 400, inUse::get)) {
      for (int i = 0; i < 100; i++) {
        SocketChannel channel = connected(server);
        channels.add(channel);
        if (limiter.accept(channel)) {
          inUse.incrementAndGet();
        }
      }
      assertThat(inUse).hasValue(400 - FileDescriptors.reserve(400) / 2);
    } finally {
      channels.forEach(channel -> channel.unsafe().closeForcibly());
    }
  }

  private static SocketChannel accepted(ConnectionLimiter limiter, ServerSocket server)
      throws IOException {
    SocketChannel channel = connected(server);
    assertThat(limiter.accept(channel)).isTrue();
    return channel;
  }

  private static SocketChannel connected(ServerSocket server) throws IOException {
    return new NioSocketChannel(
        java.nio.channels.SocketChannel.open(
            new InetSocketAddress(server.getInetAddress(), server.getLocalPort())));
  }

  private static ConnectionLimiter.Connection find(
      ConnectionLimiter limiter, SocketChannel channel) {
    return limiter
        .find(
            SocketAddress.inetSocketAddress(channel.localAddress()),
            SocketAddress.inetSocketAddress(channel.remoteAddress()))
        .orElseThrow();
  }

  @Test
  void rejectsConnectionIfAllOthersAreAuthenticated() throws IOException {
    start(new ConnectionLimits(2, 100, LONG));
    RawConnection one = connect();
    RawConnection two = connect();
    for (RawConnection known : List.of(one, two)) {
      known.send(request("keep-alive"));
      awaitServed(known);
    }
    assertThat(connect().answer()).isEmpty();
    one.send(request("close"));
    assertThat(one.answer()).contains("HTTP/1.1 200");
    // One connection is closed, so there is room again.
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!isServed()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  private boolean isServed() throws IOException {
    RawConnection next = connect();
    try {
      next.send(request("close"));
    } catch (IOException e) {
      // The connection was rejected before the request was written.
      return false;
    }
    return next.answer().startsWith("HTTP/1.1 200");
  }

  @Test
  void manyIdleConnectionsDoNotBlockNewOnes() throws IOException {
    start(new ConnectionLimits(50, 50, LONG));
    for (int i = 0; i < 300; i++) {
      connect();
      if (i % 50 == 0) {
        assertThat(isServed()).isTrue();
      }
    }
    assertThat(isServed()).isTrue();
  }

  @Test
  @Behaviour(
      "I4: REST bounds connections, and an unauthenticated one never blocks an authenticated one")
  void reservesDescriptorsForFiles() {
    assertThat(FileDescriptors.reserve(400)).isEqualTo(100);
    assertThat(FileDescriptors.reserve(100)).isEqualTo(64);
    assertThat(FileDescriptors.reserve(1 << 20)).isEqualTo(1024);
    assertThat(FileDescriptors.open()).isBetween(3L, FileDescriptors.limit());
  }

  private void start(ConnectionLimits limits) {
    start(limits, new RestAuthenticator(RestAuthentication.TOKEN, Optional.of(TOKEN), List.of()));
  }

  private void start(ConnectionLimits limits, RestAuthenticator access) {
    RestSettings usual = FakeCluster.settings(directory);
    cluster =
        new FakeCluster(
            new RestSettings(
                usual.bindAddress(),
                usual.address(),
                usual.ports(),
                usual.uploadDir(),
                usual.maxContentLength(),
                usual.longestWait(),
                access,
                limits,
                usual.tls(),
                usual.refusal(),
                WebSettings.DEFAULT));
  }

  private RawConnection connect() throws IOException {
    RawConnection raw = new RawConnection(cluster.port());
    open.add(raw);
    return raw;
  }

  private static String request(String connection) {
    return "GET /jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        + TOKEN
        + "\r\nConnection: "
        + connection
        + "\r\n\r\n";
  }

  private static void awaitServed(RawConnection connection) throws IOException {
    assertThat(connection.line()).startsWith("HTTP/1.1 200");
  }
}
