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
 * The connections whose makers have not yet proved that they know the secret, from the moment they
 * are accepted: gRPC itself bounds neither their number nor, once they speak HTTP/2, their time.
 * There may be only so many, and the oldest gives way to a new one, so that connections which say
 * nothing cannot keep a process of the cluster out. Lives in the event loop.
 */
final class UnauthenticatedConnections {
  static final int MOST = 64;
  static final int SECONDS = 5;

  private static final Logger LOG = LoggerFactory.getLogger(UnauthenticatedConnections.class);

  /** Bounds what strangers make this process log; by host. */
  private final LogThrottle refusals = new LogThrottle();

  private final LogThrottle failures = new LogThrottle();

  /** In the order in which they came, by the remote end. */
  private final Map<SocketAddress, Unproven> waiting = new LinkedHashMap<>();

  private record Unproven(Channel channel, Future<?> deadline) {}

  /** Makes a listening channel whose connections are counted here. */
  NioServerSocketChannel listener() {
    return new Listener();
  }

  /** To be called when it listens. */
  void watch(NioServerSocketChannel listener) {
    listener.pipeline().addLast(new ListenerErrors());
  }

  /** The maker of the connection has proved that it knows the secret. */
  void proven(SocketAddress remote) {
    Unproven known = waiting.remove(remote);
    if (known != null) {
      known.deadline().cancel(false);
    }
  }

  /** How many there are. */
  int size() {
    return waiting.size();
  }

  /** Logs a line about a remote end, unless there were too many about its host. */
  void warn(SocketAddress remote, String what) {
    String host = remote instanceof InetSocketAddress inet ? inet.getHostString() : "";
    refusals.log(host, more -> LOG.warn("{}{}", what, more));
  }

  private void accepted(Channel channel) {
    SocketAddress remote = channel.remoteAddress();
    if (remote == null || !channel.isRegistered()) {
      // It is gone already.
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
                        "no proof that it knows the secret within " + SECONDS + " s"),
                SECONDS,
                TimeUnit.SECONDS);
    waiting.put(remote, new Unproven(channel, deadline));
    channel.closeFuture().addListener(closed -> left(remote, channel));
    if (waiting.size() > MOST) {
      Map.Entry<SocketAddress, Unproven> oldest = waiting.entrySet().iterator().next();
      refuse(
          oldest.getKey(),
          oldest.getValue().channel(),
          "more than "
              + MOST
              + " connections have not proved that they know the secret, and it was the oldest of"
              + " them");
    }
  }

  private void refuse(SocketAddress remote, Channel channel, String why) {
    if (left(remote, channel)) {
      warn(remote, "Refused a connection from " + remote + ": " + why);
      closeNow(channel);
    }
  }

  /** Past gRPC's handlers, which would first wait for the peer to confirm. */
  private static void closeNow(Channel channel) {
    ChannelHandlerContext first = channel.pipeline().firstContext();
    if (first == null) {
      channel.close();
    } else {
      first.close();
    }
  }

  private boolean left(SocketAddress remote, Channel channel) {
    Unproven known = waiting.get(remote);
    if (known == null || known.channel() != channel) {
      return false;
    }
    proven(remote);
    return true;
  }

  private final class Listener extends NioServerSocketChannel {
    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
      int before = accepted.size();
      int count = super.doReadMessages(accepted);
      for (Object channel : accepted.subList(before, accepted.size())) {
        // Later, because it belongs to no event loop yet.
        eventLoop().execute(() -> UnauthenticatedConnections.this.accepted((Channel) channel));
      }
      return count;
    }
  }

  /**
   * The end of the listener's pipeline, where it is told of connections that could not be accepted,
   * such as for want of file descriptors. Netty tries again after a second.
   */
  private final class ListenerErrors extends ChannelInboundHandlerAdapter {
    /** Says it once, because no class can be loaded any more when descriptors are missing. */
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
