package io.millrace.control.workerpool;

import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.control.workerpool.WorkerPoolAction.Cancel;
import io.millrace.control.workerpool.WorkerPoolAction.Lost;
import io.millrace.control.workerpool.WorkerPoolAction.Release;
import io.millrace.control.workerpool.WorkerPoolAction.Request;
import io.millrace.control.workerpool.WorkerPoolEvent.Ended;
import io.millrace.control.workerpool.WorkerPoolEvent.Registered;
import io.millrace.control.workerpool.WorkerPoolEvent.Released;
import io.millrace.control.workerpool.WorkerPoolEvent.StartFailed;
import io.millrace.control.workerpool.WorkerPoolEvent.Started;
import io.millrace.control.workerpool.WorkerPoolEvent.Tick;
import io.millrace.control.workerpool.WorkerPoolEvent.WorkersDeclared;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** A driver and a ResourceManager with random behaviour, which check the decisions of a pool. */
final class RandomWorkerPoolRun {
  private final long seed;
  private final Random random;
  private final List<WorkerSpec> specs;
  private final ResourceLimits limits;
  private final WorkerPool pool;
  private final TreeMap<Long, WorkerSpec> requested = new TreeMap<>();
  private final TreeMap<WorkerId, WorkerSpec> alive = new TreeMap<>();
  private final TreeMap<WorkerId, WorkerSpec> releasing = new TreeMap<>();
  private final TreeSet<WorkerId> registered = new TreeSet<>();
  private Map<WorkerSpec, Integer> declared = new TreeMap<>();
  private long time;
  private int lastWorker;

  RandomWorkerPoolRun(long seed, WorkerPoolSettings settings, List<WorkerSpec> specs) {
    this.seed = seed;
    this.random = new Random(seed);
    this.specs = specs;
    this.limits =
        new ResourceLimits(
            2 + random.nextInt(6),
            "fake.max",
            4 + random.nextInt(20),
            random.nextBoolean() ? 5 : Double.MAX_VALUE,
            random.nextBoolean() ? 4_000 : Long.MAX_VALUE);
    this.pool =
        new WorkerPool(
            new WorkerPoolSettings(
                settings.driver(),
                settings.defaultSpec(),
                limits,
                Duration.ofSeconds(60),
                settings.recovery(),
                Duration.ofDays(1),
                settings.retry(),
                3));
  }

  void step(int step) {
    time += random.nextInt(2_000_000_000);
    apply(event(), "seed " + seed + ", step " + step);
    // A worker that registers with another spec than requested needs a tick at the same time.
    while (pool.nextWake().orElse(Long.MAX_VALUE) <= time) {
      apply(new Tick(), "seed " + seed + ", after step " + step);
    }
    for (WorkerSpec spec : specs) {
      assertThat(count(spec, requested) + count(spec, alive))
          .as("seed %d, step %d", seed, step)
          .isLessThanOrEqualTo(Math.max(declared.getOrDefault(spec, 0), registered(spec)));
    }
  }

  /** Ends all releases and time-outs, and checks that the target is reached within the limits. */
  void quiesce() {
    for (int i = 0; i < 3; i++) {
      for (WorkerId worker : List.copyOf(releasing.keySet())) {
        releasing.remove(worker);
        apply(new Ended(worker, words("Released.")), "seed " + seed + " after quiescence");
      }
      time += Duration.ofMinutes(2).toNanos();
      apply(new Tick(), "seed " + seed + " after quiescence");
    }
    for (WorkerSpec spec : specs) {
      int present = count(spec, requested) + count(spec, alive);
      if (limits.room(totals(), spec) > 0) {
        assertThat(present)
            .as("seed %d", seed)
            .isEqualTo(Math.max(declared.getOrDefault(spec, 0), registered(spec)));
      }
    }
  }

  private WorkerPoolEvent event() {
    switch (random.nextInt(8)) {
      case 0 -> {
        declared = new TreeMap<>();
        for (WorkerSpec spec : specs) {
          declared.put(spec, registered(spec) + random.nextInt(4));
        }
        return new WorkersDeclared(declared);
      }
      case 1 -> {
        if (!requested.isEmpty()) {
          Long request = any(requested.keySet());
          WorkerId worker = new WorkerId("w" + ++lastWorker);
          alive.put(worker, requested.remove(request));
          return new Started(request, worker);
        }
      }
      case 2 -> {
        if (!requested.isEmpty()) {
          Long request = any(requested.keySet());
          requested.remove(request);
          return new StartFailed(request, words("It fails."));
        }
      }
      case 3, 4 -> {
        if (!alive.isEmpty()) {
          WorkerId worker = any(alive.keySet());
          if (registered.add(worker) && random.nextInt(4) == 0) {
            alive.put(worker, specs.get(random.nextInt(specs.size())));
          }
          return new Registered(worker, alive.get(worker));
        }
      }
      case 5 -> {
        if (!alive.isEmpty()) {
          WorkerId worker = any(alive.keySet());
          alive.remove(worker);
          registered.remove(worker);
          return new Ended(worker, words("Ended."));
        }
      }
      case 6 -> {
        if (!registered.isEmpty()) {
          WorkerId worker = any(registered);
          registered.remove(worker);
          return new Released(worker, words("idle"));
        }
      }
      default -> {
        if (!releasing.isEmpty()) {
          WorkerId worker = any(releasing.keySet());
          releasing.remove(worker);
          return new Ended(worker, words("Released."));
        }
      }
    }
    return new Tick();
  }

  private <T> T any(Iterable<T> all) {
    List<T> list = new ArrayList<>();
    all.forEach(list::add);
    return list.get(random.nextInt(list.size()));
  }

  private void apply(WorkerPoolEvent event, String where) {
    for (WorkerPoolAction action : pool.apply(event, time)) {
      if (action instanceof Request request) {
        requested.put(request.request(), request.spec());
        assertThat(limits.exceededBy(totals())).as(where).isEmpty();
      } else if (action instanceof Cancel cancel) {
        assertThat(requested.remove(cancel.request())).as(where).isNotNull();
      } else if (action instanceof Release release) {
        assertThat(registered).as(where).doesNotContain(release.worker());
        releasing.put(release.worker(), alive.remove(release.worker()));
      } else if (action instanceof Lost lost) {
        apply(new Released(lost.worker(), lost.reason()), where);
      }
    }
  }

  private WorkerTotals totals() {
    WorkerTotals all = WorkerTotals.NONE;
    for (Map<?, WorkerSpec> workers : List.of(requested, alive, releasing)) {
      for (WorkerSpec spec : workers.values()) {
        all = all.plus(spec, 1);
      }
    }
    return all;
  }

  private int registered(WorkerSpec spec) {
    return (int) registered.stream().filter(worker -> spec.equals(alive.get(worker))).count();
  }

  private static int count(WorkerSpec spec, Map<?, WorkerSpec> workers) {
    return (int) workers.values().stream().filter(spec::equals).count();
  }
}
