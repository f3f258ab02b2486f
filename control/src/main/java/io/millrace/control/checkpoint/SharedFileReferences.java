package io.millrace.control.checkpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts which completed checkpoints need which shared files. A task refers only to files of
 * checkpoints whose completion it was told, and never again to a file that its last completed
 * checkpoint does not have.
 */
final class SharedFileReferences {
  private final TreeMap<Long, Set<String>> byCheckpoint = new TreeMap<>();
  private final Map<String, Integer> counts = new HashMap<>();

  void add(long checkpoint, Set<String> files) {
    if (byCheckpoint.putIfAbsent(checkpoint, new TreeSet<>(files)) == null) {
      files.forEach(file -> counts.merge(file, 1, Integer::sum));
    }
  }

  /** Removes a checkpoint that is deleted; returns the files that no other one needs. */
  List<String> remove(long checkpoint) {
    List<String> unneeded = new ArrayList<>();
    Set<String> files = byCheckpoint.remove(checkpoint);
    if (files != null) {
      for (String file : files) {
        if (counts.merge(file, -1, (count, less) -> count + less == 0 ? null : count + less)
            == null) {
          unneeded.add(file);
        }
      }
    }
    return unneeded;
  }

  boolean isNeeded(String file) {
    return counts.containsKey(file);
  }

  /** All files that a checkpoint needs. */
  Set<String> needed() {
    return new TreeSet<>(counts.keySet());
  }
}
