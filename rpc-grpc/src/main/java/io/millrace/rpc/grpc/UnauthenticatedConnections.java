package io.millrace.rpc.grpc;

import io.millrace.core.error.Failure;
import io.millrace.core.log.LogThrottle;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accepted connections that have not authenticated. gRPC limits neither their number nor, once
 * they speak HTTP/2, their duration. When there are too many, the oldest one is closed, so that
 * idle connections cannot keep a process of the cluster out. Lives in the event loop.
 */
final class UnauthenticatedConnections {
  static final int MAX_CONNECTIONS = 64;
  static final int HANDSHAKE_TIMEOUT_SECONDS = 5;

  private static final Logger LOG = LoggerFactory.getLogger(UnauthenticatedConnections.class);

  /** Bounds the log lines per remote host. */
  private final LogThrottle refusals = new LogThrottle();

  private final LogThrottle failures = new LogThrottle();

  /** By remote address, oldest first. */
  private final Map<SocketAddress, Entry> waiting = new LinkedHashMap<>();

  private record Entry(Channel channel, Future<?> deadline) {}

  /** Creates a listening channel whose connections are counted here. */
  NioServerSocketChannel listener() {
    return new Listener();
  }

  /** Logs errors of the listener. Called when it listens. */
  void watch(NioServerSocketChannel listener) {
    listener.pipeline().addLast(new ListenerErrors());
  }

  /** The connection has authenticated. */
  void authenticated(SocketAddress remote) {
    Entry known = waiting.remove(remote);
    if (known != null) {
      known.deadline().cancel(false);
    }
  }

  int size() {
    return waiting.size();
  }

  /** Logs a line about a connection, unless there were too many about its host. */
  void warn(SocketAddress remote, String what) {
    String host = remote instanceof InetSocketAddress inet ? inet.getHostString() : "";
    refusals.log(host, more -> LOG.warn("{}{}", what, more));
  }

  private void accepted(Channel channel) {
    SocketAddress remote = channel.remoteAddress();
    if (remote == null || !channel.isRegistered()) {
      // The connection is already closed.
      return;
    }
    Future<?> deadline =
        channel
            .eventLoop()
            .schedule(
                () ->
                    refuse(
                        remote,
                        channel,
                        "it did not authenticate within " + HANDSHAKE_TIMEOUT_SECONDS + " s"),
                HANDSHAKE_TIMEOUT_SECONDS,
                TimeUnit.SECONDS);
    waiting.put(remote, new Entry(channel, deadline));
    channel.closeFuture().addListener(closed -> remove(remote, channel));
    if (waiting.size() > MAX_CONNECTIONS) {
      Map.Entry<SocketAddress, Entry> oldest = waiting.entrySet().iterator().next();
      refuse(
          oldest.getKey(),
          oldest.getValue().channel(),
          "more than "
              + MAX_CONNECTIONS
              + " connections are unauthenticated, and it was the oldest of"
              + " them");
    }
  }

  private void refuse(SocketAddress remote, Channel channel, String why) {
    if (remove(remote, channel)) {
      warn(remote, "Refused a connection from " + remote + ": " + why);
      closeNow(channel);
    }
  }

  /** Bypasses gRPC's handlers, which would first wait for the peer to confirm. */
  private static void closeNow(Channel channel) {
    ChannelHandlerContext first = channel.pipeline().firstContext();
    if (first == null) {
      channel.close();
    } else {
      first.close();
    }
  }

  private boolean remove(SocketAddress remote, Channel channel) {
    Entry known = waiting.get(remote);
    if (known == null || known.channel() != channel) {
      return false;
    }
    authenticated(remote);
    return true;
  }

  private final class Listener extends NioServerSocketChannel {
    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int before = accepted.size();
      int count = super.doReadMessages(accepted);
      for (Object channel : accepted.subList(before, accepted.size())) {
        // In a later task, because the channel is not registered with an event loop yet.
        eventLoop().execute(() -> UnauthenticatedConnections.this.accepted((Channel) channel));
      }
      return count;
    }
  }

  /**
   * The end of the listener's pipeline. It gets the errors of accept(), for example when file
   * descriptors run out. Netty retries after a second.
   */
  private final class ListenerErrors extends ChannelInboundHandlerAdapter {
    /** Runs the code once, because no class can be loaded when no file descriptor is remove. */
    ListenerErrors() {
      report(new IOException("none so far"), line -> LOG.debug("{}", line));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      report(cause, line -> LOG.warn("{}", line));
    }

    private void report(Throwable cause, Consumer<String> log) {
      failures.log(
          "",
          more ->
              log.accept(
                  "RPC could not accept a connection and tries again: "
                      + Failure.sentence(cause)
                      + more));
    }
  }
}
