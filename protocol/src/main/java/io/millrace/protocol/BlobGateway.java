package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.rpc.Gateway;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Serves graphs and jars by their hash, in parts that fit into a message. Not fenced: the key
 * determines the content, and readers verify the hash.
 */
public interface BlobGateway extends Gateway {
  /** The name of the endpoint in a JobManager process. */
  String NAME = "blobs";

  /** The length of a part in bytes. */
  int PART = 512 * 1024;

  /** Fails if there is no such blob. */
  CompletableFuture<BlobPart> readBlob(ReadBlob request);

  record ReadBlob(BlobKey key, long offset) {
    public ReadBlob {
      Objects.requireNonNull(key);
    }
  }

  record BlobPart(Bytes content, long total) {
    public BlobPart {
      Objects.requireNonNull(content);
    }
  }
}
