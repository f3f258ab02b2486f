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
import java.util.TreeMap;

/**
 * The requests for containers that YARN has not served. Every worker size has its own priority.
 * Requests of one size that go to YARN with the same heartbeat are a batch, which is one request
 * with a count for YARN: its scheduler works for each request of each application whenever a node
 * reports. A container carries priority and batch, which identify its request. Its size does not:
 * YARN rounds it up and, with a scheduler that counts memory only, gives fewer virtual cores.
 *
 * <p>YARN counts a batch down itself. A new count from here would replace its own, which may be
 * lower by then, and would bring surplus containers. Served requests are therefore withdrawn from
 * YARN not one by one, but when none of their batch is pending, when one of it is cancelled, or
 * when the batch has not been served for some heartbeats.
 *
 * <p>Plain and single-threaded; does not use YARN's clients.
 */
final class ContainerRequests {
  /** The priority of default workers, in every attempt. */
  static final int DEFAULT_PRIORITY = 1;

  /**
   * After so many heartbeats without a container, served requests are withdrawn. YARN's library
   * sends all counts again after a failover of YARN's ResourceManager.
   */
  static final int QUIET_HEARTBEATS = 8;

  private final Map<WorkerSpec, Integer> priorities = new HashMap<>();

  /** In the order in which they were made. */
  private final Map<Long, PendingRequest> pending = new LinkedHashMap<>();

  /** By the number of their first request. */
  private final Map<Long, Batch> batches = new TreeMap<>();

  /** Batches that no heartbeat has sent yet. */
  private final Map<WorkerSpec, Long> open = new HashMap<>();

  /**
   * A request that YARN has not served.
   *
   * @param batch the number that YARN knows it by, together with the others of its batch
   * @param since the time of the request, in nanoseconds of {@code Env}
   * @param wallMillis the wall clock at the request, for display
   */
  record PendingRequest(
      long request,
      long batch,
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

  private static final class Batch {
    /** In the order in which they were made. */
    private final Map<Long, PendingRequest> pending = new LinkedHashMap<>();

    /** Requests that are served and that YARN's library still counts. */
    private final List<Long> served = new ArrayList<>();

    private int quietHeartbeats;
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
    if (pending.containsKey(request)) {
      throw new IllegalArgumentException("Request " + request + " was made before");
    }
    long batch = open.computeIfAbsent(spec, first -> request);
    PendingRequest added =
        new PendingRequest(request, batch, spec, size, priority, nanos, wallMillis);
    pending.put(request, added);
    batches.computeIfAbsent(batch, number -> new Batch()).pending.put(request, added);
    return added;
  }

  /** A heartbeat takes all batches to YARN. Requests after it are other batches. */
  void sent() {
    open.clear();
  }

  /** Removes a request that YARN's library has never counted. */
  Optional<PendingRequest> reject(long request) {
    Optional<PendingRequest> removed = Optional.ofNullable(pending.remove(request));
    removed.ifPresent(one -> batches.get(one.batch()).pending.remove(request));
    return removed;
  }

  /** Removes a request. Returns the requests to withdraw; none if it was served or never made. */
  List<Long> cancel(long request) {
    Optional<PendingRequest> removed = reject(request);
    if (removed.isEmpty()) {
      return List.of();
    }
    List<Long> withdrawn = withdraw(removed.get().batch());
    withdrawn.add(request);
    return withdrawn;
  }

  /**
   * Removes the request that a container serves. Returns nothing if the container is surplus.
   *
   * @param batch the number that YARN names with the container. YARN before Hadoop 2.9 names none;
   *     the container then serves the oldest request of its priority
   */
  Optional<PendingRequest> serve(long batch, int priority) {
    Iterator<PendingRequest> candidates =
        batch <= 0
            ? pending.values().stream().filter(one -> one.priority() == priority).iterator()
            : batches.containsKey(batch)
                ? batches.get(batch).pending.values().iterator()
                : List.<PendingRequest>of().iterator();
    if (!candidates.hasNext()) {
      return Optional.empty();
    }
    PendingRequest served = candidates.next();
    reject(served.request());
    Batch of = batches.get(served.batch());
    of.served.add(served.request());
    of.quietHeartbeats = 0;
    return Optional.of(served);
  }

  /** A heartbeat was answered, and its containers have served. Returns the requests to withdraw. */
  List<Long> answered() {
    List<Long> withdrawn = new ArrayList<>();
    for (Map.Entry<Long, Batch> entry : new ArrayList<>(batches.entrySet())) {
      Batch batch = entry.getValue();
      if (batch.pending.isEmpty()
          || (!batch.served.isEmpty() && ++batch.quietHeartbeats > QUIET_HEARTBEATS)) {
        withdrawn.addAll(withdraw(entry.getKey()));
      }
    }
    return withdrawn;
  }

  /** The served requests of a batch, which YARN's library counts no longer. */
  private List<Long> withdraw(long number) {
    Batch batch = batches.get(number);
    List<Long> withdrawn = new ArrayList<>(batch.served);
    batch.served.clear();
    batch.quietHeartbeats = 0;
    if (batch.pending.isEmpty()) {
      batches.remove(number);
      open.values().remove(number);
    }
    return withdrawn;
  }

  /** Removes all requests. Returns the requests to withdraw. */
  List<Long> cancelAll() {
    List<Long> withdrawn = new ArrayList<>(pending.keySet());
    batches.values().forEach(batch -> withdrawn.addAll(batch.served));
    pending.clear();
    batches.clear();
    open.clear();
    return withdrawn;
  }

  List<PendingRequest> pending() {
    return new ArrayList<>(pending.values());
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  /**
   * Whether requests are pending, and none of their batches has got a container yet. Quiet
   * heartbeats of a batch that has some are counted, so they must not become more frequent.
   */
  boolean awaitFirstContainer() {
    return !pending.isEmpty()
        && batches.values().stream()
            .allMatch(batch -> batch.pending.isEmpty() || batch.served.isEmpty());
  }

  /** The request that has been pending for the longest time. */
  Optional<PendingRequest> oldest() {
    return pending.values().stream().findFirst();
  }
}
