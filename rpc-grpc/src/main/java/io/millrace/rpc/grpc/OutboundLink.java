package io.millrace.rpc.grpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.millrace.core.config.Options;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.rpc.Envelope;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A connection that this process made: its calls go out here and their answers come back.
 *
 * <p>Lives once: CONNECTING → OPEN → ENDED, or CONNECTING → ENDED. The transport makes a new one
 * for the next call, which is why gRPC's own reconnecting with its pauses never gets a chance.
 */
final class OutboundLink {
  private static final int CONNECT_MILLIS = 2_000;
  private static final int HELLO_MILLIS = 5_000;

  private final GrpcTransport transport;
  private final String peer;
  private final EventLoop loop;
  private final Lane calls = new Lane(Wire.CALLS);
  private final Lane heartbeats = new Lane(Wire.HEARTBEATS);

  // What follows belongs to the event loop.
  private ManagedChannel channel;
  private ScheduledFuture<?> helloDeadline;
  private boolean ended;

  private volatile boolean open;

  OutboundLink(GrpcTransport transport, String peer, EventLoop loop) {
    this.transport = transport;
    this.peer = peer;
    this.loop = loop;
  }

  String peer() {
    return peer;
  }

  /** Whether the peer took the hello. */
  boolean open() {
    return open;
  }

  /** Takes a frame for the peer; the first one on a lane opens it. */
  Outbox.Outcome offer(byte[] frame, boolean heartbeat) {
    Lane lane = heartbeat ? heartbeats : calls;
    Outbox.Outcome outcome = lane.outbox.offer(frame);
    if (outcome == Outbox.Outcome.TAKEN && !lane.wanted) {
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
        NettyChannelBuilder.forAddress(address)
            .eventLoopGroup(loop)
            .channelType(NioSocketChannel.class)
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
            .directExecutor()
            .offloadExecutor(Runnable::run)
            .proxyDetector(target -> null)
            .usePlaintext()
            .disableRetry()
            .disableServiceConfigLookUp()
            .maxTraceEvents(0)
            .maxInboundMessageSize(GrpcTransport.MAX_MESSAGE_BYTES)
            .maxInboundMetadataSize(GrpcTransport.MAX_HEADER_BYTES)
            .keepAliveTime(GrpcTransport.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(GrpcTransport.KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .build();
    helloDeadline =
        loop.schedule(
            () -> {
              if (!open) {
                transport.lose(
                    this, "cannot connect: no word from it within " + HELLO_MILLIS + " ms");
              }
            },
            HELLO_MILLIS,
            TimeUnit.MILLISECONDS);
    return true;
  }

  /** One stream of the link. */
  private final class Lane extends ClientCall.Listener<byte[]> implements Outbox.Stream {
    private final MethodDescriptor<byte[], byte[]> method;
    private final Outbox outbox = new Outbox(this);

    /** Two threads may both ask for the start; the second time nothing happens. */
    private volatile boolean wanted;

    private volatile ClientCall<byte[], byte[]> call;
    private volatile boolean accepted;

    Lane(MethodDescriptor<byte[], byte[]> method) {
      this.method = method;
    }

    void start() {
      if (call == null && connect()) {
        call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(this, transport.hello());
        call.request(Integer.MAX_VALUE);
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
      accepted = true;
      open = true;
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
        transport.lose(OutboundLink.this, "it sent what cannot be read: " + e.getMessage());
        return;
      }
      if (answer instanceof Envelope.Call) {
        transport.lose(OutboundLink.this, "it sent a call where answers are expected");
        return;
      }
      transport.answered(peer, answer);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      transport.lose(OutboundLink.this, reason(status));
    }
  }

  private String reason(Status status) {
    if (status.getCode() == Status.Code.UNAUTHENTICATED) {
      return "it refused the connection because the cluster secret did not match: both processes"
          + " must have the same one, see "
          + Options.SECRET_FILE.key();
    }
    String what =
        status.getCause() == null
            ? String.valueOf(status.getDescription())
            : sentence(status.getCause());
    return (open ? "the connection broke: " : "cannot connect: ") + what;
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
