package io.millrace.sim.sabotage;

import io.millrace.control.blob.BlobStore;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;

/** Delegates to another blob store. */
class DelegatingBlobs implements BlobStore {
  private final BlobStore real;

  DelegatingBlobs(BlobStore real) {
    this.real = real;
  }

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
    real.delete(key);
  }

  @Override
  public void clearRemains(Collection<BlobKey> needed) throws IOException {
    real.clearRemains(needed);
  }
}
