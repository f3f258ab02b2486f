package io.millrace.rpc.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.millrace.core.error.MillraceException;
import io.millrace.core.secret.SecretProof;
import io.millrace.rpc.Envelope;
import java.net.SocketAddress;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A connection that a peer made. It carries the peer's calls and the answers to them. */
final class InboundConnection {
  private final GrpcTransport transport;
  private final String peer;
  private final SocketAddress remote;
  private final List<InboundStream> streams = new ArrayList<>();
  private String ended = "";

  InboundConnection(GrpcTransport transport, String peer, SocketAddress remote) {
    this.transport = transport;
    this.peer = peer;
    this.remote = remote;
  }

  String peer() {
    return peer;
  }

  /** The remote address; the streams of one connection share it. */
  SocketAddress remote() {
    return remote;
  }

  void end(String reason) {
    List<InboundStream> all;
    synchronized (streams) {
      ended = reason;
      all = new ArrayList<>(streams);
    }
    all.forEach(stream -> stream.queue.end(reason));
  }

  /** Adds a stream. If the connection has ended, the stream ends, too. */
  private void add(InboundStream stream) {
    String late;
    synchronized (streams) {
      streams.add(stream);
      late = ended;
    }
    if (!late.isEmpty()) {
      stream.queue.end(late);
    }
  }

  /** Accepts streams of authenticated peers and rejects others without reading from them. */
  static final class StreamAcceptor implements ServerCallHandler<byte[], byte[]> {
    private final GrpcTransport transport;

    StreamAcceptor(GrpcTransport transport) {
      this.transport = transport;
    }

    @Override
    public ServerCall.Listener<byte[]> startCall(
        ServerCall<byte[], byte[]> call, Metadata headers) {
      if (!transport.isServing()) {
        call.close(
            Status.UNAVAILABLE.withDescription("it does not serve calls now"),
            ConnectionHandshake.refusal());
        return new ServerCall.Listener<>() {};
      }
      InboundHandshake handshake = call.getAttributes().get(InboundHandshake.OF);
      if (call.getMethodDescriptor() == GrpcMethods.HELLO) {
        return handshake.hello(call, headers);
      }
      Optional<String> peer = handshake.authenticate(headers);
      if (peer.isEmpty()) {
        return handshake.refuse(
            call,
            Status.UNAUTHENTICATED,
            "it does not prove that it knows the secret; if it belongs to this cluster, "
                + SecretProof.DIFFERS);
      }
      InboundConnection connection = transport.accepted(peer.get(), handshake.remote());
      InboundStream stream = connection.new InboundStream(call, handshake.certificate());
      call.sendHeaders(new Metadata());
      call.request(Integer.MAX_VALUE);
      connection.add(stream);
      return stream;
    }
  }

  /** One stream of the connection. */
  private final class InboundStream extends ServerCall.Listener<byte[]>
      implements OutboundFrameQueue.Stream {
    private final ServerCall<byte[], byte[]> call;
    private final Optional<Principal> certificate;
    private final OutboundFrameQueue queue = new OutboundFrameQueue(this);

    InboundStream(ServerCall<byte[], byte[]> call, Optional<Principal> certificate) {
      this.call = call;
      this.certificate = certificate;
    }

    @Override
    public boolean ready() {
      return call.isReady();
    }

    @Override
    public void write(byte[] frame) {
      call.sendMessage(frame);
    }

    @Override
    public void end(String reason) {
      call.close(Status.UNAVAILABLE.withDescription(reason), new Metadata());
    }

    @Override
    public void onReady() {
      queue.drain();
    }

    @Override
    public void onMessage(byte[] frame) {
      Envelope envelope;
      try {
        envelope = transport.decode(frame);
      } catch (MillraceException e) {
        transport.lose(
            InboundConnection.this, "it sent a message that cannot be decoded: " + e.getMessage());
        return;
      }
      if (envelope instanceof Envelope.Call received) {
        Optional<String> refusal = transport.refusal(certificate, received.message());
        if (refusal.isPresent()) {
          transport.refuse(InboundConnection.this, certificate.orElseThrow(), refusal.get());
          return;
        }
        transport.called(peer, received, answer -> reply(received, answer));
      } else {
        transport.lose(InboundConnection.this, "it sent an answer where calls are expected");
      }
    }

    @Override
    public void onCancel() {
      transport.lose(InboundConnection.this, "the connection from it broke");
    }

    @Override
    public void onHalfClose() {
      transport.lose(InboundConnection.this, "it closed its connection");
    }

    private void reply(Envelope.Call received, Envelope answer) {
      if (queue.offer(transport.encodeAnswer(received, answer))
          == OutboundFrameQueue.Outcome.FULL) {
        transport.lose(InboundConnection.this, GrpcTransport.TOO_SLOW);
      }
    }
  }
}
