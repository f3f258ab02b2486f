package io.millrace.connector.jdbc;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Changes that are not written yet. Of the changes of a key only the last one is kept, at the place
 * of the last: a statement for many rows must not touch a row twice.
 */
final class RowBatch {
  private final Map<Object, RowChange> changes = new LinkedHashMap<>();

  void add(RowChange change) {
    // A change without a key is like no other one.
    Object identity = change.key().isEmpty() ? new Object() : change.key();
    changes.remove(identity);
    changes.put(identity, change);
  }

  int size() {
    return changes.size();
  }

  boolean isEmpty() {
    return changes.isEmpty();
  }

  Collection<RowChange> changes() {
    return changes.values();
  }

  /** The changes in their order, in lists of the same statement. */
  List<List<RowChange>> groups() {
    List<List<RowChange>> groups = new ArrayList<>();
    for (RowChange change : changes.values()) {
      if (groups.isEmpty()
          || groups.get(groups.size() - 1).get(0).isDelete() != change.isDelete()) {
        groups.add(new ArrayList<>());
      }
      groups.get(groups.size() - 1).add(change);
    }
    return groups;
  }

  void clear() {
    changes.clear();
  }
}
