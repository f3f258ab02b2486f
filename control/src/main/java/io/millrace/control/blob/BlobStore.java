package io.millrace.control.blob;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;

/**
 * Stores blobs by the hash of their content. A plug point and a simulation seam.
 *
 * <p>Methods may block; endpoints call them through {@code env.io()}. Any number of threads may
 * call them at once. A blob is stored completely or not at all, and storing it again changes
 * nothing. Reading a blob that is not stored throws a {@link MillraceException}.
 */
public interface BlobStore {
  /** Reads the content to its end and stores it. The caller closes the stream. */
  BlobKey put(InputStream content) throws IOException;

  default BlobKey put(Bytes content) throws IOException {
    return put(new ByteArrayInputStream(content.unsafeArray()));
  }

  boolean contains(BlobKey key) throws IOException;

  /** The length of the blob in bytes. */
  long size(BlobKey key) throws IOException;

  /** At most {@code max} bytes from an offset; fewer only at the end of the blob. */
  Bytes read(BlobKey key, long offset, int max) throws IOException;

  /**
   * The length of all stored blobs in bytes, also of those of earlier processes. 0 in a store that
   * needs no limit.
   */
  default long storedBytes() throws IOException {
    return 0;
  }

  /** A stream of the whole blob, which the caller closes. */
  InputStream open(BlobKey key) throws IOException;

  /** Deletes the blob. Does nothing if it is not stored. */
  void delete(BlobKey key) throws IOException;

  /**
   * Deletes blobs of an earlier process that are not needed and were not used since this process
   * started. Blobs that were put before the call are kept.
   */
  default void clearRemains(Collection<BlobKey> needed) throws IOException {}

  /**
   * Deletes blobs that are not needed and were neither put nor queried since the call before the
   * last one. Clients that fail before they submit a job leave such blobs. A store that ends with
   * its process need not implement this.
   */
  default void clearUnused(Collection<BlobKey> needed) throws IOException {}

  /** The whole blob in memory, verified against its hash. For graphs, not for jars. */
  default Bytes readAll(BlobKey key) throws IOException {
    Bytes content;
    try (InputStream stream = open(key)) {
      content = Bytes.wrap(stream.readAllBytes());
    }
    if (!BlobKey.of(content).equals(key)) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Blob "
              + key
              + " is damaged: its content no longer has the hash it was stored under. Delete it and"
              + " submit the job again.");
    }
    return content;
  }
}
