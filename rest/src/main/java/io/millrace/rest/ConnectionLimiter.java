package io.millrace.rest;

import io.millrace.core.fs.FileDescriptors;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.SocketChannel;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a {@link RestServer}. Decides which are accepted, closes those that are not
 * authenticated in time, and knows whose they are. Where there is no room for another connection,
 * it takes the place of the oldest one that has not been authenticated; where all have been, it is
 * refused. Connections of other users give way before those of the own user and those whose user is
 * not known yet. Any thread may call it.
 */
final class ConnectionLimiter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimiter.class);
  private static final Duration BETWEEN_WARNINGS = Duration.ofSeconds(10);

  /** Counting descriptors is slow where there are many: not before each connection. */
  private static final int ACCEPTED_BETWEEN_COUNTS = 16;

  private static final Duration BETWEEN_COUNTS = Duration.ofMillis(200);

  private final ConnectionLimits limits;
  private final Optional<PeerAuthentication> peers;
  private final long descriptors;
  private final LongSupplier inUse;

  /** In the order in which they were accepted. */
  private final Map<String, Connection> open = new LinkedHashMap<>();

  /** Connections of other users that are not authenticated: the first to give way. */
  private final Set<Connection> strangers = new LinkedHashSet<>();

  /**
   * Connections that are not authenticated and are the own user's, or may be: the look-up of their
   * user is under way. They give way last, the oldest first, so that idle ones do not keep out a
   * new one that has not been looked up.
   */
  private final Set<Connection> ownOrPending = new LinkedHashSet<>();

  private final Map<String, Integer> perAddress = new LinkedHashMap<>();

  private long counted;
  private long countedAt;
  private int acceptedSince = ACCEPTED_BETWEEN_COUNTS;
  private long warnedAt;
  private long turnedAway;

  /**
   * @param peers asked whose connections of this machine are; nothing where that does not matter
   */
  ConnectionLimiter(ConnectionLimits limits, Optional<PeerAuthentication> peers) {
    this(limits, peers, FileDescriptors.limit(), FileDescriptors::open);
  }

  /**
   * @param limit of the process's descriptors
   * @param inUse how many of them are open
   */
  ConnectionLimiter(
      ConnectionLimits limits, Optional<PeerAuthentication> peers, long limit, LongSupplier inUse) {
    this.limits = limits;
    this.peers = peers;
    this.descriptors = limit - FileDescriptors.reserve(limit);
    this.inUse = inUse;
  }

  /** One connection, from its acceptance to its end. */
  static final class Connection {
    private final SocketChannel channel;
    private final String key;
    private final String address;
    private volatile boolean ofOwnUser;
    private volatile boolean replaced;

    /** Whether a request on it was allowed. */
    private volatile boolean authenticated;

    /** Whether its address's count includes it; guarded by the connections. */
    private boolean counted = true;

    private Connection(SocketChannel channel) {
      this.channel = channel;
      this.key = key(channel.localAddress(), channel.remoteAddress());
      this.address = addressGroup(channel.remoteAddress().getAddress());
    }

    /** Whether the client's end belongs to the user that runs this process. */
    boolean isOfOwnUser() {
      return ofOwnUser && !replaced;
    }

    private void close() {
      if (channel.isRegistered()) {
        channel.close();
      } else {
        channel.unsafe().closeForcibly();
      }
    }
  }

  /**
   * Takes a connection that was just accepted and is not registered with its event loop yet.
   *
   * @return whether it may stay; the caller closes it otherwise
   */
  boolean accept(SocketChannel channel) {
    if (channel.remoteAddress() == null || channel.localAddress() == null) {
      // Its client has gone already.
      return false;
    }
    Connection connection = new Connection(channel);
    Optional<Connection> evicted = Optional.empty();
    synchronized (this) {
      boolean tooMany = perAddress.getOrDefault(connection.address, 0) >= limits.perAddress();
      if (tooMany || open.size() >= limits.total() || areDescriptorsShort()) {
        evicted =
            Stream.concat(strangers.stream(), ownOrPending.stream())
                .filter(stranger -> !tooMany || stranger.address.equals(connection.address))
                .findFirst();
        warn(evicted.isPresent());
        if (evicted.isEmpty()) {
          return false;
        }
        remove(evicted.get());
      }
      Connection earlier = open.remove(connection.key);
      if (earlier != null) {
        // Two connections of the same two ends cannot be: the earlier one is broken, and what is
        // found out about its client is about this one's.
        earlier.replaced = true;
        remove(earlier);
      }
      acceptedSince++;
      open.put(connection.key, connection);
      (isLookedUp(channel) ? ownOrPending : strangers).add(connection);
      perAddress.merge(connection.address, 1, Integer::sum);
    }
    evicted.ifPresent(Connection::close);
    channel.closeFuture().addListener(closed -> removeClosed(connection));
    channel.pipeline().addFirst(new Gate(connection));
    return true;
  }

  private boolean areDescriptorsShort() {
    long now = System.nanoTime();
    if (acceptedSince >= ACCEPTED_BETWEEN_COUNTS || now - countedAt > BETWEEN_COUNTS.toNanos()) {
      counted = inUse.getAsLong();
      countedAt = now;
      acceptedSince = 0;
    }
    return counted + acceptedSince >= descriptors;
  }

  private void warn(boolean eviction) {
    turnedAway++;
    long now = System.nanoTime();
    if (warnedAt == 0 || now - warnedAt > BETWEEN_WARNINGS.toNanos()) {
      LOG.warn(
          "REST has too many connections ({}, {} of them not authenticated): it has closed or"
              + " refused {} since it last said so, {} last. rest.server.max-connections and"
              + " rest.server.max-connections-per-address set how many there may be, as far as the"
              + " limit of file descriptors allows (ulimit -n).",
          open.size(),
          strangers.size() + ownOrPending.size(),
          turnedAway,
          eviction ? "one that had not been authenticated" : "a new one");
      warnedAt = now;
      turnedAway = 0;
    }
  }

  private synchronized void removeClosed(Connection connection) {
    remove(connection);
  }

  /** Repeating it is fine. */
  private void remove(Connection connection) {
    strangers.remove(connection);
    ownOrPending.remove(connection);
    open.remove(connection.key, connection);
    if (!connection.counted) {
      return;
    }
    connection.counted = false;
    perAddress.computeIfPresent(
        connection.address, (address, count) -> count == 1 ? null : count - 1);
  }

  /** The connection between two ends, as requests tell them. */
  synchronized Optional<Connection> find(SocketAddress local, SocketAddress remote) {
    return Optional.ofNullable(
        open.get(key(local.hostAddress(), local.port(), remote.hostAddress(), remote.port())));
  }

  /** The first request that was allowed has come on it. */
  synchronized void authenticated(Connection connection) {
    connection.authenticated = true;
    strangers.remove(connection);
    ownOrPending.remove(connection);
  }

  /** The user of a connection has been looked up. */
  synchronized void lookedUp(Connection connection, boolean ofOwnUser) {
    connection.ofOwnUser = ofOwnUser;
    if (!ofOwnUser && ownOrPending.remove(connection)) {
      strangers.add(connection);
    }
  }

  /** The user is looked up for connections within this machine only. */
  private boolean isLookedUp(SocketChannel channel) {
    return peers.isPresent() && channel.remoteAddress().getAddress().isLoopbackAddress();
  }

  @Override
  public void close() {
    peers.ifPresent(PeerAuthentication::close);
  }

  private static String key(InetSocketAddress local, InetSocketAddress remote) {
    return key(
        local.getAddress().getHostAddress(),
        local.getPort(),
        remote.getAddress().getHostAddress(),
        remote.getPort());
  }

  private static String key(String local, int localPort, String remote, int remotePort) {
    return local + " " + localPort + " " + remote + " " + remotePort;
  }

  /** Who has one address of loopback or of an IPv6 network has them all. */
  private static String addressGroup(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (address.isLoopbackAddress()) {
      return "loopback";
    }
    return HexFormat.of().formatHex(bytes.length == 4 ? bytes : Arrays.copyOf(bytes, 8));
  }

  /** The first that bytes of a connection pass, before TLS. */
  private final class Gate extends ChannelDuplexHandler {
    private final Connection connection;
    private boolean opened;
    private boolean wanted;

    private Gate(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      context
          .executor()
          .schedule(
              () -> {
                if (!connection.authenticated) {
                  context.close();
                }
              },
              limits.firstRequest().toMillis(),
              TimeUnit.MILLISECONDS);
      if (isLookedUp(connection.channel)) {
        peers
            .get()
            .ask(
                connection.channel.remoteAddress(),
                connection.channel.localAddress(),
                own ->
                    context
                        .executor()
                        .execute(
                            () -> {
                              lookedUp(connection, own);
                              open(context);
                            }));
      } else {
        open(context);
      }
      context.fireChannelActive();
    }

    private void open(ChannelHandlerContext context) {
      opened = true;
      if (wanted) {
        context.read();
      }
    }

    /** Nothing is read before it is known whose the connection is. */
    @Override
    public void read(ChannelHandlerContext context) {
      if (opened) {
        context.read();
      } else {
        wanted = true;
      }
    }
  }
}
