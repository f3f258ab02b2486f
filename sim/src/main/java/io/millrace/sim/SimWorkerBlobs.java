package io.millrace.sim;

import io.millrace.core.Bytes;
import io.millrace.core.Sha256;
import io.millrace.core.id.BlobKey;
import io.millrace.worker.blobcache.BlobCacheStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The blobs that a worker has fetched, and whether the content of each matches its key. */
public final class SimWorkerBlobs implements BlobCacheStore {
  private final BlobCacheStore delegate = BlobCacheStore.inMemory();
  private final Map<BlobKey, Boolean> valid = new LinkedHashMap<>();

  public boolean isEmpty() {
    return valid.isEmpty();
  }

  public boolean contains(BlobKey key) {
    return valid.containsKey(key);
  }

  /** Whether the content of a stored blob has the hash of its key. */
  public boolean isValid(BlobKey key) {
    return valid.get(key);
  }

  @Override
  public Incoming receive(BlobKey key) throws IOException {
    Incoming incoming = delegate.receive(key);
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    return new Incoming() {
      @Override
      public void append(Bytes part) throws IOException {
        incoming.append(part);
        received.writeBytes(part.toArray());
      }

      @Override
      public void complete() throws IOException {
        incoming.complete();
        BlobKey actual = BlobKey.of(Sha256.begin().digest(received.toByteArray()));
        valid.put(key, actual.equals(key));
      }

      @Override
      public void abandon() throws IOException {
        incoming.abandon();
      }
    };
  }

  @Override
  public Bytes read(BlobKey key) throws IOException {
    return delegate.read(key);
  }

  @Override
  public Optional<URL> location(BlobKey key) {
    return delegate.location(key);
  }

  @Override
  public void delete(BlobKey key) throws IOException {
    delegate.delete(key);
    valid.remove(key);
  }

  @Override
  public void close() throws IOException {
    delegate.close();
    valid.clear();
  }
}
