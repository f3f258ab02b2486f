package io.millrace.rpc.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.millrace.core.error.MillraceException;
import io.millrace.core.secret.SecretProof;
import io.millrace.rpc.Envelope;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A connection that a peer made: its calls come in here and the answers to them go back. */
final class InboundConnection {
  private final GrpcTransport transport;
  private final String peer;
  private final SocketAddress remote;
  private final List<Lane> lanes = new ArrayList<>();
  private String ended = "";

  InboundConnection(GrpcTransport transport, String peer, SocketAddress remote) {
    this.transport = transport;
    this.peer = peer;
    this.remote = remote;
  }

  String peer() {
    return peer;
  }

  /** The peer's end of the connection, by which its streams are known to belong together. */
  SocketAddress remote() {
    return remote;
  }

  void end(String reason) {
    List<Lane> all;
    synchronized (lanes) {
      ended = reason;
      all = new ArrayList<>(lanes);
    }
    all.forEach(lane -> lane.outbox.end(reason));
  }

  /** Takes a stream in; one that comes when the link has just ended, ends too. */
  private void add(Lane lane) {
    String late;
    synchronized (lanes) {
      lanes.add(lane);
      late = ended;
    }
    if (!late.isEmpty()) {
      lane.outbox.end(late);
    }
  }

  /** Takes streams whose maker proves itself and turns the others away without reading on. */
  static final class Door implements ServerCallHandler<byte[], byte[]> {
    private final GrpcTransport transport;

    Door(GrpcTransport transport) {
      this.transport = transport;
    }

    @Override
    public ServerCall.Listener<byte[]> startCall(
        ServerCall<byte[], byte[]> call, Metadata headers) {
      if (!transport.serving()) {
        call.close(
            Status.UNAVAILABLE.withDescription("it is not serving now"),
            ConnectionHandshake.refusal());
        return new ServerCall.Listener<>() {};
      }
      InboundHandshake doorstep = call.getAttributes().get(InboundHandshake.OF);
      if (call.getMethodDescriptor() == GrpcMethods.HELLO) {
        return doorstep.greet(call, headers);
      }
      Optional<String> peer = doorstep.prove(headers);
      if (peer.isEmpty()) {
        return doorstep.refuse(
            call,
            Status.UNAUTHENTICATED,
            "it does not prove that it knows the secret; if it belongs to this cluster, "
                + SecretProof.DIFFERS);
      }
      InboundConnection link = transport.accepted(peer.get(), doorstep.remote());
      Lane lane = link.new Lane(call);
      call.sendHeaders(new Metadata());
      call.request(Integer.MAX_VALUE);
      link.add(lane);
      return lane;
    }
  }

  /** One stream of the link. */
  private final class Lane extends ServerCall.Listener<byte[]>
      implements OutboundFrameQueue.Stream {
    private final ServerCall<byte[], byte[]> call;
    private final OutboundFrameQueue outbox = new OutboundFrameQueue(this);

    Lane(ServerCall<byte[], byte[]> call) {
      this.call = call;
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
      outbox.drain();
    }

    @Override
    public void onMessage(byte[] frame) {
      Envelope envelope;
      try {
        envelope = transport.decode(frame);
      } catch (MillraceException e) {
        transport.lose(InboundConnection.this, "it sent what cannot be read: " + e.getMessage());
        return;
      }
      if (envelope instanceof Envelope.Call received) {
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
      if (outbox.offer(transport.encodeAnswer(received, answer))
          == OutboundFrameQueue.Outcome.FULL) {
        transport.lose(InboundConnection.this, GrpcTransport.TOO_SLOW);
      }
    }
  }
}
