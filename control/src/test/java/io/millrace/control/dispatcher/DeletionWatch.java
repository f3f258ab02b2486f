package io.millrace.control.dispatcher;

import io.millrace.control.blob.BlobStore;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;

/** A blob store that runs a callback before each deletion. */
record DeletionWatch(BlobStore real, Runnable beforeDeletion) implements BlobStore {
  @Override
  public BlobKey put(InputStream content) throws IOException {
    return real.put(content);
  }

  @Override
  public boolean contains(BlobKey key) throws IOException {
    return real.contains(key);
  }

  @Override
  public long size(BlobKey key) throws IOException {
    return real.size(key);
  }

  @Override
  public Bytes read(BlobKey key, long offset, int max) throws IOException {
    return real.read(key, offset, max);
  }

  @Override
  public InputStream open(BlobKey key) throws IOException {
    return real.open(key);
  }

  @Override
  public void delete(BlobKey key) throws IOException {
    beforeDeletion.run();
    real.delete(key);
  }
}
