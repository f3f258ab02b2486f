package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.OrderedCopies;
import io.millrace.protocol.reason.Reason;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Why declared workers are not registered; empty if all of them are.
 *
 * @param requested pending requests and starting workers, by spec
 * @param other reasons that concern workers of all specs
 */
public record WorkerPoolStatus(Map<WorkerSpec, Reason> requested, List<Reason> other) {
  public static final WorkerPoolStatus EMPTY = new WorkerPoolStatus(new TreeMap<>(), List.of());

  public WorkerPoolStatus {
    requested = OrderedCopies.map(requested);
    other = OrderedCopies.list(other);
  }
}
