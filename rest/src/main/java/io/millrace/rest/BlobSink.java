package io.millrace.rest;

import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;

/** Where uploaded graphs and jars are kept. Blocking: called on io threads, several at a time. */
public interface BlobSink {
  /** Keeps the content and returns the key it can be read under. */
  BlobKey put(InputStream content) throws IOException;

  boolean contains(BlobKey key) throws IOException;
}
