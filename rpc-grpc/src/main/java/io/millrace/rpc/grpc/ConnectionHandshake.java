package io.millrace.rpc.grpc;

import io.grpc.Metadata;
import io.millrace.core.Bytes;
import io.millrace.core.secret.SecretProof;
import java.nio.charset.StandardCharsets;

/**
 * What the two sides of a connection tell each other before anything else, all of it in headers:
 * the caller its nonce and the addresses, the called side its nonce and proof, and on every stream
 * after that the caller its proof. No message is read from a peer that has not shown its proof.
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

  /** Tells a refusal by the called side from a connection that broke. */
  static Metadata refusal() {
    Metadata trailers = new Metadata();
    trailers.put(REFUSED, new byte[] {1});
    return trailers;
  }

  static boolean isRefusal(Metadata trailers) {
    return trailers.containsKey(REFUSED);
  }

  /** 0 where none is given. */
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

  static SecretProof.Meeting meeting(
      String caller, String called, Bytes callerNonce, Bytes calledNonce) {
    return new SecretProof.Meeting(
        GrpcMethods.SERVICE, VERSION, caller, called, callerNonce, calledNonce);
  }

  private static String text(Metadata headers, Metadata.Key<byte[]> key) {
    return new String(bytes(headers, key).unsafeArray(), StandardCharsets.UTF_8);
  }

  /** Empty where the header is missing; the meeting then refuses it. */
  private static Bytes bytes(Metadata headers, Metadata.Key<byte[]> key) {
    byte[] value = headers.get(key);
    return value == null ? Bytes.EMPTY : Bytes.wrap(value);
  }
}
