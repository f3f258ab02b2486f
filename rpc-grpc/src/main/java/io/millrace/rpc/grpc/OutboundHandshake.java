package io.millrace.rpc.grpc;

import io.grpc.Metadata;
import io.millrace.core.Bytes;
import io.millrace.core.error.MillraceException;
import io.millrace.core.secret.SecretProof;
import java.util.Optional;

/** The client side of the handshake on one connection. */
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

  /** The proof of this side; empty if the proof in the answer is wrong. */
  Optional<Bytes> proofFor(Metadata answer) {
    SecretProof.Meeting transcript;
    try {
      transcript =
          ConnectionHandshake.transcript(caller, called, nonce, ConnectionHandshake.nonce(answer));
    } catch (MillraceException e) {
      return Optional.empty();
    }
    return SecretProof.fits(
            secret, SecretProof.Side.CALLED, transcript, ConnectionHandshake.proof(answer))
        ? Optional.of(SecretProof.of(secret, SecretProof.Side.CALLER, transcript))
        : Optional.empty();
  }
}
