package io.millrace.rpc.grpc;

import io.grpc.Metadata;
import io.millrace.core.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/** The first thing on a stream: who calls, and the secret that shows it may. */
final class Hello {
  private static final Metadata.Key<byte[]> SECRET =
      Metadata.Key.of("millrace-secret-bin", Metadata.BINARY_BYTE_MARSHALLER);
  private static final Metadata.Key<byte[]> ADDRESS =
      Metadata.Key.of("millrace-address-bin", Metadata.BINARY_BYTE_MARSHALLER);

  /** Longer names are no addresses; they end up in logs and maps. */
  private static final int LONGEST_ADDRESS = 512;

  private Hello() {}

  static Metadata of(Bytes secret, String address) {
    Metadata headers = new Metadata();
    headers.put(SECRET, secret.toArray());
    headers.put(ADDRESS, address.getBytes(StandardCharsets.UTF_8));
    return headers;
  }

  /** What is wrong with the secret shown; nothing where it is the right one. */
  static Optional<String> objection(Metadata headers, Bytes secret) {
    byte[] shown = headers.get(SECRET);
    if (shown == null) {
      return Optional.of("it shows no cluster secret");
    }
    // In constant time, so that the secret cannot be guessed byte by byte.
    return MessageDigest.isEqual(shown, secret.unsafeArray())
        ? Optional.empty()
        : Optional.of("its cluster secret is not the one of this process");
  }

  /** Where the caller listens. */
  static Optional<String> address(Metadata headers) {
    byte[] address = headers.get(ADDRESS);
    return address == null || address.length == 0 || address.length > LONGEST_ADDRESS
        ? Optional.empty()
        : Optional.of(new String(address, StandardCharsets.UTF_8));
  }
}
