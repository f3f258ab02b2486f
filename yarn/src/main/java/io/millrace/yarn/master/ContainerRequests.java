package io.millrace.yarn.master;

import io.millrace.control.driver.WorkerSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The requests for containers that YARN has not served. Every worker size has its own priority, and
 * every request has its number. A container carries both, which identify its request. Its size does
 * not: YARN rounds it up and, with a scheduler that counts memory only, gives fewer virtual cores.
 *
 * <p>Plain and single-threaded; does not use YARN's clients.
 */
final class ContainerRequests {
  /** The priority of default workers, in every attempt. */
  static final int DEFAULT_PRIORITY = 1;

  private final Map<WorkerSpec, Integer> priorities = new HashMap<>();

  /** In the order in which they were made. */
  private final Map<Long, PendingRequest> pending = new LinkedHashMap<>();

  /**
   * A request that YARN has not served.
   *
   * @param since the time of the request, in nanoseconds of {@code Env}
   * @param wallMillis the wall clock at the request, for display
   */
  record PendingRequest(
      long request,
      WorkerSpec spec,
      ContainerSize size,
      int priority,
      long since,
      long wallMillis) {
    PendingRequest {
      Objects.requireNonNull(spec);
      Objects.requireNonNull(size);
    }
  }

  /**
   * @param defaultSpec the workers that have the first priority
   */
  ContainerRequests(WorkerSpec defaultSpec) {
    priorities.put(defaultSpec, DEFAULT_PRIORITY);
  }

  PendingRequest add(
      long request, WorkerSpec spec, ContainerSize size, long nanos, long wallMillis) {
    int priority =
        priorities.computeIfAbsent(spec, another -> priorities.size() + DEFAULT_PRIORITY);
    PendingRequest added = new PendingRequest(request, spec, size, priority, nanos, wallMillis);
    if (pending.putIfAbsent(request, added) != null) {
      throw new IllegalArgumentException("Request " + request + " was made before");
    }
    return added;
  }

  /** Removes a request. Returns nothing if it was served or never made. */
  Optional<PendingRequest> remove(long request) {
    return Optional.ofNullable(pending.remove(request));
  }

  /**
   * Removes the request that a container serves. Returns nothing if the container is surplus.
   *
   * @param request the number that YARN names with the container. YARN before Hadoop 2.9 names
   *     none; the container then serves the oldest request of its priority
   */
  Optional<PendingRequest> serve(long request, int priority) {
    if (request > 0) {
      return remove(request);
    }
    for (Iterator<PendingRequest> each = pending.values().iterator(); each.hasNext(); ) {
      PendingRequest candidate = each.next();
      if (candidate.priority() == priority) {
        each.remove();
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  /** Removes and returns all requests. */
  List<PendingRequest> removeAll() {
    List<PendingRequest> all = pending();
    pending.clear();
    return all;
  }

  List<PendingRequest> pending() {
    return new ArrayList<>(pending.values());
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  /** The request that has been pending for the longest time. */
  Optional<PendingRequest> oldest() {
    return pending.values().stream().findFirst();
  }
}
