package io.millrace.dataplane.operator;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The splits that the reader of a task reads now. Only a reader that names the splits of its
 * records has watermarks per split. Belongs to the task's step.
 */
public final class ActiveSplits {
  /** The number of records whose split is not known. */
  static final int UNNAMED = 0;

  /** Hears of the splits of a reader that names them. */
  interface Listener {
    void splitAdded(int split, String id);

    void splitFinished(int split);

    /** Whether the reader is too far ahead of its alignment group as a whole. */
    boolean isAhead();
  }

  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private Listener listener;
  private int lastNumber = UNNAMED;
  private boolean named;

  /** The splits that the reader must not read now, if that has changed; else null. */
  private Set<String> newlyPaused;

  private Set<String> paused = Set.of();

  /** The number of the split that the current record belongs to. */
  int current = UNNAMED;

  /** Sets the listener, before the reader gets its splits. */
  void listener(Listener watermarks) {
    listener = watermarks;
  }

  /** Whether the reader must not be polled, because it is too far ahead. */
  boolean isAhead() {
    return listener != null && listener.isAhead();
  }

  /** Sets the splits that the reader must not read. */
  void pause(Set<String> ids) {
    if (!ids.equals(paused)) {
      paused = Set.copyOf(ids);
      newlyPaused = paused;
    }
  }

  /** The splits to pause, once after each change; empty if nothing has changed. */
  Optional<Set<String>> takeNewlyPaused() {
    Optional<Set<String>> changed = Optional.ofNullable(newlyPaused);
    newlyPaused = null;
    return changed;
  }

  /** The reader got a split. */
  void add(String id) {
    if (numbers.putIfAbsent(id, lastNumber + 1) == null) {
      lastNumber++;
      if (named && listener != null) {
        listener.splitAdded(lastNumber, id);
      }
    }
  }

  /** The records that follow belong to a split. */
  void start(String id) {
    if (!named) {
      named = true;
      if (listener != null) {
        numbers.forEach((known, number) -> listener.splitAdded(number, known));
      }
    }
    Integer number = numbers.get(id);
    if (number == null) {
      throw new IllegalArgumentException(
          "The reader emits records of split '" + id + "', which it does not have");
    }
    current = number;
  }

  /** Returns whether the reader had the split. */
  boolean finish(String id) {
    Integer number = numbers.remove(id);
    if (number != null && named && listener != null) {
      listener.splitFinished(number);
    }
    if (number != null && number == current) {
      current = UNNAMED;
    }
    return number != null;
  }

  /** The reader has read all its splits. */
  void finishAll() {
    for (String id : numbers.keySet().toArray(new String[0])) {
      finish(id);
    }
  }
}
