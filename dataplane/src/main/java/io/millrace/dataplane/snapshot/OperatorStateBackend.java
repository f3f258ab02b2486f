package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The operator states of one operator in one subtask: named lists, which have no key. After a start
 * with a checkpoint a list has the elements that its {@link Redistribution} gives to this subtask.
 * Elements must not be changed after they were added. Belongs to the task's step.
 */
public final class OperatorStateBackend {
  private final Map<String, OperatorList> lists = new LinkedHashMap<>();
  private final Map<String, OperatorMap> maps = new LinkedHashMap<>();
  private final Set<String> claimed = new HashSet<>();
  private boolean isRestored;

  /** A named list. */
  public static final class OperatorList {
    private final String name;
    private final Redistribution redistribution;
    private List<Object> elements = new ArrayList<>();

    /** Whether a snapshot has the list, so that a copy has to be changed. */
    private boolean shared;

    private OperatorList(String name, Redistribution redistribution) {
      this.name = name;
      this.redistribution = redistribution;
    }

    /** The elements, in the order in which they were added. */
    public List<Object> elements() {
      return Collections.unmodifiableList(elements);
    }

    public void add(Object element) {
      own();
      elements.add(element);
    }

    /** Replaces all elements. */
    public void update(Collection<?> replacement) {
      elements = new ArrayList<>(replacement);
      shared = false;
    }

    public void clear() {
      update(List.of());
    }

    private void own() {
      if (shared) {
        shared = false;
        elements = new ArrayList<>(elements);
      }
    }

    private Frozen freeze() {
      shared = true;
      return new Frozen(name, redistribution, elements);
    }
  }

  /**
   * A named map, equal in all subtasks. In a checkpoint it is a list of keys and values in turn.
   */
  public static final class OperatorMap {
    private final OperatorList list;
    private final Map<Object, Object> entries = new LinkedHashMap<>();
    private boolean changed;

    private OperatorMap(OperatorList list) {
      this.list = list;
      for (int i = 0; i < list.elements.size(); i += 2) {
        entries.put(list.elements.get(i), list.elements.get(i + 1));
      }
    }

    /** The entries, in the order in which their keys were first put. */
    public Map<Object, Object> entries() {
      return Collections.unmodifiableMap(entries);
    }

    public void put(Object key, Object value) {
      entries.put(key, value);
      changed = true;
    }

    public void remove(Object key) {
      entries.remove(key);
      changed = true;
    }

    public void clear() {
      entries.clear();
      changed = true;
    }

    private void store() {
      if (changed) {
        changed = false;
        List<Object> flat = new ArrayList<>(2 * entries.size());
        entries.forEach(
            (key, value) -> {
              flat.add(key);
              flat.add(value);
            });
        list.update(flat);
      }
    }
  }

  /** A list at the moment of a snapshot. */
  record Frozen(String name, Redistribution redistribution, List<Object> elements) {}

  /** The list with this name, created now if there is none. */
  public OperatorList list(String name, Redistribution redistribution) {
    claimed.add(name);
    return find(name, redistribution);
  }

  private OperatorList find(String name, Redistribution redistribution) {
    OperatorList list = lists.computeIfAbsent(name, any -> new OperatorList(name, redistribution));
    if (list.redistribution != redistribution) {
      throw new MillraceException(
          ErrorKind.USER,
          "Operator state '"
              + name
              + "' is asked for with redistribution "
              + redistribution
              + " and has "
              + list.redistribution
              + " in this operator or in the checkpoint it starts with. Give each operator state a"
              + " name of its own.");
    }
    return list;
  }

  /** The map with this name, created now if there is none; {@link Redistribution#BROADCAST}. */
  public OperatorMap map(String name) {
    OperatorList list = list(name, Redistribution.BROADCAST);
    return maps.computeIfAbsent(name, any -> new OperatorMap(list));
  }

  /** Whether the operator starts with a checkpoint; its lists may be empty all the same. */
  public boolean isRestored() {
    return isRestored;
  }

  /** Fills the lists from a checkpoint. */
  public void restore(RestoredState from) {
    isRestored = true;
    for (RestoredState.RestoredElements restored : from.lists()) {
      find(restored.name(), restored.redistribution()).update(restored.elements());
    }
  }

  /** The names of the lists in the checkpoint that have elements and were not asked for. */
  public List<String> unclaimed() {
    return lists.values().stream()
        .filter(list -> !claimed.contains(list.name) && !list.elements.isEmpty())
        .map(list -> list.name)
        .toList();
  }

  /** Drops the lists of the checkpoint that were not asked for. */
  public void dropUnclaimed() {
    lists.keySet().retainAll(claimed);
  }

  List<Frozen> freeze() {
    maps.values().forEach(OperatorMap::store);
    return lists.values().stream().map(OperatorList::freeze).toList();
  }
}
