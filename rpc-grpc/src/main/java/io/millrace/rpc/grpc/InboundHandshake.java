package io.millrace.rpc.grpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.secret.SecretProof;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * Where a connection that a peer made stands until the peer has proved that it knows the secret.
 * Lives in the event loop.
 *
 * <p>States: SILENT → GREETED (the peer has said hello and this side has proved itself) → PROVEN. A
 * proof that does not fit leads back to SILENT: the next one needs another hello.
 */
final class InboundHandshake {
  static final Attributes.Key<InboundHandshake> OF = Attributes.Key.create("doorstep");

  private final GrpcTransport transport;
  private final SocketAddress remote;
  private Optional<SecretProof.Meeting> meeting = Optional.empty();
  private boolean proven;

  private InboundHandshake(GrpcTransport transport, SocketAddress remote) {
    this.transport = transport;
    this.remote = remote;
  }

  /** Gives every connection its own. */
  static ServerTransportFilter perConnection(GrpcTransport transport) {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        SocketAddress remote = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        return attributes.toBuilder().set(OF, new InboundHandshake(transport, remote)).build();
      }

      @Override
      public void transportTerminated(Attributes attributes) {
        // A connection that never spoke HTTP/2 has no attributes.
        if (attributes != null && attributes.get(OF) != null) {
          attributes.get(OF).left();
        }
      }
    };
  }

  SocketAddress remote() {
    return remote;
  }

  /** Answers a hello with this side's proof. */
  ServerCall.Listener<byte[]> greet(ServerCall<byte[], byte[]> call, Metadata headers) {
    if (ConnectionHandshake.version(headers) != ConnectionHandshake.VERSION) {
      return refuse(
          call,
          Status.FAILED_PRECONDITION,
          "it speaks version "
              + ConnectionHandshake.version(headers)
              + ", this process "
              + ConnectionHandshake.VERSION);
    }
    Bytes nonce = transport.nonce();
    SecretProof.Meeting met;
    try {
      met =
          ConnectionHandshake.meeting(
              ConnectionHandshake.caller(headers),
              ConnectionHandshake.called(headers),
              ConnectionHandshake.nonce(headers),
              nonce);
    } catch (MillraceException e) {
      return refuse(call, Status.INVALID_ARGUMENT, "its hello is none: " + e.getMessage());
    }
    // Somebody in between, who listens elsewhere, would have us prove ourselves on its behalf.
    if (!met.called().equals(transport.address())) {
      return refuse(
          call,
          Status.FAILED_PRECONDITION,
          "it means to reach " + met.called() + ", but this process is " + transport.address());
    }
    meeting = Optional.of(met);
    proven = false;
    Bytes proof = SecretProof.of(transport.settings().secret(), SecretProof.Side.CALLED, met);
    call.sendHeaders(ConnectionHandshake.answer(nonce, proof));
    call.close(Status.OK, new Metadata());
    return new ServerCall.Listener<>() {};
  }

  /** Who opens a stream; nothing if it does not prove that it knows the secret. */
  Optional<String> prove(Metadata headers) {
    proven =
        meeting.isPresent()
            && SecretProof.fits(
                transport.settings().secret(),
                SecretProof.Side.CALLER,
                meeting.get(),
                ConnectionHandshake.proof(headers));
    if (proven) {
      transport.unproven().proven(remote);
    } else {
      meeting = Optional.empty();
    }
    return meeting.map(SecretProof.Meeting::caller);
  }

  ServerCall.Listener<byte[]> refuse(
      ServerCall<byte[], byte[]> call, Status status, String reason) {
    transport.unproven().warn(remote, "Refused a connection from " + remote + ": " + reason);
    call.close(status.withDescription(reason), ConnectionHandshake.refusal());
    return new ServerCall.Listener<>() {};
  }

  private void left() {
    if (meeting.isPresent() && !proven) {
      transport
          .unproven()
          .warn(
              remote,
              "The connection from "
                  + remote
                  + ", which says it is "
                  + meeting.get().caller()
                  + ", ended before it proved that it knows the secret; if it belongs to this"
                  + " cluster, "
                  + SecretProof.DIFFERS);
    }
  }
}
