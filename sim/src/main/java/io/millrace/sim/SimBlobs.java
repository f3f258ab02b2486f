package io.millrace.sim;

import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.MemoryBlobs;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.sim.SimStore.Trouble;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** Blobs that outlive the processes of a cluster, used by each through a view of its own. */
public final class SimBlobs {
  private final MemoryBlobs durable = new MemoryBlobs();
  private final Set<BlobKey> keys = new LinkedHashSet<>();

  public View view() {
    return new View();
  }

  /** The blobs there are. */
  public Set<BlobKey> keys() {
    return keys;
  }

  /** The blobs as one process has them. */
  public final class View implements BlobStore {
    /** What an earlier process left, as far as nobody has asked for it. */
    private final Set<BlobKey> remains = new LinkedHashSet<>(keys);

    private Trouble trouble = Trouble.NONE;

    private View() {}

    public void trouble(Trouble now) {
      trouble = now;
    }

    @Override
    public BlobKey put(InputStream content) throws IOException {
      check();
      if (trouble == Trouble.FULL) {
        throw SimStore.failure("is full");
      }
      BlobKey key = durable.put(Bytes.wrap(content.readAllBytes()));
      keys.add(key);
      remains.remove(key);
      return key;
    }

    @Override
    public boolean contains(BlobKey key) {
      check();
      remains.remove(key);
      return durable.contains(key);
    }

    @Override
    public long size(BlobKey key) {
      check();
      return durable.size(key);
    }

    @Override
    public Bytes read(BlobKey key, long offset, int max) {
      check();
      return durable.read(key, offset, max);
    }

    @Override
    public InputStream open(BlobKey key) {
      check();
      return durable.open(key);
    }

    @Override
    public void delete(BlobKey key) {
      check();
      durable.delete(key);
      keys.remove(key);
    }

    @Override
    public void clearRemains(Collection<BlobKey> needed) {
      check();
      remains.removeAll(needed);
      for (BlobKey key : new LinkedHashSet<>(remains)) {
        delete(key);
      }
      remains.clear();
    }

    private void check() {
      if (trouble == Trouble.REFUSING) {
        throw SimStore.failure("cannot be reached");
      }
    }
  }
}
