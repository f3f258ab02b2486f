package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
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
public record WorkerPoolStatus(Map<WorkerSpec, String> asked, String other) {
  public static final WorkerPoolStatus NOTHING = new WorkerPoolStatus(new TreeMap<>(), "");

  public WorkerPoolStatus {
    asked = OrderedCopies.map(asked);
    Objects.requireNonNull(other);
  }
}
