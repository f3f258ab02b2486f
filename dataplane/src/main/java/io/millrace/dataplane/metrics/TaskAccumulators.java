package io.millrace.dataplane.metrics;

import io.millrace.api.accumulator.Accumulator;
import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The accumulators of a task. Its step creates them, any thread reads them. */
public final class TaskAccumulators {
  private final Map<String, Accumulator> byName = new ConcurrentHashMap<>();

  /** The accumulator with this name, which is created if there is none. */
  public <A extends Accumulator> A get(String name, Supplier<A> initial) {
    if (name.isEmpty() || name.length() > AccumulatorValue.MAX_NAME_LENGTH) {
      throw user(
          "The name of an accumulator has 1 to "
              + AccumulatorValue.MAX_NAME_LENGTH
              + " characters, not "
              + name.length()
              + ".");
    }
    A fresh = initial.get();
    Accumulator known = byName.get(name);
    if (known == null) {
      if (byName.size() >= AccumulatorValue.MAX_NAMES) {
        throw user(
            "A task has at most "
                + AccumulatorValue.MAX_NAMES
                + " accumulators, so that '"
                + name
                + "' cannot be added.");
      }
      byName.put(name, fresh);
      return fresh;
    }
    if (known.getClass() != fresh.getClass()) {
      throw user(
          "Accumulator '"
              + name
              + "' has the type "
              + known.getClass().getSimpleName()
              + " in this task. Use another name for a "
              + fresh.getClass().getSimpleName()
              + ".");
    }
    @SuppressWarnings("unchecked") // The class is the same.
    A same = (A) known;
    return same;
  }

  private static MillraceException user(String sentence) {
    return new MillraceException(ErrorKind.USER, sentence);
  }

  /** The current values. */
  public Map<String, AccumulatorValue> read() {
    Map<String, AccumulatorValue> values = new TreeMap<>();
    byName.forEach((name, accumulator) -> values.put(name, accumulator.value()));
    return values;
  }
}
