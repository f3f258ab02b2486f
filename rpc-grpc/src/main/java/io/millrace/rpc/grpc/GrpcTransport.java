package io.millrace.rpc.grpc;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.log.LogThrottle;
import io.millrace.core.secret.SecretProof;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries envelopes between processes over HTTP/2. Listens from its construction on, so that its
 * address is known; takes calls once started.
 *
 * <p>The two connections of a process pair, one made by each side, share their fate: where either
 * breaks, both are ended and {@link Inbound#lost} is told once. A connection that could not be made
 * in the first place says nothing about the one in the other direction.
 */
public final class GrpcTransport implements Transport {
  /** What a message may have at most; larger things travel as blobs. */
  static final int MAX_MESSAGE_BYTES = RecordCodec.DEFAULT_MAX_BYTES;

  static final int MAX_HEADER_BYTES = 8 * 1024;

  /** A back-up for connections that die without a word; below the default heartbeat time-out. */
  static final int KEEP_ALIVE_SECONDS = 20;

  static final String TOO_SLOW =
      "it does not read: more than "
          + (OutboundFrameQueue.MOST_BYTES >> 20)
          + " MiB wait to be sent to it";

  private static final Logger LOG = LoggerFactory.getLogger(GrpcTransport.class);
  private static final int IDLE_SECONDS = 10;
  private static final int CLOSE_MILLIS = 2_000;

  private static final LogThrottle FOREIGNERS = new LogThrottle();

  /** Held, because the logging system forgets what it was told about a logger nobody holds. */
  private static final java.util.logging.Logger FOREIGN =
      java.util.logging.Logger.getLogger("io.grpc.netty.NettyServerTransport.connections");

  static {
    // gRPC writes a stack trace for every connection that sends garbage; a line is enough.
    FOREIGN.setFilter(
        record -> {
          Throwable thrown = record.getThrown();
          FOREIGNERS.log(
              "",
              more ->
                  LOG.info(
                      "Ended a connection that is none of ours: {}{}",
                      thrown == null ? record.getMessage() : thrown.getMessage(),
                      more));
          return false;
        });
  }

  private final GrpcSettings settings;
  private final RecordCodec codec;
  private final Predicate<Class<? extends Record>> heartbeat;
  private final SecureRandom random = new SecureRandom();
  private final Optional<GrpcTls> tls;
  private final EventLoop loop;
  private final UnauthenticatedConnections unproven = new UnauthenticatedConnections();
  private final Server server;
  private final String address;
  private final Map<String, OutboundConnection> outbound = new ConcurrentHashMap<>();
  private final Map<String, InboundConnection> inbound = new ConcurrentHashMap<>();
  private volatile Inbound receiver;
  private volatile boolean closed;

  /**
   * @param codec has the envelopes in its table
   * @param heartbeat which messages go ahead on a stream of their own
   */
  public GrpcTransport(
      GrpcSettings settings, RecordCodec codec, Predicate<Class<? extends Record>> heartbeat) {
    this.settings = settings;
    this.codec = codec;
    this.heartbeat = heartbeat;
    this.tls = settings.tls().map(both -> GrpcTls.of(both, settings.role()));
    InetAddress host = allowed(settings);
    // A bare loop, not a group of one: a group ends with the help of a global thread of Netty's
    // that keeps the process alive for another second.
    loop =
        new SingleThreadIoEventLoop(
            null, new DefaultThreadFactory("rpc", true), NioIoHandler.newFactory());
    server = listen(new InetSocketAddress(host, settings.port()));
    address = settings.advertisedHost() + ":" + server.getPort();
    LOG.info("RPC listens on {}, known as {}", server.getListenSockets(), address);
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public void start(Inbound inbound) {
    receiver = inbound;
  }

  @Override
  public void send(String peer, Envelope.Call call) {
    byte[] frame;
    try {
      frame = encode(call);
    } catch (RuntimeException e) {
      receiver.undeliverable(peer, call, Failure.sentence(e));
      return;
    }
    boolean ahead = heartbeat.test(call.message().getClass());
    while (!closed) {
      OutboundConnection link =
          outbound.computeIfAbsent(peer, to -> new OutboundConnection(this, to, loop));
      switch (link.offer(frame, ahead)) {
        case TAKEN -> {
          return;
        }
        case FULL -> {
          lose(link, TOO_SLOW);
          return;
        }
        case ENDED -> outbound.remove(peer, link);
      }
    }
    receiver.lost(peer, "this process has closed its connections");
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    String reason = "process " + address + " closed its connections";
    new ArrayList<>(outbound.values()).forEach(link -> link.end(reason));
    new ArrayList<>(inbound.values()).forEach(link -> link.end(reason));
    outbound.clear();
    inbound.clear();
    server.shutdownNow();
    boolean ended = awaitServer();
    // Without an event loop in a native select the process exits at once.
    loop.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    ended &= loop.terminationFuture().awaitUninterruptibly(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    if (!ended) {
      LOG.warn("The RPC of {} did not close within {} ms", address, CLOSE_MILLIS);
    }
  }

  /** Connections to this process that wait to be accepted. */
  UnauthenticatedConnections unproven() {
    return unproven;
  }

  /** What encrypts connections, if anything does. */
  Optional<GrpcTls> tls() {
    return tls;
  }

  GrpcSettings settings() {
    return settings;
  }

  boolean serving() {
    return receiver != null && !closed;
  }

  Bytes nonce() {
    return SecretProof.nonce(random);
  }

  /** The link that a stream belongs to whose maker has proved itself. */
  InboundConnection accepted(String peer, SocketAddress remote) {
    while (true) {
      InboundConnection known = inbound.get(peer);
      if (known != null && known.remote().equals(remote)) {
        return known;
      }
      if (known != null) {
        // What is still on its way on the old connection must not overtake what comes on the new.
        lose(known, "it connected anew");
        continue;
      }
      InboundConnection link = new InboundConnection(this, peer, remote);
      if (inbound.putIfAbsent(peer, link) == null) {
        return link;
      }
    }
  }

  void called(String peer, Envelope.Call call, Consumer<Envelope> reply) {
    receiver.called(peer, call, reply);
  }

  void answered(String peer, Envelope answer) {
    receiver.answered(peer, answer);
  }

  void lose(OutboundConnection link, String reason) {
    if (outbound.remove(link.peer(), link)) {
      InboundConnection other = link.open() ? inbound.remove(link.peer()) : null;
      link.end(reason);
      if (other != null) {
        other.end(reason);
      }
      lost(link.peer(), reason);
    }
  }

  void lose(InboundConnection link, String reason) {
    if (inbound.remove(link.peer(), link)) {
      OutboundConnection other = outbound.remove(link.peer());
      link.end(reason);
      if (other != null) {
        other.end(reason);
      }
      lost(link.peer(), reason);
    }
  }

  byte[] encodeAnswer(Envelope.Call call, Envelope answer) {
    try {
      return encode((Record) answer);
    } catch (RuntimeException e) {
      LOG.error("The answer to {} cannot be sent", call.message().getClass().getSimpleName(), e);
      return codec.encode(
          new Envelope.Failed(
              call.correlation(),
              new RpcError(RpcError.Code.FAILED, Failure.of(e, ErrorKind.BUG))));
    }
  }

  Envelope decode(byte[] frame) {
    if (codec.decode(frame) instanceof Envelope envelope) {
      return envelope;
    }
    throw new MillraceException(ErrorKind.EXTERNAL, "there is a message without its envelope");
  }

  void onLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("Nothing more runs: the transport is closed", e);
    }
  }

  private byte[] encode(Record envelope) {
    byte[] frame = codec.encode(envelope);
    if (frame.length > MAX_MESSAGE_BYTES) {
      throw new MillraceException(
          ErrorKind.BUG,
          "The message has "
              + frame.length
              + " bytes; what is larger than "
              + MAX_MESSAGE_BYTES
              + " bytes has to travel as a blob.");
    }
    return frame;
  }

  private void lost(String peer, String reason) {
    if (!closed) {
      LOG.info("Lost {}: {}", peer, reason);
      receiver.lost(peer, reason);
    }
  }

  private boolean awaitServer() {
    try {
      return server.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Server listen(InetSocketAddress on) {
    InboundConnection.Door door = new InboundConnection.Door(this);
    NettyServerBuilder builder = NettyServerBuilder.forAddress(on);
    NioServerSocketChannel listener = unproven.listener();
    tls.ifPresent(both -> builder.sslContext(both.called()));
    try {
      Server started =
          builder
              .bossEventLoopGroup(loop)
              .workerEventLoopGroup(loop)
              .channelFactory(() -> listener)
              .directExecutor()
              .maxInboundMessageSize(MAX_MESSAGE_BYTES)
              .maxInboundMetadataSize(MAX_HEADER_BYTES)
              .maxConcurrentCallsPerConnection(4)
              .handshakeTimeout(UnauthenticatedConnections.SECONDS, TimeUnit.SECONDS)
              // Our own connections always have a stream; others need not stay.
              .maxConnectionIdle(IDLE_SECONDS, TimeUnit.SECONDS)
              .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
              .keepAliveTimeout(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
              .permitKeepAliveTime(KEEP_ALIVE_SECONDS / 2, TimeUnit.SECONDS)
              .addTransportFilter(InboundHandshake.perConnection(this))
              .addService(
                  ServerServiceDefinition.builder(GrpcMethods.SERVICE)
                      .addMethod(GrpcMethods.HELLO, door)
                      .addMethod(GrpcMethods.CALLS, door)
                      .addMethod(GrpcMethods.HEARTBEATS, door)
                      .build())
              .build()
              .start();
      unproven.watch(listener);
      return started;
    } catch (IOException e) {
      loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
      throw new MillraceException(ErrorKind.USER, unbound(on, e), e);
    }
  }

  private String unbound(InetSocketAddress on, IOException failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String where = on.getAddress().getHostAddress() + ":" + on.getPort();
    return cause instanceof BindException
        ? "Cannot listen on "
            + where
            + ": "
            + cause.getMessage()
            + ". End the process that holds port "
            + on.getPort()
            + " or set "
            + settings.role().portKey()
            + " to another port (0 takes a free one)."
        : "Cannot listen on " + where + ": " + Failure.sentence(cause);
  }

  private static InetAddress allowed(GrpcSettings settings) {
    String key = settings.role().bindHostKey();
    InetAddress host;
    try {
      host = InetAddress.getByName(settings.bindHost());
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Cannot listen on '" + settings.bindHost() + "' (" + key + "): the host is unknown.",
          e);
    }
    if (!host.isLoopbackAddress() && settings.tls().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Cannot listen on '"
              + settings.bindHost()
              + "' ("
              + key
              + "): beyond loopback, hosts must authenticate each other. Set "
              + TlsOptions.INTERNAL_ENABLED.key()
              + " to true and give each process a certificate, or set "
              + key
              + " to 127.0.0.1.");
    }
    return host;
  }
}
