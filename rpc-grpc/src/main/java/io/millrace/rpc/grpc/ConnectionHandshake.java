package io.millrace.rpc.grpc;

import io.grpc.Metadata;
import io.millrace.core.Bytes;
import io.millrace.core.secret.SecretProof;
import java.nio.charset.StandardCharsets;

/**
 * The headers of the handshake between two processes. No message is read from a peer that has not
 * authenticated.
 *
 * <pre>
 * step   sender   headers
 * 1      caller   version, addresses of both sides, nonce of the caller
 * 2      called   nonce and proof of the called side
 * 3      caller   proof of the caller, on every stream that it opens
 * </pre>
 */
final class ConnectionHandshake {
  static final int VERSION = 1;

  private static final Metadata.Key<byte[]> VERSIONED = key("version");
  private static final Metadata.Key<byte[]> CALLER = key("caller");
  private static final Metadata.Key<byte[]> CALLED = key("called");
  private static final Metadata.Key<byte[]> NONCE = key("nonce");
  private static final Metadata.Key<byte[]> PROOF = key("proof");
  private static final Metadata.Key<byte[]> REFUSED = key("refused");

  private ConnectionHandshake() {}

  private static Metadata.Key<byte[]> key(String name) {
    return Metadata.Key.of("millrace-" + name + "-bin", Metadata.BINARY_BYTE_MARSHALLER);
  }

  static Metadata opening(String caller, String called, Bytes nonce) {
    Metadata headers = new Metadata();
    headers.put(VERSIONED, new byte[] {VERSION});
    headers.put(CALLER, caller.getBytes(StandardCharsets.UTF_8));
    headers.put(CALLED, called.getBytes(StandardCharsets.UTF_8));
    headers.put(NONCE, nonce.toArray());
    return headers;
  }

  static Metadata answer(Bytes nonce, Bytes proof) {
    Metadata headers = proof(proof);
    headers.put(NONCE, nonce.toArray());
    return headers;
  }

  static Metadata proof(Bytes proof) {
    Metadata headers = new Metadata();
    headers.put(PROOF, proof.toArray());
    return headers;
  }

  /** Marks an error as a refusal by the called side, as opposed to a broken connection. */
  static Metadata refusal() {
    Metadata trailers = new Metadata();
    trailers.put(REFUSED, new byte[] {1});
    return trailers;
  }

  static boolean isRefusal(Metadata trailers) {
    return trailers.containsKey(REFUSED);
  }

  /** 0 if the header is missing. */
  static int version(Metadata headers) {
    Bytes version = bytes(headers, VERSIONED);
    return version.length() == 1 ? version.unsafeArray()[0] : 0;
  }

  static String caller(Metadata headers) {
    return text(headers, CALLER);
  }

  static String called(Metadata headers) {
    return text(headers, CALLED);
  }

  static Bytes nonce(Metadata headers) {
    return bytes(headers, NONCE);
  }

  static Bytes proof(Metadata headers) {
    return bytes(headers, PROOF);
  }

  static SecretProof.Meeting transcript(
      String caller, String called, Bytes callerNonce, Bytes calledNonce) {
    return new SecretProof.Meeting(
        GrpcMethods.SERVICE, VERSION, caller, called, callerNonce, calledNonce);
  }

  private static String text(Metadata headers, Metadata.Key<byte[]> key) {
    return new String(bytes(headers, key).unsafeArray(), StandardCharsets.UTF_8);
  }

  /** Empty if the header is missing; the transcript then rejects it. */
  private static Bytes bytes(Metadata headers, Metadata.Key<byte[]> key) {
    byte[] value = headers.get(key);
    return value == null ? Bytes.EMPTY : Bytes.wrap(value);
  }
}
