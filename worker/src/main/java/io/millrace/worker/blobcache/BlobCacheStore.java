package io.millrace.worker.blobcache;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Stores the bytes of a cache. A simulation seam. Methods may block and are called outside of the
 * mailbox, never concurrently for one blob.
 */
public interface BlobCacheStore {
  /** Starts to receive a blob, which is not visible before it is complete. */
  Incoming receive(BlobKey key) throws IOException;

  /** The bytes of a complete blob. */
  Bytes read(BlobKey key) throws IOException;

  /** The URL of a complete blob for class loaders; empty if it has none. */
  Optional<URL> location(BlobKey key);

  /** Deletes a blob. An unknown one is ignored. */
  void delete(BlobKey key) throws IOException;

  /** Deletes all blobs. */
  void close() throws IOException;

  /** A blob that is being received. */
  interface Incoming {
    void append(Bytes part) throws IOException;

    /**
     * Stores the received bytes if their hash matches the key; otherwise discards them and throws.
     */
    void complete() throws IOException;

    /** Discards the received bytes. */
    void abandon() throws IOException;
  }

  /** Files in a directory that is created on first use and that no other process uses. */
  static BlobCacheStore inDirectory(Path directory) {
    return new FileBlobCacheStore(directory);
  }

  static BlobCacheStore inMemory() {
    return new MemoryBlobCacheStore();
  }
}
