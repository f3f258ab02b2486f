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
import io.millrace.control.workerpool.WorkerPoolEvent.Wanted;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** A driver and a ResourceManager that behave at random, and check what a pool makes of it. */
final class FleetWorld {
  private final long seed;
  private final Random random;
  private final List<WorkerSpec> specs;
  private final ResourceLimits ceiling;
  private final WorkerPool pool;
  private final TreeMap<Long, WorkerSpec> asked = new TreeMap<>();
  private final TreeMap<WorkerId, WorkerSpec> alive = new TreeMap<>();
  private final TreeMap<WorkerId, WorkerSpec> leaving = new TreeMap<>();
  private final TreeSet<WorkerId> registered = new TreeSet<>();
  private Map<WorkerSpec, Integer> wanted = new TreeMap<>();
  private long time;
  private int names;

  FleetWorld(long seed, WorkerPoolSettings settings, List<WorkerSpec> specs) {
    this.seed = seed;
    this.random = new Random(seed);
    this.specs = specs;
    this.ceiling =
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
                settings.usual(),
                ceiling,
                Duration.ofSeconds(60),
                settings.recovery(),
                Duration.ofDays(1),
                settings.retry(),
                3));
  }

  void step(int step) {
    time += random.nextInt(2_000_000_000);
    apply(event(), "seed " + seed + ", step " + step);
    // A worker that is not what was asked for is looked at again in the same moment.
    while (pool.nextWake().orElse(Long.MAX_VALUE) <= time) {
      apply(new Tick(), "seed " + seed + ", after step " + step);
    }
    for (WorkerSpec spec : specs) {
      assertThat(count(spec, asked) + count(spec, alive))
          .as("seed %d, step %d", seed, step)
          .isLessThanOrEqualTo(Math.max(wanted.getOrDefault(spec, 0), registered(spec)));
    }
  }

  /** All that is under way ends somehow, and nothing else happens. */
  void rest() {
    for (int i = 0; i < 3; i++) {
      for (WorkerId worker : List.copyOf(leaving.keySet())) {
        leaving.remove(worker);
        apply(new Ended(worker, words("Released.")), "seed " + seed + " at rest");
      }
      time += Duration.ofMinutes(2).toNanos();
      apply(new Tick(), "seed " + seed + " at rest");
    }
    for (WorkerSpec spec : specs) {
      int there = count(spec, asked) + count(spec, alive);
      if (ceiling.room(there(), spec) > 0) {
        assertThat(there)
            .as("seed %d", seed)
            .isEqualTo(Math.max(wanted.getOrDefault(spec, 0), registered(spec)));
      }
    }
  }

  private WorkerPoolEvent event() {
    switch (random.nextInt(8)) {
      case 0 -> {
        wanted = new TreeMap<>();
        for (WorkerSpec spec : specs) {
          wanted.put(spec, registered(spec) + random.nextInt(4));
        }
        return new Wanted(wanted);
      }
      case 1 -> {
        if (!asked.isEmpty()) {
          Long request = any(asked.keySet());
          WorkerId worker = new WorkerId("w" + ++names);
          alive.put(worker, asked.remove(request));
          return new Started(request, worker);
        }
      }
      case 2 -> {
        if (!asked.isEmpty()) {
          Long request = any(asked.keySet());
          asked.remove(request);
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
          return new Ended(worker, words("Gone."));
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
        if (!leaving.isEmpty()) {
          WorkerId worker = any(leaving.keySet());
          leaving.remove(worker);
          return new Ended(worker, words("Released."));
        }
      }
    }
    return new Tick();
  }

  private <T> T any(Iterable<T> all) {
    List<T> these = new ArrayList<>();
    all.forEach(these::add);
    return these.get(random.nextInt(these.size()));
  }

  private void apply(WorkerPoolEvent event, String where) {
    for (WorkerPoolAction action : pool.apply(event, time)) {
      if (action instanceof Request request) {
        asked.put(request.request(), request.spec());
        assertThat(ceiling.exceededBy(there())).as(where).isEmpty();
      } else if (action instanceof Cancel cancel) {
        assertThat(asked.remove(cancel.request())).as(where).isNotNull();
      } else if (action instanceof Release release) {
        assertThat(registered).as(where).doesNotContain(release.worker());
        leaving.put(release.worker(), alive.remove(release.worker()));
      } else if (action instanceof Lost lost) {
        apply(new Released(lost.worker(), lost.reason()), where);
      }
    }
  }

  private WorkerTotals there() {
    WorkerTotals all = WorkerTotals.NOBODY;
    for (Map<?, WorkerSpec> these : List.of(asked, alive, leaving)) {
      for (WorkerSpec spec : these.values()) {
        all = all.plus(spec, 1);
      }
    }
    return all;
  }

  private int registered(WorkerSpec spec) {
    return (int) registered.stream().filter(worker -> spec.equals(alive.get(worker))).count();
  }

  private static int count(WorkerSpec spec, Map<?, WorkerSpec> these) {
    return (int) these.values().stream().filter(spec::equals).count();
  }
}
