package io.millrace.control.fleet;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.Ordered;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What is under way with workers or wrong with them, as sentences; none where all that are wanted
 * have come.
 *
 * @param asked what was asked of the driver and has not come, by what was asked for
 * @param other what concerns workers of every size
 */
public record Standing(Map<WorkerSpec, String> asked, String other) {
  public static final Standing NOTHING = new Standing(new TreeMap<>(), "");

  public Standing {
    asked = Ordered.map(asked);
    Objects.requireNonNull(other);
  }
}
