package io.millrace.rest;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.vertx.core.spi.transport.Transport;
import java.util.List;

/**
 * The NIO transport with a {@link ConnectionLimiter} that checks each connection when it is
 * accepted. Vert.x itself reports a connection only after its TLS handshake.
 */
final class LimitedTransport implements io.vertx.core.transport.Transport, Transport {
  private static final Transport NIO = io.vertx.core.transport.Transport.NIO.implementation();

  private final ConnectionLimiter connections;

  LimitedTransport(ConnectionLimiter connections) {
    this.connections = connections;
  }

  @Override
  public String name() {
    return "nio";
  }

  @Override
  public boolean available() {
    return true;
  }

  @Override
  public Throwable unavailabilityCause() {
    return null;
  }

  @Override
  public Transport implementation() {
    return this;
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return () -> new LimitedServerChannel(connections);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return NIO.ioHandlerFactory();
  }

  @Override
  @SuppressWarnings("deprecation") // The interface of Vert.x declares it.
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return NIO.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
    return NIO.datagramChannelFactory();
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return NIO.channelFactory(domainSocket);
  }

  /** If descriptors are exhausted, Netty retries to accept after a second. */
  private static final class LimitedServerChannel extends NioServerSocketChannel {
    private final ConnectionLimiter connections;

    LimitedServerChannel(ConnectionLimiter connections) {
      this.connections = connections;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int before = accepted.size();
      super.doReadMessages(accepted);
      for (int i = accepted.size() - 1; i >= before; i--) {
        SocketChannel channel = (SocketChannel) accepted.get(i);
        if (!connections.accept(channel)) {
          accepted.remove(i);
          channel.unsafe().closeForcibly();
        }
      }
      // A rejected connection ends this read; the next one is selected at once.
      return accepted.size() - before;
    }
  }
}
