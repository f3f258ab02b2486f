package io.millrace.control.blob;

import io.millrace.core.id.BlobKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Blobs that may be needed by no job: those of an earlier process, and those that clients put or
 * queried without submitting a job. A blob becomes young when a client uses it; {@link #age} makes
 * young blobs old. Thread-safe.
 */
final class UnreferencedBlobs {
  private final Set<BlobKey> young = ConcurrentHashMap.newKeySet();
  private final Set<BlobKey> old = ConcurrentHashMap.newKeySet();

  /** Adds a blob of an earlier process. */
  void addOld(BlobKey key) {
    old.add(key);
  }

  /** A client has put or queried a blob and may submit a job that needs it. */
  void used(BlobKey key) {
    young.add(key);
    old.remove(key);
  }

  void deleted(BlobKey key) {
    young.remove(key);
    old.remove(key);
  }

  /**
   * Removes and returns the old blobs, except those that jobs need: these are deleted when their
   * jobs end. A client that queries a taken blob is told that it is missing and uploads it again.
   */
  List<BlobKey> takeOld(Collection<BlobKey> needed) {
    old.removeAll(needed);
    List<BlobKey> taken = new ArrayList<>();
    for (BlobKey key : List.copyOf(old)) {
      if (old.remove(key)) {
        taken.add(key);
      }
    }
    return taken;
  }

  void age() {
    for (BlobKey key : List.copyOf(young)) {
      if (young.remove(key)) {
        old.add(key);
      }
    }
  }
}
