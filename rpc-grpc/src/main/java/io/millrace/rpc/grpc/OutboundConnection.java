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
 * A connection that this process made: its calls go out here and their answers come back.
 *
 * <p>Lives once: CONNECTING → PROVEN (the peer knows the secret) → OPEN (it took a stream) → ENDED,
 * which may follow any of them. The transport makes a new link for the next call, which is why
 * gRPC's own reconnecting with its pauses never gets a chance: a stream on any other connection
 * than the one on which the peer proved itself ends the link.
 */
final class OutboundConnection {
  private static final int CONNECT_MILLIS = 2_000;
  private static final int HELLO_MILLIS = 5_000;
  private static final int LONGEST_REASON = 500;
  private static final int FIRST_PAUSE_MILLIS = 20;
  private static final int LONGEST_PAUSE_MILLIS = 500;

  private final GrpcTransport transport;
  private final String peer;
  private final EventLoop loop;
  private final Lane calls = new Lane(GrpcMethods.CALLS);
  private final Lane heartbeats = new Lane(GrpcMethods.HEARTBEATS);

  // What follows belongs to the event loop.
  private ManagedChannel channel;
  private ScheduledFuture<?> helloDeadline;
  private Optional<Bytes> proof = Optional.empty();
  private Optional<Connection> proven = Optional.empty();
  private int attempts;
  private String lastFailure = "no word from it";
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

  /** Whether the peer proved itself and took a stream. */
  boolean open() {
    return open;
  }

  /** Takes a frame for the peer; the first one on a lane opens it. */
  OutboundFrameQueue.Outcome offer(byte[] frame, boolean heartbeat) {
    Lane lane = heartbeat ? heartbeats : calls;
    OutboundFrameQueue.Outcome outcome = lane.outbox.offer(frame);
    if (outcome == OutboundFrameQueue.Outcome.TAKEN && !lane.wanted) {
      lane.wanted = true;
      transport.onLoop(lane::start);
    }
    return outcome;
  }

  void end(String reason) {
    // First the boxes: whoever offers from now on is told that the link has ended.
    calls.outbox.end(reason);
    heartbeats.outbox.end(reason);
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

  /** Off the sender's thread, because it may have to look up the host. */
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
      transport.lose(this, "'" + peer + "' is no address of the form host:port");
      return false;
    }
    if (address.isUnresolved()) {
      transport.lose(this, "the host of " + peer + " is unknown");
      return false;
    }
    channel =
        encrypted(NettyChannelBuilder.forAddress(address))
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
      helloDeadline = loop.schedule(this::notConnected, HELLO_MILLIS, TimeUnit.MILLISECONDS);
    }
    new Greeting(channel.newCall(GrpcMethods.HELLO, CallOptions.DEFAULT)).start();
    return true;
  }

  private void notConnected() {
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
                      + " attempts; so many strangers may connect to it that its log warns of them"));
    }
  }

  /**
   * The peer has ended the connection before it answered. A process of the cluster does so when too
   * many strangers connect to it, and takes the next connection.
   */
  private void tryAgain(String failure) {
    attempts++;
    lastFailure = failure;
    channel.shutdownNow();
    channel = null;
    loop.schedule(
        this::connect,
        Math.min(FIRST_PAUSE_MILLIS << Math.min(attempts, 10), LONGEST_PAUSE_MILLIS),
        TimeUnit.MILLISECONDS);
  }

  private NettyChannelBuilder encrypted(NettyChannelBuilder builder) {
    return transport
        .tls()
        .map(tls -> builder.sslContext(tls.caller()))
        .orElseGet(builder::usePlaintext);
  }

  /** One connection of the channel, told from any later one by its identity. */
  private static final class Connection {
    static final Attributes.Key<Connection> OF = Attributes.Key.create("connection");
  }

  private static final class Connections extends ClientTransportFilter {
    @Override
    public Attributes transportReady(Attributes attributes) {
      return attributes.toBuilder().set(Connection.OF, new Connection()).build();
    }
  }

  /** Makes sure that the peer knows the secret; before that no stream is opened. */
  private final class Greeting extends ClientCall.Listener<byte[]> {
    private final ClientCall<byte[], byte[]> call;
    private final OutboundHandshake knock =
        new OutboundHandshake(
            transport.settings().secret(), transport.address(), peer, transport.nonce());

    Greeting(ClientCall<byte[], byte[]> call) {
      this.call = call;
    }

    void start() {
      call.start(this, knock.opening());
    }

    @Override
    public void onHeaders(Metadata headers) {
      proof = knock.proofFor(headers);
      proven = proof.map(fits -> call.getAttributes().get(Connection.OF));
      if (proven.isEmpty()) {
        transport.lose(
            OutboundConnection.this,
            "it does not prove that it knows the secret; if it belongs to this cluster, "
                + SecretProof.DIFFERS);
        return;
      }
      for (Lane lane : List.of(calls, heartbeats)) {
        if (lane.wanted) {
          lane.start();
        }
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (proven.isEmpty()
          && !ended
          && isCutOff(status)
          && !ConnectionHandshake.isRefusal(trailers)) {
        tryAgain("it closed the connection");
      } else if (proven.isEmpty()) {
        transport.lose(
            OutboundConnection.this,
            status.isOk() ? "cannot connect: it answers without a proof" : reason(status));
      }
    }
  }

  /** One stream of the link. */
  private final class Lane extends ClientCall.Listener<byte[]>
      implements OutboundFrameQueue.Stream {
    private final MethodDescriptor<byte[], byte[]> method;
    private final OutboundFrameQueue outbox = new OutboundFrameQueue(this);

    /** Two threads may both ask for the start; the second time nothing happens. */
    private volatile boolean wanted;

    private volatile ClientCall<byte[], byte[]> call;
    private volatile boolean accepted;

    Lane(MethodDescriptor<byte[], byte[]> method) {
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
      if (call.getAttributes().get(Connection.OF) != proven.orElseThrow()) {
        transport.lose(OutboundConnection.this, "the connection broke while it was made");
        return;
      }
      accepted = true;
      open = true;
      call.request(Integer.MAX_VALUE);
      outbox.drain();
    }

    @Override
    public void onReady() {
      outbox.drain();
    }

    @Override
    public void onMessage(byte[] frame) {
      Envelope answer;
      try {
        answer = transport.decode(frame);
      } catch (MillraceException e) {
        transport.lose(OutboundConnection.this, "it sent what cannot be read: " + e.getMessage());
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

  /** Whether somebody listened and closed the connection, rather than that it said why. */
  private static boolean isCutOff(Status status) {
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
        status.getCause() == null ? plain(status.getDescription()) : sentence(status.getCause());
    return (open ? "the connection broke: " : "cannot connect: ") + what;
  }

  /** What a peer says of itself, which may be anybody, fit for a log. */
  private static String plain(String description) {
    if (description == null) {
      return "it gives no reason";
    }
    char[] text =
        description.substring(0, Math.min(description.length(), LONGEST_REASON)).toCharArray();
    for (int i = 0; i < text.length; i++) {
      text[i] = Character.isISOControl(text[i]) ? ' ' : text[i];
    }
    return new String(text);
  }

  /** The innermost cause: gRPC wraps what the socket said several times. */
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
