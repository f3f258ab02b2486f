package io.millrace.worker.blobcache;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Hashes a blob while it comes in. */
final class Digest {
  private final BlobKey expected;
  private final MessageDigest digest;

  Digest(BlobKey expected) {
    this.expected = expected;
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java runtime has SHA-256", e);
    }
  }

  void update(Bytes part) {
    digest.update(part.unsafeArray());
  }

  void check() throws IOException {
    BlobKey actual = BlobKey.of(digest.digest());
    if (!actual.equals(expected)) {
      throw new IOException("what was received has the SHA-256 " + actual + " instead");
    }
  }
}
