package io.millrace.control.blob;

import io.millrace.core.id.BlobKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The blobs of a store that no job may need: what an earlier process left, and what clients put or
 * asked for and never submitted. Each is young when a client last used it, and becomes old with the
 * next {@link #age} but one. Any thread may call it.
 */
final class UnreferencedBlobs {
  private final Set<BlobKey> young = ConcurrentHashMap.newKeySet();
  private final Set<BlobKey> old = ConcurrentHashMap.newKeySet();

  /** What an earlier process left. */
  void addOld(BlobKey key) {
    old.add(key);
  }

  /** A client has put a blob or asked for it, and may be about to submit a job that needs it. */
  void used(BlobKey key) {
    young.add(key);
    old.remove(key);
  }

  void deleted(BlobKey key) {
    young.remove(key);
    old.remove(key);
  }

  /**
   * The old ones, but for those that jobs need, which go when these end. Whoever asks for one in
   * this moment finds it gone and puts it again.
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
