package io.millrace.core.id;

import io.millrace.core.Bytes;
import java.util.HexFormat;

/** The key of a blob: the SHA-256 of its content, as 64 lower-case hex digits. */
public record BlobKey(String sha256) implements Comparable<BlobKey> {
  public BlobKey {
    if (sha256.length() != 64
        || !sha256.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      throw new IllegalArgumentException(
          "A blob key must have 64 lower-case hex digits, but is '" + sha256 + "'");
    }
  }

  public static BlobKey of(Bytes content) {
    return of(content.sha256());
  }

  public static BlobKey of(byte[] digest) {
    return new BlobKey(HexFormat.of().formatHex(digest));
  }

  @Override
  public int compareTo(BlobKey other) {
    return sha256.compareTo(other.sha256);
  }

  @Override
  public String toString() {
    return sha256;
  }
}
