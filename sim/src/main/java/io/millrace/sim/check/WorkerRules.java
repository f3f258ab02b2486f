package io.millrace.sim.check;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Options;
import io.millrace.core.id.JobId;
import io.millrace.protocol.Components;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.rpc.Envelope;
import io.millrace.sim.SimDriver;
import io.millrace.sim.scenario.Fault;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What holds of workers that are started on demand. */
final class WorkerRules {
  private WorkerRules() {}

  /** Workers that are there or on their way, without those that were told to go. */
  private static int wanted(SimDriver driver) {
    return driver.requested()
        + (int) driver.alive().stream().filter(worker -> !worker.isReleased()).count();
  }

  static final class WithinLimits extends Invariant {
    private int limit = -1;
    private int newLimit = -1;

    WithinLimits() {
      super("No worker is asked for while there are, with those under way, as many as allowed.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Granted granted
          && granted.component().equals(Components.RESOURCE_MANAGER)) {
        limit = -1;
        newLimit = -1;
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof LimitWorkers limited) {
        newLimit = limited.most();
      } else if (fact instanceof Fact.Answered answered
          && answered.call().message() instanceof LimitWorkers limited
          && answered.answer() instanceof Envelope.Reply) {
        limit = limited.most();
        newLimit = -1;
      } else if (fact instanceof Fact.WorkerRequested) {
        SimDriver driver = world().driver().orElseThrow();
        // What a new limit leads to comes before its answer.
        int most = Math.max(limit < 0 ? driver.offer().most() : limit, newLimit);
        if (wanted(driver) > most) {
          throw broken(
              wanted(driver) + " workers are there or asked for, and " + most + " allowed");
        }
      }
    }
  }

  static final class NotMoreThanRequired extends Invariant {
    private final Map<JobId, Integer> declared = new LinkedHashMap<>();

    /** Workers that were blocked at some time: others do their work. */
    private final Set<String> blocked = new LinkedHashSet<>();

    NotMoreThanRequired() {
      super("Pending plus running workers never exceed what jobs require.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Decided decided && decided.event().job().isPresent()) {
        JobId job = decided.event().job().get();
        if (decided.event().component().equals("jobmaster")
            && decided.event().what().equals("slots declared")) {
          declared.merge(job, decided.event().count(), Math::max);
        } else if (decided.event().what().equals("job archived")) {
          declared.remove(job);
        }
      } else if (fact instanceof Fact.Called called
          && called.call().message() instanceof Block block) {
        blocked.add(block.target());
      } else if (fact instanceof Fact.WorkerRequested requested) {
        check(world().driver().orElseThrow(), requested.spec());
      }
    }

    /** One of another size does not help, even where nobody uses it. */
    private void check(SimDriver driver, WorkerSpec spec) {
      boolean usual = spec.equals(driver.offer().spec());
      int required = 0;
      for (Map.Entry<JobId, Integer> job : declared.entrySet()) {
        required += usual ? job.getValue() : Math.min(job.getValue(), slotsBeyond(job.getKey()));
      }
      int spares = usual ? world().scenario().configuration().get(Options.SPARE_WORKERS) : 0;
      if (driver.wanted(spec) > required + spares + blocked.size()) {
        throw broken(
            driver.wanted(spec)
                + " workers with "
                + spec.total()
                + " are there or asked for, jobs require "
                + required
                + " slots and "
                + spares
                + " are kept as spares");
      }
    }

    private int slotsBeyond(JobId id) {
      return world().scenario().jobs().stream()
          .filter(job -> job.id().equals(id))
          .mapToInt(job -> job.slotsBeyond(world().scenario().shape().worker()))
          .sum();
    }
  }

  /** Looks twice a second, when it is calm. */
  static final class NoneIsIdleForLong extends Invariant {
    private static final long PAUSE = Duration.ofMillis(500).toNanos();
    private static final Duration SLACK = Duration.ofSeconds(10);

    private final Map<String, Long> idleSince = new LinkedHashMap<>();
    private long next;
    private long lastUse;

    NoneIsIdleForLong() {
      super("No worker that was started on demand stays without use beyond its time-out.");
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || world().driver().isEmpty() || !world().isCalm()) {
        return;
      }
      next = world().nanos() + PAUSE;
      Duration most =
          world().scenario().configuration().get(Options.IDLE_WORKER_TIMEOUT).plus(SLACK);
      int idle = 0;
      for (World.Worker worker : world().workers()) {
        if (worker.slots().report().slots().stream().anyMatch(slot -> slot.occupant().isPresent())
            || !worker.slots().report().carved().isEmpty()) {
          idleSince.remove(worker.name());
          lastUse = world().nanos();
        } else if (world().nanos() - idleSince.computeIfAbsent(worker.name(), x -> world().nanos())
            > most.toNanos()) {
          idle++;
        }
      }
      // The last of those that work may end by itself: it takes a while until that is known.
      boolean used = world().nanos() - lastUse < SLACK.toNanos();
      int spares = used ? world().scenario().configuration().get(Options.SPARE_WORKERS) : 0;
      if (idle > spares) {
        throw broken(idle + " workers are idle for longer than " + most + ", spares: " + spares);
      }
    }
  }

  /** A JobManager may give up its storage, a worker a task that does not end or its cluster. */
  static final class NobodyEndsForNothing extends Invariant {
    NobodyEndsForNothing() {
      super("A process ends itself only where it cannot go on.");
    }

    @Override
    protected void seen(Fact fact) {
      if (fact instanceof Fact.Died died) {
        String why = String.valueOf(died.cause().getMessage());
        boolean hasReason =
            died.process().name().startsWith("jobmanager")
                ? world().scenario().faults().stream().anyMatch(f -> f instanceof Fault.Storage)
                    || why.contains("later than")
                : why.contains("is unknown here")
                    || why.contains("did not end within")
                    || why.contains("could not register at a ResourceManager within");
        if (!hasReason) {
          throw broken(died.process() + " ended itself: " + why);
        }
      }
    }
  }

  static final class NoneIsLeaked extends Invariant {
    NoneIsLeaked() {
      super("When all jobs have ended, every worker that was started is given back.");
    }

    @Override
    protected void over(World.Story story) {
      world()
          .driver()
          .ifPresent(
              driver -> {
                if (!driver.alive().isEmpty() || driver.requested() > 0) {
                  throw broken(
                      driver.alive().stream().map(SimDriver.Started::name).toList()
                          + " are there and "
                          + driver.requested()
                          + " asked for");
                }
              });
    }
  }
}
