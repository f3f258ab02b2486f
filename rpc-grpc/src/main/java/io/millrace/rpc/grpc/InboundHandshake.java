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
import java.security.Principal;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * The server side of the handshake on one connection. Lives in the event loop.
 *
 * <pre>
 * state           event                            next state
 * NEW             valid hello                      HELLO_ANSWERED; this side has sent its proof
 * any             invalid hello                    unchanged; the call is refused
 * HELLO_ANSWERED  stream with the right proof      AUTHENTICATED
 * HELLO_ANSWERED  stream with a wrong proof        NEW; the stream is refused
 * NEW             stream                           NEW; the stream is refused
 * AUTHENTICATED   stream with the right proof      AUTHENTICATED
 * AUTHENTICATED   stream with a wrong proof        NEW; the stream is refused
 * AUTHENTICATED   valid hello                      HELLO_ANSWERED
 * </pre>
 *
 * <p>NEW: {@code transcript} is empty. HELLO_ANSWERED: it is present and {@code authenticated} is
 * false.
 */
final class InboundHandshake {
  static final Attributes.Key<InboundHandshake> OF = Attributes.Key.create("handshake");

  private final GrpcTransport transport;
  private final SocketAddress remote;
  private final Optional<Principal> certificate;
  private Optional<SecretProof.Meeting> transcript = Optional.empty();
  private boolean authenticated;

  /**
   * @param certificate the subject of the certificate of the peer; empty without TLS
   */
  private InboundHandshake(
      GrpcTransport transport, SocketAddress remote, Optional<Principal> certificate) {
    this.transport = transport;
    this.remote = remote;
    this.certificate = certificate;
  }

  /** Attaches a new handshake to every connection. */
  static ServerTransportFilter perConnection(GrpcTransport transport) {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        SocketAddress remote = attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        Optional<Principal> certificate =
            Optional.ofNullable(attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION))
                .map(InboundHandshake::subject);
        return attributes.toBuilder()
            .set(OF, new InboundHandshake(transport, remote, certificate))
            .build();
      }

      @Override
      public void transportTerminated(Attributes attributes) {
        // A connection that never spoke HTTP/2 has no attributes.
        if (attributes != null && attributes.get(OF) != null) {
          attributes.get(OF).onTerminated();
        }
      }
    };
  }

  private static Principal subject(SSLSession session) {
    try {
      return session.getPeerPrincipal();
    } catch (SSLPeerUnverifiedException e) {
      throw new IllegalStateException("The handshake requires a certificate", e);
    }
  }

  SocketAddress remote() {
    return remote;
  }

  Optional<Principal> certificate() {
    return certificate;
  }

  /** Answers a hello with the proof of this side. */
  ServerCall.Listener<byte[]> hello(ServerCall<byte[], byte[]> call, Metadata headers) {
    if (ConnectionHandshake.version(headers) != ConnectionHandshake.VERSION) {
      return refuse(
          call,
          Status.FAILED_PRECONDITION,
          "it uses protocol version "
              + ConnectionHandshake.version(headers)
              + ", this process version "
              + ConnectionHandshake.VERSION);
    }
    Bytes nonce = transport.nonce();
    SecretProof.Meeting received;
    try {
      received =
          ConnectionHandshake.transcript(
              ConnectionHandshake.caller(headers),
              ConnectionHandshake.called(headers),
              ConnectionHandshake.nonce(headers),
              nonce);
    } catch (MillraceException e) {
      return refuse(call, Status.INVALID_ARGUMENT, "its hello is invalid: " + e.getMessage());
    }
    // A man in the middle that listens at another address could otherwise relay our proof.
    if (!received.called().equals(transport.address())) {
      return refuse(
          call,
          Status.FAILED_PRECONDITION,
          "it wants to reach "
              + received.called()
              + ", but this process is "
              + transport.address());
    }
    transcript = Optional.of(received);
    authenticated = false;
    Bytes proof = SecretProof.of(transport.settings().secret(), SecretProof.Side.CALLED, received);
    call.sendHeaders(ConnectionHandshake.answer(nonce, proof));
    call.close(Status.OK, new Metadata());
    return new ServerCall.Listener<>() {};
  }

  /** The address of the peer that opens a stream; empty if its proof is wrong. */
  Optional<String> authenticate(Metadata headers) {
    authenticated =
        transcript.isPresent()
            && SecretProof.fits(
                transport.settings().secret(),
                SecretProof.Side.CALLER,
                transcript.get(),
                ConnectionHandshake.proof(headers));
    if (authenticated) {
      transport.unauthenticated().authenticated(remote);
    } else {
      transcript = Optional.empty();
    }
    return transcript.map(SecretProof.Meeting::caller);
  }

  ServerCall.Listener<byte[]> refuse(
      ServerCall<byte[], byte[]> call, Status status, String reason) {
    transport.unauthenticated().warn(remote, "Refused a connection from " + remote + ": " + reason);
    call.close(status.withDescription(reason), ConnectionHandshake.refusal());
    return new ServerCall.Listener<>() {};
  }

  private void onTerminated() {
    if (transcript.isPresent() && !authenticated) {
      transport
          .unauthenticated()
          .warn(
              remote,
              "The connection from "
                  + remote
                  + ", which claims to be "
                  + transcript.get().caller()
                  + ", ended before it proved that it knows the secret; if it belongs to this"
                  + " cluster, "
                  + SecretProof.DIFFERS);
    }
  }
}
