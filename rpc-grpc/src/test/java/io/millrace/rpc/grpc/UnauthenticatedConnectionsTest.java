package io.millrace.rpc.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The server has no handlers, so only the class under test closes connections. */
final class UnauthenticatedConnectionsTest {
  private final UnauthenticatedConnections unauthenticated = new UnauthenticatedConnections();
  private final EventLoop loop =
      new SingleThreadIoEventLoop(
          null, new DefaultThreadFactory("test", true), NioIoHandler.newFactory());
  private final List<Socket> open = new ArrayList<>();
  private InetSocketAddress address;

  @BeforeEach
  void listen() {
    NioServerSocketChannel listener = unauthenticated.listener();
    new ServerBootstrap()
        .group(loop)
        .channelFactory(() -> listener)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {}
            })
        .bind(InetAddress.getLoopbackAddress(), 0)
        .syncUninterruptibly();
    address = listener.localAddress();
  }

  @AfterEach
  void closeAll() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    open.add(socket);
    return socket;
  }

  private static void assertClosedByTheOtherSide(Socket socket) throws IOException {
    socket.setSoTimeout(20_000);
    try {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    } catch (SocketException reset) {
      assertThat(reset).hasMessageContaining("reset");
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void connectionThatDoesNotAuthenticateIsClosedAfterTheTimeout() throws Exception {
    assertClosedByTheOtherSide(connect());
    assertThat(loop.submit(unauthenticated::size).get()).isZero();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void authenticatedConnectionStaysOpen() throws Exception {
    Socket proven = connect();
    awaitSize(1);
    loop.submit(() -> unauthenticated.authenticated(proven.getLocalSocketAddress())).get();
    // A later connection that does not authenticate.
    assertClosedByTheOtherSide(connect());
    proven.setSoTimeout(50);
    try {
      assertThat(proven.getInputStream().read()).as("bytes from the server").isZero();
    } catch (SocketTimeoutException stillOpen) {
      assertThat(proven.isConnected()).isTrue();
    }
  }

  @Test
  void oldestConnectionIsClosedForANewOne() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < 3 * UnauthenticatedConnections.MAX_CONNECTIONS; i++) {
      sockets.add(connect());
      assertThat(loop.submit(unauthenticated::size).get())
          .isLessThanOrEqualTo(UnauthenticatedConnections.MAX_CONNECTIONS);
    }
    assertClosedByTheOtherSide(sockets.get(0));
    assertThat(loop.submit(unauthenticated::size).get())
        .isLessThanOrEqualTo(UnauthenticatedConnections.MAX_CONNECTIONS);
  }

  private void awaitSize(int size) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (loop.submit(unauthenticated::size).get() != size) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }
}
