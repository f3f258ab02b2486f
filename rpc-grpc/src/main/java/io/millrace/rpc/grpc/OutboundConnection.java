package io.millrace.rpc.grpc;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientTransportFilter;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.millrace.core.Bytes;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.secret.SecretProof;
import io.millrace.rpc.Envelope;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * A connection that this process made. It carries the process's calls and the answers to them.
 * Lives in the event loop, except {@link #offer} and {@link #end}.
 *
 * <pre>
 * state           event                                        next state
 * CONNECTING      the peer proves that it knows the secret     AUTHENTICATED
 * CONNECTING      the peer closes before it answers            CONNECTING, after a pause
 * CONNECTING      no stream is accepted within the time-out    ENDED
 * AUTHENTICATED   the peer accepts a stream                    OPEN
 * any             wrong proof, refusal or broken connection    ENDED
 * any             {@link #end}                                 ENDED
 * </pre>
 *
 * <p>An ended connection is not reused: the transport makes a new one for the next call. This keeps
 * gRPC from reconnecting by itself: a stream on another transport than the authenticated one ends
 * the connection.
 */
final class OutboundConnection {
  private static final int CONNECT_MILLIS = 2_000;
  private static final int HELLO_MILLIS = 5_000;
  private static final int MAX_REASON_CHARS = 500;
  private static final int FIRST_PAUSE_MILLIS = 20;
  private static final int MAX_PAUSE_MILLIS = 500;

  private final GrpcTransport transport;
  private final String peer;
  private final EventLoop loop;
  private final OutboundStream calls = new OutboundStream(GrpcMethods.CALLS);
  private final OutboundStream heartbeats = new OutboundStream(GrpcMethods.HEARTBEATS);

  // The following fields are confined to the event loop.
  private ManagedChannel channel;
  private ScheduledFuture<?> helloDeadline;
  private Optional<Bytes> proof = Optional.empty();
  private Optional<Connection> authenticated = Optional.empty();
  private int attempts;
  private String lastFailure = "no answer";
  private boolean ended;

  private volatile boolean open;

  OutboundConnection(GrpcTransport transport, String peer, EventLoop loop) {
    this.transport = transport;
    this.peer = peer;
    this.loop = loop;
  }

  String peer() {
    return peer;
  }

  /** Whether the peer has authenticated and accepted a stream. */
  boolean open() {
    return open;
  }

  /** Enqueues a frame for the peer. The first frame of a stream opens it. */
  OutboundFrameQueue.Outcome offer(byte[] frame, boolean heartbeat) {
    OutboundStream stream = heartbeat ? heartbeats : calls;
    OutboundFrameQueue.Outcome outcome = stream.queue.offer(frame);
    if (outcome == OutboundFrameQueue.Outcome.ACCEPTED && !stream.requested) {
      stream.requested = true;
      transport.onLoop(stream::start);
    }
    return outcome;
  }

  void end(String reason) {
    // The queues end first, so that a concurrent offer() returns ENDED.
    calls.queue.end(reason);
    heartbeats.queue.end(reason);
    transport.onLoop(
        () -> {
          ended = true;
          if (helloDeadline != null) {
            helloDeadline.cancel(false);
          }
          if (channel != null) {
            channel.shutdownNow();
          }
        });
  }

  /** Runs in the event loop, not in the sender's thread, because it may resolve the host name. */
  private boolean connect() {
    if (channel != null || ended) {
      return !ended;
    }
    int colon = peer.lastIndexOf(':');
    InetSocketAddress address;
    try {
      address =
          new InetSocketAddress(
              peer.substring(0, colon), Integer.parseInt(peer, colon + 1, peer.length(), 10));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      transport.lose(this, "'" + peer + "' is not an address of the form host:port");
      return false;
    }
    if (address.isUnresolved()) {
      transport.lose(this, "the host of " + peer + " is unknown");
      return false;
    }
    channel =
        withTls(NettyChannelBuilder.forAddress(address))
            .eventLoopGroup(loop)
            .channelType(NioSocketChannel.class)
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
            .directExecutor()
            .offloadExecutor(Runnable::run)
            .proxyDetector(target -> null)
            .disableRetry()
            .disableServiceConfigLookUp()
            .addTransportFilter(new Connections())
            .maxTraceEvents(0)
            .maxInboundMessageSize(GrpcTransport.MAX_MESSAGE_BYTES)
            .maxInboundMetadataSize(GrpcTransport.MAX_HEADER_BYTES)
            .keepAliveTime(GrpcTransport.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(GrpcTransport.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .build();
    if (helloDeadline == null) {
      helloDeadline = loop.schedule(this::onHelloTimeout, HELLO_MILLIS, TimeUnit.MILLISECONDS);
    }
    new HelloCall(channel.newCall(GrpcMethods.HELLO, CallOptions.DEFAULT)).start();
    return true;
  }

  private void onHelloTimeout() {
    if (!open) {
      transport.lose(
          this,
          "cannot connect: "
              + lastFailure
              + " within "
              + HELLO_MILLIS
              + " ms"
              + (attempts == 0
                  ? ""
                  : ", in "
                      + (attempts + 1)
                      + " attempts; it may have too many unauthenticated connections, see its log"));
    }
  }

  /**
   * The peer has closed the connection before it answered. A process of the cluster does this when
   * it has too many unauthenticated connections; the next attempt may succeed.
   */
  private void retryLater(String failure) {
    attempts++;
    lastFailure = failure;
    channel.shutdownNow();
    channel = null;
    loop.schedule(
        this::connect,
        Math.min(FIRST_PAUSE_MILLIS << Math.min(attempts, 10), MAX_PAUSE_MILLIS),
        TimeUnit.MILLISECONDS);
  }

  private NettyChannelBuilder withTls(NettyChannelBuilder builder) {
    return transport
        .tls()
        .map(tls -> builder.sslContext(tls.caller()))
        .orElseGet(builder::usePlaintext);
  }

  /** Identifies one transport of the gRPC channel. */
  private static final class Connection {
    static final Attributes.Key<Connection> OF = Attributes.Key.create("connection");
  }

  private static final class Connections extends ClientTransportFilter {
    @Override
    public Attributes transportReady(Attributes attributes) {
      return attributes.toBuilder().set(Connection.OF, new Connection()).build();
    }
  }

  /** Authenticates the peer. No stream is opened before. */
  private final class HelloCall extends ClientCall.Listener<byte[]> {
    private final ClientCall<byte[], byte[]> call;
    private final OutboundHandshake handshake =
        new OutboundHandshake(
            transport.settings().secret(), transport.address(), peer, transport.nonce());

    HelloCall(ClientCall<byte[], byte[]> call) {
      this.call = call;
    }

    void start() {
      call.start(this, handshake.opening());
    }

    @Override
    public void onHeaders(Metadata headers) {
      proof = handshake.proofFor(headers);
      authenticated = proof.map(fits -> call.getAttributes().get(Connection.OF));
      if (authenticated.isEmpty()) {
        transport.lose(
            OutboundConnection.this,
            "it does not prove that it knows the secret; if it belongs to this cluster, "
                + SecretProof.DIFFERS);
        return;
      }
      for (OutboundStream stream : List.of(calls, heartbeats)) {
        if (stream.requested) {
          stream.start();
        }
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (authenticated.isEmpty()
          && !ended
          && isClosedByPeer(status)
          && !ConnectionHandshake.isRefusal(trailers)) {
        retryLater("it closed the connection");
      } else if (authenticated.isEmpty()) {
        transport.lose(
            OutboundConnection.this,
            status.isOk() ? "cannot connect: it answers without a proof" : reason(status));
      }
    }
  }

  /** One stream of the connection. */
  private final class OutboundStream extends ClientCall.Listener<byte[]>
      implements OutboundFrameQueue.Stream {
    private final MethodDescriptor<byte[], byte[]> method;
    private final OutboundFrameQueue queue = new OutboundFrameQueue(this);

    /** Two threads may both call {@link #start}; the second call has no effect. */
    private volatile boolean requested;

    private volatile ClientCall<byte[], byte[]> call;
    private volatile boolean accepted;

    OutboundStream(MethodDescriptor<byte[], byte[]> method) {
      this.method = method;
    }

    void start() {
      if (call == null && connect() && proof.isPresent()) {
        call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(this, ConnectionHandshake.proof(proof.get()));
      }
    }

    @Override
    public boolean ready() {
      return accepted && call.isReady();
    }

    @Override
    public void write(byte[] frame) {
      call.sendMessage(frame);
    }

    @Override
    public void end(String reason) {
      ClientCall<byte[], byte[]> started = call;
      if (started != null) {
        started.cancel(reason, null);
      }
    }

    @Override
    public void onHeaders(Metadata headers) {
      if (call.getAttributes().get(Connection.OF) != authenticated.orElseThrow()) {
        transport.lose(OutboundConnection.this, "the connection broke during the handshake");
        return;
      }
      accepted = true;
      open = true;
      call.request(Integer.MAX_VALUE);
      queue.drain();
    }

    @Override
    public void onReady() {
      queue.drain();
    }

    @Override
    public void onMessage(byte[] frame) {
      Envelope answer;
      try {
        answer = transport.decode(frame);
      } catch (MillraceException e) {
        transport.lose(
            OutboundConnection.this, "it sent a message that cannot be decoded: " + e.getMessage());
        return;
      }
      if (answer instanceof Envelope.Call) {
        transport.lose(OutboundConnection.this, "it sent a call where answers are expected");
        return;
      }
      transport.answered(peer, answer);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      transport.lose(OutboundConnection.this, reason(status));
    }
  }

  /** Whether the peer closed the connection without a reason. */
  private static boolean isClosedByPeer(Status status) {
    Throwable cause = status.getCause();
    while (cause != null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return status.getCode() == Status.Code.UNAVAILABLE
        && (cause == null
            || (cause instanceof IOException
                && !(cause instanceof SSLException)
                && !(cause instanceof ConnectException)));
  }

  private String reason(Status status) {
    if (status.getCode() == Status.Code.UNAUTHENTICATED) {
      return "it refused the connection because " + SecretProof.DIFFERS;
    }
    String what =
        status.getCause() == null
            ? sanitized(status.getDescription())
            : sentence(status.getCause());
    return (open ? "the connection broke: " : "cannot connect: ") + what;
  }

  /** The description that a peer sent, with bounded length and without control characters. */
  private static String sanitized(String description) {
    if (description == null) {
      return "it gave no reason";
    }
    char[] text =
        description.substring(0, Math.min(description.length(), MAX_REASON_CHARS)).toCharArray();
    for (int i = 0; i < text.length; i++) {
      text[i] = Character.isISOControl(text[i]) ? ' ' : text[i];
    }
    return new String(text);
  }

  /** The message of the innermost cause: gRPC wraps the exception of the socket several times. */
  private static String sentence(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof ConnectException && cause.getMessage() != null
        ? cause.getMessage()
        : Failure.sentence(cause);
  }
}
