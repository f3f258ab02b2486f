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
import io.millrace.core.id.WorkerId;
import io.millrace.core.log.LogThrottle;
import io.millrace.core.secret.SecretProof;
import io.millrace.core.tls.InternalTls;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.RpcError;
import io.millrace.rpc.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.security.Principal;
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
 * Carries envelopes between processes over HTTP/2. It binds its port in the constructor, so that
 * its address is known, and accepts calls after {@link #start}.
 *
 * <p>A pair of processes has two connections, one made by each side. If either breaks, context are
 * closed and {@link Inbound#lost} is called once. A connection that could not be made does not
 * affect the one in the other direction.
 */
public final class GrpcTransport implements Transport {
  /** Decides which messages of a TaskManager a JobManager accepts. */
  @FunctionalInterface
  public interface WorkerRule {
    /**
     * Why a message is refused; empty if it is accepted.
     *
     * @param isSender whether the certificate of the TaskManager names this worker
     */
    Optional<String> refusal(Record message, Predicate<WorkerId> isSender);
  }

  /** Maximum size of a message. Larger data travels as blobs. */
  static final int MAX_MESSAGE_BYTES = RecordCodec.DEFAULT_MAX_BYTES;

  static final int MAX_HEADER_BYTES = 8 * 1024;

  /** Detects connections that break without a FIN or RST. Below the default heartbeat time-out. */
  static final int KEEP_ALIVE_SECONDS = 20;

  static final String TOO_SLOW =
      "it reads too slowly: more than "
          + (OutboundFrameQueue.MAX_BYTES >> 20)
          + " MiB are queued for it";

  private static final Logger LOG = LoggerFactory.getLogger(GrpcTransport.class);
  private static final int IDLE_SECONDS = 10;
  private static final int CLOSE_MILLIS = 2_000;

  private static final LogThrottle FOREIGN_CONNECTIONS = new LogThrottle();

  /**
   * A strong reference: the logging system drops the settings of loggers that are not referenced.
   */
  private static final java.util.logging.Logger CONNECTION_LOGGER =
      java.util.logging.Logger.getLogger("io.grpc.netty.NettyServerTransport.connections");

  static {
    // gRPC logs a stack trace for every connection that sends garbage; one line is enough.
    CONNECTION_LOGGER.setFilter(
        record -> {
          Throwable thrown = record.getThrown();
          FOREIGN_CONNECTIONS.log(
              "",
              more ->
                  LOG.info(
                      "Closed a connection that does not speak this protocol: {}{}",
                      thrown == null ? record.getMessage() : thrown.getMessage(),
                      more));
          return false;
        });
  }

  private final GrpcSettings settings;
  private final RecordCodec codec;
  private final Predicate<Class<? extends Record>> heartbeat;
  private final WorkerRule workerRule;
  private final SecureRandom random = new SecureRandom();
  private final Optional<GrpcTls> tls;
  private final EventLoop loop;
  private final UnauthenticatedConnections unauthenticated = new UnauthenticatedConnections();
  private final Server server;
  private final String address;
  private final Map<String, OutboundConnection> outbound = new ConcurrentHashMap<>();
  private final Map<String, InboundConnection> inbound = new ConcurrentHashMap<>();
  private volatile Inbound receiver;
  private volatile boolean closed;

  /**
   * @param codec its class table contains the envelopes
   * @param heartbeat selects the messages that use the heartbeat stream
   */
  public GrpcTransport(
      GrpcSettings settings, RecordCodec codec, Predicate<Class<? extends Record>> heartbeat) {
    this(settings, codec, heartbeat, (message, sender) -> Optional.empty());
  }

  /**
   * @param codec its class table contains the envelopes
   * @param heartbeat selects the messages that use the heartbeat stream
   * @param workerRule what a JobManager accepts from TaskManagers, if their certificates are
   *     verified
   */
  public GrpcTransport(
      GrpcSettings settings,
      RecordCodec codec,
      Predicate<Class<? extends Record>> heartbeat,
      WorkerRule workerRule) {
    this.settings = settings;
    this.workerRule = workerRule;
    this.codec = codec;
    this.heartbeat = heartbeat;
    this.tls = settings.tls().map(context -> GrpcTls.of(context, settings.role()));
    InetAddress host = bindAddress(settings);
    // A single event loop instead of a group: a group terminates on Netty's global executor, which
    // keeps the process alive for another second.
    loop =
        new SingleThreadIoEventLoop(
            null, new DefaultThreadFactory("rpc", true), NioIoHandler.newFactory());
    server = listen(host);
    address = settings.advertisedHost() + ":" + settings.ports().advertised(server.getPort());
    LOG.info("RPC listens on {}, advertised as {}", server.getListenSockets(), address);
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
    boolean onHeartbeatStream = heartbeat.test(call.message().getClass());
    while (!closed) {
      OutboundConnection connection =
          outbound.computeIfAbsent(peer, to -> new OutboundConnection(this, to, loop));
      switch (connection.offer(frame, onHeartbeatStream)) {
        case ACCEPTED -> {
          return;
        }
        case FULL -> {
          lose(connection, TOO_SLOW);
          return;
        }
        case ENDED -> outbound.remove(peer, connection);
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
    new ArrayList<>(outbound.values()).forEach(connection -> connection.end(reason));
    new ArrayList<>(inbound.values()).forEach(connection -> connection.end(reason));
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

  UnauthenticatedConnections unauthenticated() {
    return unauthenticated;
  }

  Optional<GrpcTls> tls() {
    return tls;
  }

  GrpcSettings settings() {
    return settings;
  }

  boolean isServing() {
    return receiver != null && !closed;
  }

  Bytes nonce() {
    return SecretProof.nonce(random);
  }

  /** The connection of a stream that a peer has opened after authentication. */
  InboundConnection accepted(String peer, SocketAddress remote) {
    while (true) {
      InboundConnection known = inbound.get(peer);
      if (known != null && known.remote().equals(remote)) {
        return known;
      }
      if (known != null) {
        // Calls on the old connection must not arrive after calls on the new one.
        lose(known, "it reconnected");
        continue;
      }
      InboundConnection connection = new InboundConnection(this, peer, remote);
      if (inbound.putIfAbsent(peer, connection) == null) {
        return connection;
      }
    }
  }

  /**
   * Why a message is refused from a peer with this certificate; empty if it is accepted. A
   * TaskManager has accepted the certificate only if it is a JobManager's.
   */
  Optional<String> refusal(Optional<Principal> certificate, Record message) {
    if (settings.role() == GrpcSettings.Role.TASK_MANAGER) {
      return Optional.empty();
    }
    return certificate
        .filter(subject -> settings.tls().orElseThrow().isVerifiedWorker(subject))
        .flatMap(
            subject ->
                workerRule.refusal(message, worker -> InternalTls.names(subject, worker.value())));
  }

  void called(String peer, Envelope.Call call, Consumer<Envelope> reply) {
    receiver.called(peer, call, reply);
  }

  void answered(String peer, Envelope answer) {
    receiver.answered(peer, answer);
  }

  void lose(OutboundConnection connection, String reason) {
    if (outbound.remove(connection.peer(), connection)) {
      InboundConnection other = connection.open() ? inbound.remove(connection.peer()) : null;
      connection.end(reason);
      if (other != null) {
        other.end(reason);
      }
      lost(connection.peer(), reason);
    }
  }

  void lose(InboundConnection connection, String reason) {
    if (inbound.remove(connection.peer(), connection)) {
      OutboundConnection other = outbound.remove(connection.peer());
      connection.end(reason);
      if (other != null) {
        other.end(reason);
      }
      lost(connection.peer(), reason);
    }
  }

  /** Closes the connection of a TaskManager that has sent what its certificate does not allow. */
  void refuse(InboundConnection connection, Principal certificate, String why) {
    String reason = "its certificate is that of " + certificate.getName() + ", but " + why;
    unauthenticated.warn(
        connection.remote(), "Refused a message from " + connection.peer() + ": " + reason);
    lose(connection, reason);
  }

  byte[] encodeAnswer(Envelope.Call call, Envelope answer) {
    try {
      return encode((Record) answer);
    } catch (RuntimeException e) {
      LOG.error("Cannot encode the answer to {}", call.message().getClass().getSimpleName(), e);
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
    throw new MillraceException(ErrorKind.EXTERNAL, "a message has no envelope");
  }

  void onLoop(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("A task was dropped: the transport is closed", e);
    }
  }

  private byte[] encode(Record envelope) {
    byte[] frame = codec.encode(envelope);
    if (frame.length > MAX_MESSAGE_BYTES) {
      throw new MillraceException(
          ErrorKind.BUG,
          "The message has "
              + frame.length
              + " bytes; the maximum is "
              + MAX_MESSAGE_BYTES
              + " bytes. Send larger data as a blob.");
    }
    return frame;
  }

  private void lost(String peer, String reason) {
    if (!closed) {
      LOG.info("Connection lost to {}: {}", peer, reason);
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

  private Server listen(InetAddress host) {
    try {
      return settings
          .ports()
          .bind(host.getHostAddress(), port -> listen(new InetSocketAddress(host, port)));
    } catch (MillraceException e) {
      loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
      throw e;
    }
  }

  private Server listen(InetSocketAddress on) throws IOException {
    InboundConnection.StreamAcceptor acceptor = new InboundConnection.StreamAcceptor(this);
    NettyServerBuilder builder = NettyServerBuilder.forAddress(on);
    NioServerSocketChannel listener = unauthenticated.listener();
    tls.ifPresent(context -> builder.sslContext(context.called()));
    Server started =
        builder
            .bossEventLoopGroup(loop)
            .workerEventLoopGroup(loop)
            .channelFactory(() -> listener)
            .directExecutor()
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .maxInboundMetadataSize(MAX_HEADER_BYTES)
            .maxConcurrentCallsPerConnection(4)
            .handshakeTimeout(
                UnauthenticatedConnections.HANDSHAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
            // Connections of the cluster always have an open stream; others are closed when idle.
            .maxConnectionIdle(IDLE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveTime(KEEP_ALIVE_SECONDS / 2, TimeUnit.SECONDS)
            .addTransportFilter(InboundHandshake.perConnection(this))
            .addService(
                ServerServiceDefinition.builder(GrpcMethods.SERVICE)
                    .addMethod(GrpcMethods.HELLO, acceptor)
                    .addMethod(GrpcMethods.CALLS, acceptor)
                    .addMethod(GrpcMethods.HEARTBEATS, acceptor)
                    .build())
            .build()
            .start();
    unauthenticated.watch(listener);
    return started;
  }

  private static InetAddress bindAddress(GrpcSettings settings) {
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
              + "): without TLS a process listens on loopback addresses only. `millrace cluster start"
              + " --bind ADDRESS` makes keys and encrypts all connections. Otherwise set "
              + TlsOptions.INTERNAL_ENABLED.key()
              + " to true and give each process a certificate, or set "
              + key
              + " to 127.0.0.1.");
    }
    return host;
  }
}
