package io.millrace.control.workerpool;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.workerpool.PoolWorker.State;
import io.millrace.core.id.WorkerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The workers and open requests of a pool, with indexes by state, spec and deadline. */
final class WorkerInventory {
  private final TreeMap<Long, WorkerSpec> requests = new TreeMap<>();
  private final Map<WorkerSpec, Integer> requested = new TreeMap<>();
  private final Map<WorkerId, PoolWorker> workers = new TreeMap<>();
  private final Map<State, Map<WorkerSpec, Integer>> counts = new EnumMap<>(State.class);

  /** Workers with a deadline for their registration or end, earliest deadline first. */
  private final TreeSet<PoolWorker> deadlines =
      new TreeSet<>(Comparator.comparingLong(PoolWorker::deadline).thenComparing(PoolWorker::id));

  /** STARTING workers by spec and by the order of their requests. */
  private final Map<WorkerSpec, TreeMap<Long, PoolWorker>> starting = new TreeMap<>();

  WorkerInventory() {
    for (State state : State.values()) {
      counts.put(state, new TreeMap<>());
    }
  }

  void request(long request, WorkerSpec spec) {
    requests.put(request, spec);
    requested.merge(spec, 1, Integer::sum);
  }

  /** Removes an open request and returns its spec; empty if it is not open. */
  Optional<WorkerSpec> closeRequest(long request) {
    Optional<WorkerSpec> spec = Optional.ofNullable(requests.remove(request));
    spec.ifPresent(known -> decrement(requested, known));
    return spec;
  }

  /** Removes the newest open request for the spec and returns its number. */
  Optional<Long> cancelNewest(WorkerSpec spec) {
    if (!requested.containsKey(spec)) {
      return Optional.empty();
    }
    long last = 0;
    for (Map.Entry<Long, WorkerSpec> entry : requests.descendingMap().entrySet()) {
      if (entry.getValue().equals(spec)) {
        last = entry.getKey();
        break;
      }
    }
    closeRequest(last);
    return Optional.of(last);
  }

  /** Adds the worker or replaces its entry. */
  void put(PoolWorker worker) {
    worker(worker.id()).ifPresent(this::remove);
    workers.put(worker.id(), worker);
    counts.get(worker.state()).merge(worker.spec(), 1, Integer::sum);
    if (worker.deadline() != PoolWorker.NO_DEADLINE) {
      deadlines.add(worker);
    }
    if (worker.state() == State.STARTING) {
      starting.computeIfAbsent(worker.spec(), spec -> new TreeMap<>()).put(worker.order(), worker);
    }
  }

  void remove(PoolWorker worker) {
    workers.remove(worker.id());
    decrement(counts.get(worker.state()), worker.spec());
    deadlines.remove(worker);
    if (worker.state() == State.STARTING) {
      starting.get(worker.spec()).remove(worker.order());
      starting.computeIfPresent(
          worker.spec(), (spec, byOrder) -> byOrder.isEmpty() ? null : byOrder);
    }
  }

  Optional<PoolWorker> worker(WorkerId id) {
    return Optional.ofNullable(workers.get(id));
  }

  /** The STARTING worker of the spec that was requested last. */
  Optional<PoolWorker> newestStarting(WorkerSpec spec) {
    return Optional.ofNullable(starting.get(spec)).map(byOrder -> byOrder.lastEntry().getValue());
  }

  /** The workers whose deadline has passed. */
  List<PoolWorker> due(long now) {
    List<PoolWorker> due = new ArrayList<>();
    for (PoolWorker worker : deadlines) {
      if (worker.deadline() > now) {
        break;
      }
      due.add(worker);
    }
    return due;
  }

  long firstDeadline() {
    return deadlines.isEmpty() ? PoolWorker.NO_DEADLINE : deadlines.first().deadline();
  }

  /** The number of open requests by spec. */
  Map<WorkerSpec, Integer> requested() {
    return new TreeMap<>(requested);
  }

  Map<WorkerSpec, Integer> count(State state) {
    return new TreeMap<>(counts.get(state));
  }

  /** The number of open requests and of workers that are not RELEASING, by spec. */
  Map<WorkerSpec, Integer> present() {
    Map<WorkerSpec, Integer> present = requested();
    counts.forEach(
        (state, specs) -> {
          if (state != State.RELEASING) {
            specs.forEach((spec, count) -> present.merge(spec, count, Integer::sum));
          }
        });
    return present;
  }

  private static void decrement(Map<WorkerSpec, Integer> counts, WorkerSpec spec) {
    counts.computeIfPresent(spec, (key, count) -> count == 1 ? null : count - 1);
  }
}
