package io.millrace.worker.blobcache;

import io.millrace.core.Bytes;
import io.millrace.core.Sha256;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.security.MessageDigest;

/** Computes the hash of a blob while it is received. */
final class BlobDigest {
  private final BlobKey expected;
  private final MessageDigest digest;

  BlobDigest(BlobKey expected) {
    this.expected = expected;
    this.digest = Sha256.begin();
  }

  void update(Bytes part) {
    digest.update(part.unsafeArray());
  }

  void check() throws IOException {
    BlobKey actual = BlobKey.of(digest.digest());
    if (!actual.equals(expected)) {
      throw new IOException("the received bytes have the SHA-256 " + actual);
    }
  }
}
