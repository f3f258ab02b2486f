package io.millrace.dataplane.wire;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.log.LogThrottle;
import io.millrace.core.secret.SecretProof;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.task.ClusterPartition;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A host's data port and its connections to those of other hosts. */
public final class DataTransport implements AutoCloseable {
  /** Finds the deployment that a stream is meant for; any thread. */
  @FunctionalInterface
  public interface StreamReceivers {
    Optional<Receiver> find(JobId job, long number);
  }

  /** A deployment as other hosts see it. Called by the wire's threads, must not block. */
  public interface Receiver {
    /** What takes the frames that come for it. */
    LocalBufferPool buffers();

    /** Takes a frame over, to be released later; false if there is no such channel. */
    boolean data(DataFrame frame);

    /** The connection from the host with this data address broke. */
    void lost(String from, String why);
  }

  /** Reads kept partitions for other hosts; any thread, returns at once. */
  @FunctionalInterface
  public interface PartitionReader {
    CompletableFuture<PartitionChunk> read(ClusterPartition partition, long offset, int most);
  }

  private static final int FLUSHES_AT_ONCE = 32;
  private static final int CONNECT_MILLIS = 10_000;
  private static final String PEER = "peer";

  private final DataPort port;
  private final StreamReceivers receivers;
  private final PartitionReader partitionReader;
  private final SecureRandom random = new SecureRandom();
  private final EventLoopGroup loops;
  private final Channel server;
  private final String address;
  private final Optional<SslHandlers> tls;
  private final NetworkBufferPool pool;
  private final PendingHandshakes pendingHandshakes = new PendingHandshakes();
  private final LogThrottle refusals = new LogThrottle();
  private final AtomicInteger streams = new AtomicInteger();
  private final Map<String, OutboundConnection> outgoing = new ConcurrentHashMap<>();
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
  private final Set<InboundConnection> incoming = ConcurrentHashMap.newKeySet();

  /** Opens the port of a host that keeps nothing for later jobs. */
  public DataTransport(DataPort port, StreamReceivers receivers) {
    this(
        port,
        receivers,
        (partition, offset, most) ->
            CompletableFuture.failedFuture(
                new MillraceException(ErrorKind.EXTERNAL, "it keeps no partitions")));
  }

  /** Opens the port. */
  public DataTransport(DataPort port, StreamReceivers receivers, PartitionReader partitionReader) {
    this.port = port;
    this.receivers = receivers;
    this.partitionReader = partitionReader;
    this.tls = port.tls().map(SslHandlers::new);
    this.pool = new NetworkBufferPool(port.memory());
    loops =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("millrace-wire", true), NioIoHandler.newFactory());
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    track(channel);
                    meet(channel);
                  }
                })
            .bind(port.bindHost(), port.number())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The data port "
              + port.bindHost()
              + ":"
              + port.number()
              + " cannot be opened: "
              + bound.cause().getMessage()
              + ". Choose another one (taskmanager.data.port) or 0 for any that is free.",
          bound.cause());
    }
    server = bound.channel();
    server.pipeline().addLast(new AcceptFailureHandler());
    address = known(server.localAddress());
  }

  private void track(Channel channel) {
    channels.add(channel);
    channel.closeFuture().addListener(closed -> channels.remove(channel));
  }

  private void meet(Channel channel) {
    FrameDecoder reader = prepare(channel, tls.map(SslHandlers::called));
    channel
        .pipeline()
        .addLast(
            PEER,
            new ServerHandshake(
                this,
                known(channel.localAddress()),
                from -> trust(channel, reader, new InboundConnection(this, from), false)));
  }

  private void introduce(Channel channel, OutboundConnection connection) {
    FrameDecoder reader = prepare(channel, tls.map(SslHandlers::caller));
    channel
        .pipeline()
        .addLast(
            PEER,
            new ClientHandshake(this, connection, () -> trust(channel, reader, connection, true)));
  }

  private static FrameDecoder prepare(Channel channel, Optional<ChannelHandler> tls) {
    tls.ifPresent(channel.pipeline()::addLast);
    FrameDecoder reader = new FrameDecoder();
    channel.pipeline().addLast(reader, new FrameEncoder());
    return reader;
  }

  /** Only from here on is anything read but the hello. */
  private void trust(Channel channel, FrameDecoder reader, ChannelHandler peer, boolean asks) {
    // Tasks flush every frame; what they send while the loop is at work goes with one system call.
    channel
        .pipeline()
        .addFirst(
            new FlushConsolidationHandler(FLUSHES_AT_ONCE, true),
            new IdlePeerHandler(port.timeouts(), asks));
    channel.pipeline().replace(PEER, PEER, peer);
    reader.takeUpTo(longestFrame());
  }

  private int longestFrame() {
    return Math.max(Frames.MAX_CONTROL, port.memory().segment());
  }

  private String known(SocketAddress local) {
    return port.advertisedHost() + ":" + ((InetSocketAddress) local).getPort();
  }

  /** {@code host:port} at which others reach this host. */
  public String address() {
    return address;
  }

  /** The memory for records on their way from and to here. */
  public NetworkBufferPool pool() {
    return pool;
  }

  Bytes nonce() {
    return SecretProof.nonce(random);
  }

  PendingHandshakes pendingHandshakes() {
    return pendingHandshakes;
  }

  /** Bounds what strangers make this process log. */
  LogThrottle refusals() {
    return refusals;
  }

  DataPort port() {
    return port;
  }

  Optional<Receiver> find(JobId job, long number) {
    return receivers.find(job, number);
  }

  /** Opens a stream to a deployment at another host; returns at once. */
  public OutboundStream open(
      String peer,
      JobId job,
      long number,
      LocalBufferPool buffers,
      OutboundStream.Listener listener) {
    OutboundConnection connection = outgoing.computeIfAbsent(peer, this::connect);
    OutboundStream sender =
        new OutboundStream(connection, streams.incrementAndGet(), job, number, buffers, listener);
    connection.add(sender);
    return sender;
  }

  /** Asks another host for a piece of a partition that it keeps. */
  public CompletableFuture<PartitionChunk> fetch(
      String peer, ClusterPartition partition, long offset) {
    PartitionFetch fetch =
        new PartitionFetch(
            streams.incrementAndGet(),
            partition,
            offset,
            longestFrame() - Frames.PART_OVERHEAD,
            new CompletableFuture<>());
    outgoing.computeIfAbsent(peer, this::connect).add(fetch);
    return fetch.answer();
  }

  PartitionReader partitionReader() {
    return partitionReader;
  }

  private OutboundConnection connect(String peer) {
    if (peer.lastIndexOf(':') < 0) {
      throw new MillraceException(
          ErrorKind.BUG, "'" + peer + "' is no data address; one is host:port");
    }
    OutboundConnection connection = new OutboundConnection(this, peer, loops.next());
    connect(connection);
    return connection;
  }

  /** Makes a connection, or makes it once more. */
  void connect(OutboundConnection connection) {
    String peer = connection.peer();
    int colon = peer.lastIndexOf(':');
    new Bootstrap()
        .group(connection.loop())
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                track(channel);
                introduce(channel, connection);
              }
            })
        .connect(peer.substring(0, colon), Integer.parseInt(peer.substring(colon + 1)))
        .addListener(
            (ChannelFutureListener)
                done -> {
                  if (!done.isSuccess()) {
                    connection.broke(
                        "TaskManager "
                            + peer
                            + " cannot be reached: "
                            + Failure.sentence(done.cause()));
                  }
                });
  }

  void remove(String peer, OutboundConnection connection) {
    outgoing.remove(peer, connection);
  }

  void add(InboundConnection connection) {
    incoming.add(connection);
  }

  void remove(InboundConnection connection) {
    incoming.remove(connection);
  }

  /** A deployment has come to this host: streams that wait for it open. */
  public void deploymentStarted(JobId job, long number) {
    incoming.forEach(connection -> connection.deploymentStarted(job, number));
  }

  /** A deployment has ended on this host: nothing of it is kept. */
  public void deploymentEnded(JobId job, long number) {
    incoming.forEach(connection -> connection.deploymentEnded(job, number));
  }

  @Override
  public void close() {
    server.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    // Ending the loops does not reliably close their sockets, and the peers wait for that.
    List<ChannelFuture> closing = channels.stream().map(Channel::close).toList();
    closing.forEach(one -> one.awaitUninterruptibly(1, TimeUnit.SECONDS));
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
  }
}
