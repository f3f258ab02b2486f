package io.millrace.worker.blobcache;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** Blobs in memory, for embedded clusters and simulations. */
final class MemoryBlobCacheStore implements BlobCacheStore {
  private final Map<BlobKey, Bytes> blobs = new ConcurrentSkipListMap<>();

  @Override
  public Incoming receive(BlobKey key) {
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    BlobDigest digest = new BlobDigest(key);
    return new Incoming() {
      @Override
      public void append(Bytes part) {
        received.writeBytes(part.unsafeArray());
        digest.update(part);
      }

      @Override
      public void complete() throws IOException {
        digest.check();
        blobs.put(key, Bytes.wrap(received.toByteArray()));
      }

      @Override
      public void abandon() {
        received.reset();
      }
    };
  }

  @Override
  public Bytes read(BlobKey key) throws IOException {
    Bytes content = blobs.get(key);
    if (content == null) {
      throw new NoSuchFileException("blob " + key);
    }
    return content;
  }

  @Override
  public Optional<URL> location(BlobKey key) {
    return Optional.empty();
  }

  @Override
  public void delete(BlobKey key) {
    blobs.remove(key);
  }

  @Override
  public void close() {
    blobs.clear();
  }
}
