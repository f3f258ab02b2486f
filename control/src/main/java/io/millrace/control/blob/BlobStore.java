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
 * Keeps blobs by the hash of their content. A plug point and a simulation seam.
 *
 * <p>Every method may block: endpoints call it through {@code env.io()}. Any number of threads may
 * call it at once. A blob is there completely or not at all, and putting one that is there already
 * changes nothing. Asking for one that is not there is a {@link MillraceException}.
 */
public interface BlobStore {
  /** Reads the content to its end and keeps it; the stream is left to the caller to close. */
  BlobKey put(InputStream content) throws IOException;

  default BlobKey put(Bytes content) throws IOException {
    return put(new ByteArrayInputStream(content.unsafeArray()));
  }

  boolean contains(BlobKey key) throws IOException;

  /** Bytes of the blob in all. */
  long size(BlobKey key) throws IOException;

  /** At most {@code max} bytes from an offset on; fewer only at the end of the blob. */
  Bytes read(BlobKey key, long offset, int max) throws IOException;

  /** The whole blob, from its beginning; the caller closes the stream. */
  InputStream open(BlobKey key) throws IOException;

  /** Removes the blob; one that is not there is removed already. */
  void delete(BlobKey key) throws IOException;

  /**
   * Removes what an earlier process left that is not needed and that nobody has asked for since.
   * Whoever puts a blob before this one is called keeps it.
   */
  default void clearRemains(Collection<BlobKey> needed) throws IOException {}

  /**
   * Removes what is not needed and has neither been put nor asked for since the call before the
   * last one. Clients that died before they submitted a job leave such. A store that goes with its
   * process may leave them.
   */
  default void clearUnused(Collection<BlobKey> needed) throws IOException {}

  /** The whole blob in memory, checked against its hash; for graphs, not for jars. */
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
