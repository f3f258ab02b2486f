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

/** The workers of a pool and the requests for more, counted by what they are. */
final class WorkerInventory {
  private final TreeMap<Long, WorkerSpec> open = new TreeMap<>();
  private final Map<WorkerSpec, Integer> requested = new TreeMap<>();
  private final Map<WorkerId, PoolWorker> members = new TreeMap<>();
  private final Map<State, Map<WorkerSpec, Integer>> counts = new EnumMap<>(State.class);

  /** Those that have to register or to go, the most urgent first. */
  private final TreeSet<PoolWorker> awaited =
      new TreeSet<>(Comparator.comparingLong(PoolWorker::deadline).thenComparing(PoolWorker::id));

  /** Those that start, by what they are and in the order in which they were asked for. */
  private final Map<WorkerSpec, TreeMap<Long, PoolWorker>> starting = new TreeMap<>();

  WorkerInventory() {
    for (State state : State.values()) {
      counts.put(state, new TreeMap<>());
    }
  }

  void request(long request, WorkerSpec spec) {
    open.put(request, spec);
    requested.merge(spec, 1, Integer::sum);
  }

  /** The request is open no longer; nothing where it was not. */
  Optional<WorkerSpec> answered(long request) {
    Optional<WorkerSpec> spec = Optional.ofNullable(open.remove(request));
    spec.ifPresent(known -> less(requested, known));
    return spec;
  }

  /** Closes the youngest request for such a worker. */
  Optional<Long> cancelLast(WorkerSpec spec) {
    if (!requested.containsKey(spec)) {
      return Optional.empty();
    }
    long last = 0;
    for (Map.Entry<Long, WorkerSpec> entry : open.descendingMap().entrySet()) {
      if (entry.getValue().equals(spec)) {
        last = entry.getKey();
        break;
      }
    }
    answered(last);
    return Optional.of(last);
  }

  /** Takes a worker in, in the place of what was known of it. */
  void put(PoolWorker member) {
    member(member.id()).ifPresent(this::remove);
    members.put(member.id(), member);
    counts.get(member.state()).merge(member.spec(), 1, Integer::sum);
    if (member.deadline() != PoolWorker.NO_DEADLINE) {
      awaited.add(member);
    }
    if (member.state() == State.STARTING) {
      starting.computeIfAbsent(member.spec(), spec -> new TreeMap<>()).put(member.order(), member);
    }
  }

  void remove(PoolWorker member) {
    members.remove(member.id());
    less(counts.get(member.state()), member.spec());
    awaited.remove(member);
    if (member.state() == State.STARTING) {
      starting.get(member.spec()).remove(member.order());
      starting.computeIfPresent(member.spec(), (spec, left) -> left.isEmpty() ? null : left);
    }
  }

  Optional<PoolWorker> member(WorkerId id) {
    return Optional.ofNullable(members.get(id));
  }

  /** The youngest of those that start. */
  Optional<PoolWorker> lastStarting(WorkerSpec spec) {
    return Optional.ofNullable(starting.get(spec)).map(these -> these.lastEntry().getValue());
  }

  /** Those that should have registered, or gone, by now. */
  List<PoolWorker> due(long now) {
    List<PoolWorker> due = new ArrayList<>();
    for (PoolWorker member : awaited) {
      if (member.deadline() > now) {
        break;
      }
      due.add(member);
    }
    return due;
  }

  long firstDeadline() {
    return awaited.isEmpty() ? PoolWorker.NO_DEADLINE : awaited.first().deadline();
  }

  /** How many are asked for and have no name yet. */
  Map<WorkerSpec, Integer> requested() {
    return new TreeMap<>(requested);
  }

  Map<WorkerSpec, Integer> count(State state) {
    return new TreeMap<>(counts.get(state));
  }

  /** How many there are or will be, without those that leave. */
  Map<WorkerSpec, Integer> present() {
    Map<WorkerSpec, Integer> present = requested();
    counts.forEach(
        (state, specs) -> {
          if (state != State.LEAVING) {
            specs.forEach((spec, count) -> present.merge(spec, count, Integer::sum));
          }
        });
    return present;
  }

  private static void less(Map<WorkerSpec, Integer> counts, WorkerSpec spec) {
    counts.computeIfPresent(spec, (same, count) -> count == 1 ? null : count - 1);
  }
}
