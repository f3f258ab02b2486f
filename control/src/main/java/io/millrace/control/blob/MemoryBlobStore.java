package io.millrace.control.blob;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Blobs in memory, for clusters that end with this process. */
public final class MemoryBlobStore implements BlobStore {
  private final Map<BlobKey, Bytes> blobs = new ConcurrentHashMap<>();
  private final UnreferencedBlobs unused = new UnreferencedBlobs();

  @Override
  public BlobKey put(InputStream content) throws IOException {
    return put(Bytes.wrap(content.readAllBytes()));
  }

  @Override
  public BlobKey put(Bytes content) {
    BlobKey key = BlobKey.of(content);
    unused.used(key);
    blobs.putIfAbsent(key, content);
    return key;
  }

  @Override
  public boolean contains(BlobKey key) {
    unused.used(key);
    return blobs.containsKey(key);
  }

  @Override
  public long size(BlobKey key) {
    return find(key).length();
  }

  @Override
  public long storedBytes() {
    return blobs.values().stream().mapToLong(Bytes::length).sum();
  }

  @Override
  public Bytes read(BlobKey key, long offset, int max) {
    Bytes content = find(key);
    int from = (int) Math.min(offset, content.length());
    return content.slice(from, (int) Math.min((long) from + max, content.length()));
  }

  @Override
  public InputStream open(BlobKey key) {
    return new ByteArrayInputStream(find(key).unsafeArray());
  }

  @Override
  public void delete(BlobKey key) {
    unused.deleted(key);
    blobs.remove(key);
  }

  @Override
  public void clearUnused(Collection<BlobKey> needed) {
    unused.takeOld(needed).forEach(this::delete);
    unused.age();
  }

  private Bytes find(BlobKey key) {
    Bytes content = blobs.get(key);
    if (content == null) {
      throw new BlobNotFound(key);
    }
    return content;
  }
}
