package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.protocol.reason.Reason;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is under way with workers or wrong with them; nothing where all that are wanted have come.
 *
 * @param asked what was asked of the driver and has not come, by what was asked for
 * @param other what concerns workers of every size
 */
public record WorkerPoolStatus(Map<WorkerSpec, Reason> asked, List<Reason> other) {
  public static final WorkerPoolStatus NOTHING = new WorkerPoolStatus(new TreeMap<>(), List.of());

  public WorkerPoolStatus {
    asked = OrderedCopies.map(asked);
    other = OrderedCopies.list(other);
  }
}
