package io.millrace.rest;

import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;

/** Stores uploaded graphs and jars. Methods block and are called on several io threads at once. */
public interface BlobSink {
  /** Stores the content and returns the key of the blob. */
  BlobKey put(InputStream content) throws IOException;

  boolean contains(BlobKey key) throws IOException;

  /** The length of all stored blobs in bytes, also of those of earlier processes. */
  long storedBytes() throws IOException;
}
