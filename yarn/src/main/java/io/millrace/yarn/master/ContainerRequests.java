package io.millrace.yarn.master;

import io.millrace.control.driver.WorkerSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Which workers were asked of YARN and have not come. Every size of worker has a priority of its
 * own, and every request goes to YARN under its number. A container carries both, and by these it
 * is known for which request it came, not by its size: YARN makes it larger than what was asked
 * for, or, where its scheduler looks at memory only, with fewer virtual cores.
 *
 * <p>Plain and single-threaded; knows nothing of YARN's clients.
 */
final class ContainerRequests {
  /** That of the usual workers, in every attempt. */
  static final int USUAL = 1;

  private final Map<WorkerSpec, Integer> priorities = new HashMap<>();
  private final TreeMap<Long, PendingRequest> asked = new TreeMap<>();

  /**
   * A request that is under way.
   *
   * @param since by the clock of whoever asked, in milliseconds
   */
  record PendingRequest(
      long request, WorkerSpec spec, ContainerSize size, int priority, long since) {
    PendingRequest {
      Objects.requireNonNull(spec);
      Objects.requireNonNull(size);
    }
  }

  /**
   * @param usual the workers that have the first priority
   */
  ContainerRequests(WorkerSpec usual) {
    priorities.put(usual, USUAL);
  }

  PendingRequest add(long request, WorkerSpec spec, ContainerSize size, long now) {
    int priority = priorities.computeIfAbsent(spec, another -> priorities.size() + USUAL);
    PendingRequest added = new PendingRequest(request, spec, size, priority, now);
    if (asked.putIfAbsent(request, added) != null) {
      throw new IllegalArgumentException("Request " + request + " was made before");
    }
    return added;
  }

  /** It is no longer wanted; nothing where it was served or never made. */
  Optional<PendingRequest> cancel(long request) {
    return Optional.ofNullable(asked.remove(request));
  }

  /**
   * A container has come: takes away the request that it serves. Nothing where it serves none, and
   * is one too many.
   *
   * @param request that YARN names with the container; one of before Hadoop 2.9 names none, and the
   *     oldest of its priority is meant
   */
  Optional<PendingRequest> served(long request, int priority) {
    if (request > 0) {
      return cancel(request);
    }
    for (Iterator<PendingRequest> each = asked.values().iterator(); each.hasNext(); ) {
      PendingRequest one = each.next();
      if (one.priority() == priority) {
        each.remove();
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  /** All of them, which are then no longer under way. */
  List<PendingRequest> takeAll() {
    List<PendingRequest> all = pending();
    asked.clear();
    return all;
  }

  List<PendingRequest> pending() {
    return new ArrayList<>(asked.values());
  }

  boolean isEmpty() {
    return asked.isEmpty();
  }

  /** Since when the oldest of them is under way. */
  OptionalLong since() {
    return asked.values().stream().mapToLong(PendingRequest::since).min();
  }
}
