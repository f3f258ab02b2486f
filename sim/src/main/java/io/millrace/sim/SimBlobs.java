package io.millrace.sim;

import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.sim.SimStore.Trouble;
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

/** Blobs that outlive the processes of a cluster, used by each through a view of its own. */
public final class SimBlobs {
  /** Answers for a blob that is gone as every store does. */
  private static final BlobStore NOTHING = new MemoryBlobStore();

  private final MemoryBlobStore durable = new MemoryBlobStore();
  private final Set<BlobKey> keys = new LinkedHashSet<>();

  /** What is read in place of blobs that were damaged; nothing where they are gone. */
  private final Map<BlobKey, Optional<Bytes>> damaged = new LinkedHashMap<>();

  private int damagedReads;

  /** The blobs there are. */
  public Set<BlobKey> keys() {
    return keys;
  }

  /** How often a blob was asked for that was lost or damaged. */
  public int damagedReads() {
    return damagedReads;
  }

  /**
   * A blob cannot be found, or has another content, until it is put again or restored.
   *
   * @param which counted off among those that are there
   * @return which one it is; nothing where there is none
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

  /** Somebody has put a copy back. */
  public void restore(BlobKey key) {
    damaged.remove(key);
  }

  /** What a process that begins now finds of the earlier ones, in memory that outlives them. */
  public BlobStore shared() {
    return new Shared();
  }

  /** The blobs as one process has them. */
  public View view(BlobStore stored) {
    return new View(stored);
  }

  private final class Shared implements BlobStore {
    /** What an earlier process left, as far as nobody has asked for it. */
    private final Set<BlobKey> remains = new LinkedHashSet<>(keys);

    @Override
    public BlobKey put(InputStream content) throws IOException {
      BlobKey key = durable.put(Bytes.wrap(content.readAllBytes()));
      remains.remove(key);
      return key;
    }

    @Override
    public boolean contains(BlobKey key) {
      remains.remove(key);
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
      remains.removeAll(needed);
      new LinkedHashSet<>(remains).forEach(this::delete);
      remains.clear();
    }
  }

  /** A store that may be in trouble, and in which blobs may be damaged. */
  public final class View implements BlobStore {
    private final BlobStore stored;
    private Trouble trouble = Trouble.NONE;

    private View(BlobStore stored) {
      this.stored = stored;
    }

    public void trouble(Trouble now) {
      trouble = now;
    }

    @Override
    public BlobKey put(InputStream content) throws IOException {
      check();
      if (trouble == Trouble.FULL) {
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
      return isLost(key) ? NOTHING.read(key, 0, 1) : damaged.get(key).orElseThrow();
    }

    private void check() {
      if (trouble == Trouble.REFUSING) {
        throw SimStore.failure("cannot be reached");
      }
    }
  }
}
