package io.millrace.sim;

import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.sim.SimStore.FailureMode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Blobs that outlive the processes of a cluster. Each process uses them through a view. */
public final class SimBlobs {
  /** Throws the errors of all stores for a missing blob. */
  private static final BlobStore EMPTY = new MemoryBlobStore();

  private final MemoryBlobStore durable = new MemoryBlobStore();
  private final Set<BlobKey> keys = new LinkedHashSet<>();

  /** The content that is read instead of a damaged blob; empty if the blob is lost. */
  private final Map<BlobKey, Optional<Bytes>> damaged = new LinkedHashMap<>();

  private int damagedReads;

  /** The keys of all stored blobs. */
  public Set<BlobKey> keys() {
    return keys;
  }

  /** How many reads had a lost or damaged blob. */
  public int damagedReads() {
    return damagedReads;
  }

  /**
   * Loses a blob or changes its content, until it is put again or restored.
   *
   * @param which an index, taken modulo the number of blobs
   * @return the key of the blob; empty if there is none
   */
  public Optional<BlobKey> damage(int which, boolean lost) {
    List<BlobKey> all = new ArrayList<>(keys);
    if (all.isEmpty()) {
      return Optional.empty();
    }
    BlobKey key = all.get(which % all.size());
    damaged.put(key, lost ? Optional.empty() : Optional.of(Bytes.utf8("not what it was")));
    return Optional.of(key);
  }

  /** Restores the content of a damaged blob. */
  public void restore(BlobKey key) {
    damaged.remove(key);
  }

  /** The blobs of earlier processes in memory, for a process that starts now. */
  public BlobStore shared() {
    return new Shared();
  }

  /** The blobs as seen by one process. */
  public View view(BlobStore stored) {
    return new View(stored);
  }

  private final class Shared implements BlobStore {
    /** Blobs of earlier leaders that this one has not used yet. */
    private final Set<BlobKey> unused = new LinkedHashSet<>(keys);

    void beginTerm() {
      unused.clear();
      unused.addAll(keys);
    }

    @Override
    public BlobKey put(InputStream content) throws IOException {
      BlobKey key = durable.put(Bytes.wrap(content.readAllBytes()));
      unused.remove(key);
      return key;
    }

    @Override
    public boolean contains(BlobKey key) {
      unused.remove(key);
      return durable.contains(key);
    }

    @Override
    public long size(BlobKey key) {
      return durable.size(key);
    }

    @Override
    public Bytes read(BlobKey key, long offset, int max) {
      return durable.read(key, offset, max);
    }

    @Override
    public InputStream open(BlobKey key) {
      return durable.open(key);
    }

    @Override
    public void delete(BlobKey key) {
      durable.delete(key);
      keys.remove(key);
    }

    @Override
    public void clearRemains(Collection<BlobKey> needed) {
      unused.removeAll(needed);
      new LinkedHashSet<>(unused).forEach(this::delete);
      unused.clear();
    }
  }

  /** A store with injected faults and damaged blobs. */
  public final class View implements BlobStore {
    private final BlobStore stored;
    private FailureMode failureMode = FailureMode.NONE;

    private View(BlobStore stored) {
      this.stored = stored;
    }

    /**
     * The process leads from now on. It finds what earlier leaders have left, as each JobManager
     * that has to be elected opens shared storage anew for each of its terms.
     */
    public void beginTerm() {
      if (stored instanceof Shared shared) {
        shared.beginTerm();
      }
    }

    public void failureMode(FailureMode now) {
      failureMode = now;
    }

    @Override
    public BlobKey put(InputStream content) throws IOException {
      check();
      if (failureMode == FailureMode.FULL) {
        throw SimStore.failure("is full");
      }
      BlobKey key = stored.put(content);
      keys.add(key);
      damaged.remove(key);
      return key;
    }

    @Override
    public boolean contains(BlobKey key) throws IOException {
      check();
      return stored.contains(key) && !isLost(key);
    }

    @Override
    public long size(BlobKey key) throws IOException {
      check();
      return damaged.containsKey(key) ? readDamaged(key).length() : stored.size(key);
    }

    @Override
    public Bytes read(BlobKey key, long offset, int max) throws IOException {
      check();
      if (damaged.containsKey(key)) {
        Bytes content = readDamaged(key);
        int from = (int) Math.min(offset, content.length());
        return content.slice(from, Math.min(content.length(), from + max));
      }
      return stored.read(key, offset, max);
    }

    @Override
    public InputStream open(BlobKey key) throws IOException {
      check();
      return damaged.containsKey(key)
          ? new ByteArrayInputStream(readDamaged(key).toArray())
          : stored.open(key);
    }

    @Override
    public void delete(BlobKey key) throws IOException {
      check();
      stored.delete(key);
      keys.remove(key);
      damaged.remove(key);
    }

    @Override
    public void clearRemains(Collection<BlobKey> needed) throws IOException {
      check();
      stored.clearRemains(needed);
      for (BlobKey key : new ArrayList<>(keys)) {
        if (!stored.contains(key)) {
          keys.remove(key);
        }
      }
    }

    private boolean isLost(BlobKey key) {
      return damaged.containsKey(key) && damaged.get(key).isEmpty();
    }

    private Bytes readDamaged(BlobKey key) throws IOException {
      damagedReads++;
      return isLost(key) ? EMPTY.read(key, 0, 1) : damaged.get(key).orElseThrow();
    }

    private void check() {
      if (failureMode == FailureMode.UNAVAILABLE) {
        throw SimStore.failure("cannot be reached");
      }
    }
  }
}
