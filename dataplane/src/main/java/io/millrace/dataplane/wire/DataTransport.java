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
import java.io.IOException;
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

/** The data port of a process and its connections to other processes. */
public final class DataTransport implements AutoCloseable {
  /** Finds the receiver of a stream. Any thread calls it. */
  @FunctionalInterface
  public interface StreamReceivers {
    Optional<Receiver> find(JobId job, long number);
  }

  /** Receives the frames of a deployment. Transport threads call it; it must not block. */
  public interface Receiver {
    /** The buffers for received frames. */
    LocalBufferPool buffers();

    /** Takes over a frame and releases it later; false if the channel does not exist. */
    boolean data(DataFrame frame);

    /** Takes the request of a checkpoint barrier; false if the channel does not exist. */
    boolean barrier(BarrierChannel channel, byte[] request);

    /** The connection from the host with this data address is broken. */
    void lost(String from, String why);
  }

  /** Reads cluster partitions for other hosts. Any thread calls it; it returns immediately. */
  @FunctionalInterface
  public interface PartitionReader {
    CompletableFuture<PartitionChunk> read(ClusterPartition partition, long offset, int most);
  }

  private static final int FLUSHES_PER_WRITE = 32;
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
  private final Map<String, OutboundDataConnection> outgoing = new ConcurrentHashMap<>();
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
  private final Set<InboundDataConnection> incoming = ConcurrentHashMap.newKeySet();

  /** Opens the port of a process without cluster partitions. */
  public DataTransport(DataPort port, StreamReceivers receivers) {
    this(
        port,
        receivers,
        (partition, offset, most) ->
            CompletableFuture.failedFuture(
                new MillraceException(ErrorKind.EXTERNAL, "it stores no partitions")));
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
    try {
      server = port.ports().bind(port.bindHost(), this::listen);
    } catch (MillraceException e) {
      loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      throw e;
    }
    server.pipeline().addLast(new AcceptFailureHandler());
    address = known(server.localAddress());
  }

  private Channel listen(int number) throws IOException {
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
                    initServerPipeline(channel);
                  }
                })
            .bind(port.bindHost(), number)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("The data port cannot be opened", bound.cause());
    }
    return bound.channel();
  }

  private void track(Channel channel) {
    channels.add(channel);
    channel.closeFuture().addListener(closed -> channels.remove(channel));
  }

  private void initServerPipeline(Channel channel) {
    FrameDecoder decoder = prepare(channel, tls.map(SslHandlers::called));
    channel
        .pipeline()
        .addLast(
            PEER,
            new ServerHandshake(
                this,
                known(channel.localAddress()),
                from ->
                    authenticated(channel, decoder, new InboundDataConnection(this, from), false)));
  }

  private void initClientPipeline(Channel channel, OutboundDataConnection connection) {
    FrameDecoder decoder = prepare(channel, tls.map(SslHandlers::caller));
    channel
        .pipeline()
        .addLast(
            PEER,
            new ClientHandshake(
                this, connection, () -> authenticated(channel, decoder, connection, true)));
  }

  private static FrameDecoder prepare(Channel channel, Optional<ChannelHandler> tls) {
    tls.ifPresent(channel.pipeline()::addLast);
    FrameDecoder decoder = new FrameDecoder();
    channel.pipeline().addLast(decoder, new FrameEncoder());
    return decoder;
  }

  /** Replaces the handshake; only now longer frames are read. */
  private void authenticated(
      Channel channel, FrameDecoder decoder, ChannelHandler peer, boolean pings) {
    // Tasks flush every frame; this merges flushes while the event loop is busy.
    channel
        .pipeline()
        .addFirst(
            new FlushConsolidationHandler(FLUSHES_PER_WRITE, true),
            new IdlePeerHandler(port.timeouts(), pings));
    channel.pipeline().replace(PEER, PEER, peer);
    decoder.maxLength(maxFrameLength());
  }

  private int maxFrameLength() {
    return Math.max(Frames.MAX_CONTROL, port.memory().segment());
  }

  private String known(SocketAddress local) {
    int bound = ((InetSocketAddress) local).getPort();
    return port.advertisedHost() + ":" + port.ports().advertised(bound);
  }

  /** {@code host:port} at which others reach this process. */
  public String address() {
    return address;
  }

  public NetworkBufferPool pool() {
    return pool;
  }

  Bytes nonce() {
    return SecretProof.nonce(random);
  }

  PendingHandshakes pendingHandshakes() {
    return pendingHandshakes;
  }

  /** Bounds the log of refused connections. */
  LogThrottle refusals() {
    return refusals;
  }

  DataPort port() {
    return port;
  }

  Optional<Receiver> find(JobId job, long number) {
    return receivers.find(job, number);
  }

  /** Opens a stream to a deployment on another host; returns immediately. */
  public OutboundStream open(
      String peer,
      JobId job,
      long number,
      LocalBufferPool buffers,
      OutboundStream.Listener listener) {
    OutboundDataConnection connection = outgoing.computeIfAbsent(peer, this::connect);
    OutboundStream sender =
        new OutboundStream(connection, streams.incrementAndGet(), job, number, buffers, listener);
    connection.add(sender);
    return sender;
  }

  /** Fetches a chunk of a cluster partition from another host. */
  public CompletableFuture<PartitionChunk> fetch(
      String peer, ClusterPartition partition, long offset) {
    PartitionFetch fetch =
        new PartitionFetch(
            streams.incrementAndGet(),
            partition,
            offset,
            maxFrameLength() - Frames.PART_OVERHEAD,
            new CompletableFuture<>());
    outgoing.computeIfAbsent(peer, this::connect).add(fetch);
    return fetch.answer();
  }

  PartitionReader partitionReader() {
    return partitionReader;
  }

  private OutboundDataConnection connect(String peer) {
    if (peer.lastIndexOf(':') < 0) {
      throw new MillraceException(
          ErrorKind.BUG, "'" + peer + "' is not a data address of the form host:port");
    }
    OutboundDataConnection connection = new OutboundDataConnection(this, peer, loops.next());
    connect(connection);
    return connection;
  }

  /** Opens a connection, or opens it again. */
  void connect(OutboundDataConnection connection) {
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
                initClientPipeline(channel, connection);
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

  void remove(String peer, OutboundDataConnection connection) {
    outgoing.remove(peer, connection);
  }

  void add(InboundDataConnection connection) {
    incoming.add(connection);
  }

  void remove(InboundDataConnection connection) {
    incoming.remove(connection);
  }

  /** Opens the streams that wait for a deployment. */
  public void deploymentStarted(JobId job, long number) {
    incoming.forEach(connection -> connection.deploymentStarted(job, number));
  }

  /** Drops the streams of a deployment that has ended. */
  public void deploymentEnded(JobId job, long number) {
    incoming.forEach(connection -> connection.deploymentEnded(job, number));
  }

  @Override
  public void close() {
    server.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    // Closed first, because the end of an event loop does not reliably close its sockets.
    List<ChannelFuture> closing = channels.stream().map(Channel::close).toList();
    closing.forEach(one -> one.awaitUninterruptibly(1, TimeUnit.SECONDS));
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
  }
}
