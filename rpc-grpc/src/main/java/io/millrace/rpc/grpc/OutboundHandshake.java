package io.millrace.rpc.grpc;

import io.grpc.Metadata;
import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.secret.SecretProof;
import java.util.Optional;

/** The caller's part of the hello, for one connection. */
final class OutboundHandshake {
  private final Bytes secret;
  private final String caller;
  private final String called;
  private final Bytes nonce;

  OutboundHandshake(Bytes secret, String caller, String called, Bytes nonce) {
    this.secret = secret;
    this.caller = caller;
    this.called = called;
    this.nonce = nonce;
  }

  Metadata opening() {
    return ConnectionHandshake.opening(caller, called, nonce);
  }

  /** What proves this side to the other; nothing where the other's own proof does not fit. */
  Optional<Bytes> proofFor(Metadata answer) {
    SecretProof.Meeting meeting;
    try {
      meeting =
          ConnectionHandshake.meeting(caller, called, nonce, ConnectionHandshake.nonce(answer));
    } catch (MillraceException e) {
      return Optional.empty();
    }
    return SecretProof.fits(
            secret, SecretProof.Side.CALLED, meeting, ConnectionHandshake.proof(answer))
        ? Optional.of(SecretProof.of(secret, SecretProof.Side.CALLER, meeting))
        : Optional.empty();
  }
}
