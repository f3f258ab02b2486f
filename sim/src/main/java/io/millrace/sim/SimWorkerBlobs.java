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

/** The blobs that a worker has fetched, and whether each is what its key says. */
public final class SimWorkerBlobs implements BlobCacheStore {
  private final BlobCacheStore real = BlobCacheStore.inMemory();
  private final Map<BlobKey, Boolean> sound = new LinkedHashMap<>();

  public boolean isEmpty() {
    return sound.isEmpty();
  }

  public boolean contains(BlobKey key) {
    return sound.containsKey(key);
  }

  /** Whether the content of a blob that is there has the hash it is kept under. */
  public boolean isSound(BlobKey key) {
    return sound.get(key);
  }

  @Override
  public Incoming receive(BlobKey key) throws IOException {
    Incoming incoming = real.receive(key);
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
        BlobKey found = BlobKey.of(Sha256.begin().digest(received.toByteArray()));
        sound.put(key, found.equals(key));
      }

      @Override
      public void abandon() throws IOException {
        incoming.abandon();
      }
    };
  }

  @Override
  public Bytes read(BlobKey key) throws IOException {
    return real.read(key);
  }

  @Override
  public Optional<URL> location(BlobKey key) {
    return real.location(key);
  }

  @Override
  public void delete(BlobKey key) throws IOException {
    real.delete(key);
    sound.remove(key);
  }

  @Override
  public void close() throws IOException {
    real.close();
    sound.clear();
  }
}
