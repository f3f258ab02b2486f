package io.millrace.worker.blobcache;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Holds the bytes of a cache. A simulation seam. Methods may block and are called off the mailbox,
 * never two at a time for one blob.
 */
public interface BlobCacheStore {
  /** Begins to receive a blob; nothing of it is visible before it is complete. */
  Incoming receive(BlobKey key) throws IOException;

  /** The bytes of a complete blob. */
  Bytes read(BlobKey key) throws IOException;

  /** Where class loaders find a complete blob; nothing where they cannot. */
  Optional<URL> location(BlobKey key);

  /** Forgets a blob; an unknown one is ignored. */
  void delete(BlobKey key) throws IOException;

  /** Forgets everything. */
  void close() throws IOException;

  /** A blob on its way in. */
  interface Incoming {
    void append(Bytes part) throws IOException;

    /** Keeps what was received if it is what the key says, or drops it and throws. */
    void complete() throws IOException;

    /** Drops what was received. */
    void abandon() throws IOException;
  }

  /** Files in a directory that is made when first needed and that nobody else uses. */
  static BlobCacheStore inDirectory(Path directory) {
    return new FileBlobCacheStore(directory);
  }

  static BlobCacheStore inMemory() {
    return new MemoryBlobCacheStore();
  }
}
