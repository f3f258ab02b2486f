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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the connections of a {@link RestServer}. It decides which connections are accepted, closes
 * those that are not authenticated in time, and records which user they belong to.
 *
 * <p>If a limit is reached, a new connection replaces the oldest one that is not authenticated. If
 * all are authenticated, or if replaced ones are not closed fast enough to keep file descriptors in
 * reserve, the new connection is rejected. Connections of other users are replaced before those of
 * the own user and those whose user is not known yet. Methods may be called from any thread.
 */
final class ConnectionLimiter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimiter.class);
  private static final Duration BETWEEN_WARNINGS = Duration.ofSeconds(10);

  /** Counting open descriptors is slow if there are many, so it is not done per connection. */
  private static final int ACCEPTED_BETWEEN_COUNTS = 16;

  private static final Duration BETWEEN_COUNTS = Duration.ofMillis(200);

  private final ConnectionLimits limits;
  private final Optional<PeerAuthentication> peers;
  private final long descriptors;

  /**
   * Above this number new connections are rejected. A connection that is replaced is closed later,
   * by its event loop, so that replacing alone does not keep the reserve while many connect.
   */
  private final long maxDescriptors;

  private final LongSupplier inUse;

  /** All connections, in the order in which they were accepted. */
  private final Map<String, Connection> open = new LinkedHashMap<>();

  /** Unauthenticated connections of other users. They are replaced first. */
  private final Set<Connection> ofOtherUsers = new LinkedHashSet<>();

  /**
   * Unauthenticated connections of the own user, and those whose user is still being looked up.
   * They are replaced last, the oldest first, so that idle ones do not keep out a new one.
   */
  private final Set<Connection> ownOrPending = new LinkedHashSet<>();

  private final Map<String, Integer> perAddress = new LinkedHashMap<>();

  private long counted;
  private long countedAt;
  private int acceptedSince = ACCEPTED_BETWEEN_COUNTS;
  private long warnedAt;
  private long rejected;

  /** Does not look up the users of connections. */
  ConnectionLimiter(ConnectionLimits limits) {
    this(limits, null, FileDescriptors.limit(), FileDescriptors::open);
  }

  /**
   * @param peers looks up the users of connections from this machine
   */
  ConnectionLimiter(ConnectionLimits limits, PeerAuthentication peers) {
    this(limits, Objects.requireNonNull(peers), FileDescriptors.limit(), FileDescriptors::open);
  }

  /**
   * @param peersOrNull null if the users of connections are not looked up
   * @param limit the limit of file descriptors of the process
   * @param inUse counts the open ones
   */
  ConnectionLimiter(
      ConnectionLimits limits, PeerAuthentication peersOrNull, long limit, LongSupplier inUse) {
    this.limits = limits;
    this.peers = Optional.ofNullable(peersOrNull);
    this.descriptors = limit - FileDescriptors.reserve(limit);
    this.maxDescriptors = limit - FileDescriptors.reserve(limit) / 2;
    this.inUse = inUse;
  }

  /**
   * One connection, from its acceptance until it is closed.
   *
   * <pre>
   * state              event                                    next state
   * none               accepted from this machine               PENDING if users are looked up, else OTHER
   * none               accepted from another machine            OTHER
   * PENDING            the user is the own one                  OWN
   * PENDING            the user is another one or not known     OTHER
   * not AUTHENTICATED  the first request is accepted            AUTHENTICATED
   * not AUTHENTICATED  the time of the first request is over    closed
   * not AUTHENTICATED  it is the oldest and room is needed      closed; OTHER before OWN and PENDING
   * any                a connection with the same ends          not of the own user; removed
   * </pre>
   */
  static final class Connection {
    private final SocketChannel channel;
    private final String key;
    private final String address;
    private volatile boolean ofOwnUser;
    private volatile boolean replaced;

    /** Whether a request on it was accepted. */
    private volatile boolean authenticated;

    /** Whether the count of its address includes it. Guarded by the limiter. */
    private boolean counted = true;

    private Connection(SocketChannel channel) {
      this.channel = channel;
      this.key = key(channel.localAddress(), channel.remoteAddress());
      this.address = addressGroup(channel.remoteAddress().getAddress());
    }

    /** Whether the socket of the client belongs to the user that runs this process. */
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
   * Registers a connection that was just accepted and has no event loop yet.
   *
   * @return whether the connection is kept; if not, the caller closes it
   */
  boolean accept(SocketChannel channel) {
    if (channel.remoteAddress() == null || channel.localAddress() == null) {
      // The client has closed it already.
      return false;
    }
    Connection connection = new Connection(channel);
    Optional<Connection> evicted = Optional.empty();
    synchronized (this) {
      boolean tooMany = perAddress.getOrDefault(connection.address, 0) >= limits.perAddress();
      long used = usedDescriptors();
      if (used >= maxDescriptors) {
        warn(false);
        return false;
      }
      if (tooMany || open.size() >= limits.total() || used >= descriptors) {
        evicted =
            Stream.concat(ofOtherUsers.stream(), ownOrPending.stream())
                .filter(other -> !tooMany || other.address.equals(connection.address))
                .findFirst();
        warn(evicted.isPresent());
        if (evicted.isEmpty()) {
          return false;
        }
        remove(evicted.get());
      }
      Connection earlier = open.remove(connection.key);
      if (earlier != null) {
        // Two connections cannot have the same two ends: the earlier one is broken, and the look-up
        // of
        // its user returns the user of this one.
        earlier.replaced = true;
        remove(earlier);
      }
      acceptedSince++;
      open.put(connection.key, connection);
      (isLookedUp(channel) ? ownOrPending : ofOtherUsers).add(connection);
      perAddress.merge(connection.address, 1, Integer::sum);
    }
    evicted.ifPresent(Connection::close);
    channel.closeFuture().addListener(closed -> removeClosed(connection));
    channel.pipeline().addFirst(new PeerCheckHandler(connection));
    return true;
  }

  private long usedDescriptors() {
    long now = System.nanoTime();
    if (acceptedSince >= ACCEPTED_BETWEEN_COUNTS || now - countedAt > BETWEEN_COUNTS.toNanos()) {
      counted = inUse.getAsLong();
      countedAt = now;
      acceptedSince = 0;
    }
    return counted + acceptedSince;
  }

  private void warn(boolean eviction) {
    rejected++;
    long now = System.nanoTime();
    if (warnedAt == 0 || now - warnedAt > BETWEEN_WARNINGS.toNanos()) {
      LOG.warn(
          "REST has too many connections ({}, {} of them not authenticated). It has closed or"
              + " rejected {} since the last warning, the last one was {}."
              + " rest.server.max-connections and rest.server.max-connections-per-address set the"
              + " limits; the limit of file descriptors (ulimit -n) bounds both.",
          open.size(),
          ofOtherUsers.size() + ownOrPending.size(),
          rejected,
          eviction ? "a connection that was not authenticated" : "a new connection");
      warnedAt = now;
      rejected = 0;
    }
  }

  private synchronized void removeClosed(Connection connection) {
    remove(connection);
  }

  /** Idempotent. */
  private void remove(Connection connection) {
    ofOtherUsers.remove(connection);
    ownOrPending.remove(connection);
    open.remove(connection.key, connection);
    if (!connection.counted) {
      return;
    }
    connection.counted = false;
    perAddress.computeIfPresent(
        connection.address, (address, count) -> count == 1 ? null : count - 1);
  }

  /** The connection with these two ends. */
  synchronized Optional<Connection> find(SocketAddress local, SocketAddress remote) {
    return Optional.ofNullable(
        open.get(key(local.hostAddress(), local.port(), remote.hostAddress(), remote.port())));
  }

  /** The first request on the connection was accepted. */
  synchronized void authenticated(Connection connection) {
    connection.authenticated = true;
    ofOtherUsers.remove(connection);
    ownOrPending.remove(connection);
  }

  /** The look-up of the user of a connection is complete. */
  synchronized void lookedUp(Connection connection, boolean ofOwnUser) {
    connection.ofOwnUser = ofOwnUser;
    if (!ofOwnUser && ownOrPending.remove(connection)) {
      ofOtherUsers.add(connection);
    }
  }

  /** The user is looked up only for connections from this machine. */
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

  /** A client can choose any address of loopback or of its IPv6 network, so these count as one. */
  private static String addressGroup(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (address.isLoopbackAddress()) {
      return "loopback";
    }
    return HexFormat.of().formatHex(bytes.length == 4 ? bytes : Arrays.copyOf(bytes, 8));
  }

  /** Reads nothing from a connection until its user is looked up. The first handler, before TLS. */
  private final class PeerCheckHandler extends ChannelDuplexHandler {
    private final Connection connection;
    private boolean readsAllowed;
    private boolean readRequested;

    private PeerCheckHandler(Connection connection) {
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
            .lookUp(
                connection.channel.remoteAddress(),
                connection.channel.localAddress(),
                own ->
                    context
                        .executor()
                        .execute(
                            () -> {
                              lookedUp(connection, own);
                              allowReads(context);
                            }));
      } else {
        allowReads(context);
      }
      context.fireChannelActive();
    }

    private void allowReads(ChannelHandlerContext context) {
      readsAllowed = true;
      if (readRequested) {
        context.read();
      }
    }

    @Override
    public void read(ChannelHandlerContext context) {
      if (readsAllowed) {
        context.read();
      } else {
        readRequested = true;
      }
    }
  }
}
