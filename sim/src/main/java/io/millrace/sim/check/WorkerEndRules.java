package io.millrace.sim.check;

import io.millrace.control.ha.StaleWriteException;
import io.millrace.core.error.Failure;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.reason.JobReason.TaskNotEnded;
import io.millrace.protocol.reason.PeerReason.CountedOut;
import io.millrace.protocol.reason.PeerReason.RegistrationRejected;
import io.millrace.protocol.reason.PeerReason.ResourceManagerNotFound;
import io.millrace.protocol.reason.PeerReason.WorkerUnknown;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.ReasonException;
import io.millrace.rpc.Address;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTokens;
import io.millrace.sim.scenario.Fault;
import io.millrace.sim.zookeeper.SimNodeSession;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Invariants of the end of processes and of workers that a driver has reported as ended. */
final class WorkerEndRules {
  private WorkerEndRules() {}

  /**
   * A JobManager may end if its storage fails, a worker if a task does not end or if it cannot find
   * a ResourceManager.
   */
  static final class ProcessExitHasCause extends Invariant {
    ProcessExitHasCause() {
      super("A process terminates itself only if it cannot continue.");
    }

    @Override
    protected void died(Fact.Died died) {
      boolean hasCause =
          died.process().name().startsWith("jobmanager")
              ? world().scenario().faults().stream()
                      .anyMatch(
                          f -> f instanceof Fault.StorageFailure || f instanceof Fault.DamagedBlob)
                  || isSuperseded(died.cause())
                  || hasNoToken(died.cause())
                  || isCutOff(died.cause())
              : Failure.unwrap(died.cause()) instanceof ReasonException known
                  && mayEnd(died.process().name(), known.reason());
      if (!hasCause) {
        throw broken(died.process() + " terminated itself: " + died.cause().getMessage());
      }
    }

    private boolean mayEnd(String worker, Reason reason) {
      return reason instanceof TaskNotEnded
          || reason instanceof ResourceManagerNotFound
          || (reason instanceof CountedOut && isNotWanted(worker))
          || (reason instanceof RegistrationRejected rejected
              && rejected.answer() instanceof WorkerUnknown
              && (isNotWanted(worker) || isReleasedBy(rejected.resourceManager(), worker)));
    }

    /**
     * Whether the ResourceManager released the worker when it did not lead any more and did not
     * know it. The driver does not serve it, and the worker cannot know that it has a successor.
     */
    private boolean isReleasedBy(Address resourceManager, String worker) {
      return world().driver().stream()
          .flatMap(driver -> driver.alive().stream())
          .anyMatch(
              alive ->
                  alive.name().equals(worker) && alive.isReleaseIgnored(resourceManager.process()));
    }

    /** Whether the driver does not know the worker or has released it. */
    private boolean isNotWanted(String worker) {
      return world().driver().stream()
          .flatMap(driver -> driver.alive().stream())
          .noneMatch(alive -> alive.name().equals(worker) && !alive.isReleased());
    }

    private static boolean isSuperseded(Throwable cause) {
      return causes(cause)
          .anyMatch(known -> known instanceof StaleWriteException stale && stale.isOfLaterTerm());
    }

    /** An elected process that cannot read its data ends, so that another one can try. */
    private static boolean isCutOff(Throwable cause) {
      return causes(cause).anyMatch(known -> known instanceof SimNodeSession.ConnectionLost);
    }

    /** A ResourceManager does not start without tokens, because its workers need them. */
    private boolean hasNoToken(Throwable cause) {
      return causes(cause)
              .anyMatch(
                  known ->
                      known instanceof SimTokens.Closed || known instanceof SimProcess.TookLong)
          && world().scenario().faults().stream()
              .anyMatch(f -> f instanceof Fault.TokenServiceFailure);
    }

    private static Stream<Throwable> causes(Throwable thrown) {
      return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause).limit(20);
    }
  }

  /**
   * A driver that reports a node as lost notifies the ResourceManager, which notifies the worker. A
   * partitioned worker ends by its heartbeat timeout.
   */
  static final class LostWorkersEnd extends Invariant {
    private static final Duration SOON = Duration.ofSeconds(5);

    private final Map<String, Long> since = new LinkedHashMap<>();
    private long next;

    LostWorkersEnd() {
      super("A worker that its driver has reported as ended ends, at once if it is reachable.");
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() >= next && world().driver().isPresent() && world().isReachable()) {
        next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
        for (String worker : lost()) {
          if (world().nanos() - since.computeIfAbsent(worker, x -> world().nanos())
              > SOON.toNanos()) {
            throw broken(worker + " still runs after " + SOON);
          }
        }
      }
    }

    @Override
    protected void settled(SimulatedWorld.ClusterReport report) {
      if (world().driver().isPresent() && !lost().isEmpty()) {
        throw broken(lost() + " still run");
      }
    }

    private List<String> lost() {
      List<String> left = new ArrayList<>();
      world().workers().forEach(worker -> left.add(worker.name()));
      world().driver().orElseThrow().alive().forEach(started -> left.remove(started.name()));
      return left;
    }
  }

  /**
   * Counts from the time at which the ResourceManager knows the worker and has the notice. For a
   * frozen ResourceManager the time starts when it continues.
   */
  static final class ReportedWorkerEndsAreRecorded extends Invariant {
    private final Map<String, Long> known = new LinkedHashMap<>();
    private final Map<String, Reported> reported = new LinkedHashMap<>();
    private long next;

    private record Reported(SimProcess resourceManager, String worker, long at) {}

    ReportedWorkerEndsAreRecorded() {
      super("A ResourceManager records the end of a worker that its driver reports.");
    }

    @Override
    protected void workerEndReported(Fact.WorkerEndReported end) {
      reported.put(
          end.jobManager() + " " + end.worker(),
          new Reported(end.jobManager(), end.worker(), world().nanos()));
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        forget(granted.process());
      }
    }

    @Override
    protected void revoked(Fact.Revoked revoked) {
      if (revoked.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        forget(revoked.process());
      }
    }

    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().worker().isPresent()
          && decided.entry().event() instanceof ResourceManagerEvent event) {
        String worker = decided.process() + " " + decided.entry().worker().get();
        if (event instanceof ResourceManagerEvent.WorkerFound
            || event instanceof ResourceManagerEvent.WorkerStarted) {
          known.put(worker, world().nanos());
        } else if (event instanceof ResourceManagerEvent.WorkerEnded
            || event instanceof ResourceManagerEvent.WorkerAssumedGone) {
          known.remove(worker);
          reported.remove(worker);
        }
      }
    }

    private void forget(SimProcess resourceManager) {
      known.keySet().removeIf(worker -> worker.startsWith(resourceManager + " "));
      reported.keySet().removeIf(worker -> worker.startsWith(resourceManager + " "));
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || reported.isEmpty()) {
        return;
      }
      next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
      reported.values().removeIf(end -> !end.resourceManager().isAlive());
      reported.replaceAll(
          (key, end) ->
              end.resourceManager().isFrozen()
                  ? new Reported(end.resourceManager(), end.worker(), world().nanos())
                  : end);
      reported.forEach(
          (key, end) -> {
            Long since = known.get(key);
            if (since != null
                && world().nanos() - Math.max(since, end.at()) > WorkerRules.MOMENT.toNanos()) {
              throw broken(
                  end.resourceManager()
                      + " still has "
                      + end.worker()
                      + ", whose end was reported");
            }
          });
    }
  }

  /** For a frozen ResourceManager the time starts when it continues. */
  static final class ReportedStartFailuresAreRecorded extends Invariant {
    /** When failed starts were reported that are not recorded, the oldest first. */
    private final Map<SimProcess, Deque<Long>> reported = new LinkedHashMap<>();

    private long next;

    ReportedStartFailuresAreRecorded() {
      super("A ResourceManager records at once that a start has failed which its driver reports.");
    }

    @Override
    protected void startFailureReported(Fact.StartFailureReported failure) {
      reported.computeIfAbsent(failure.jobManager(), x -> new ArrayDeque<>()).add(world().nanos());
    }

    @Override
    protected void granted(Fact.Granted granted) {
      if (granted.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        reported.remove(granted.process());
      }
    }

    @Override
    protected void revoked(Fact.Revoked revoked) {
      if (revoked.component().equals(ComponentNames.RESOURCE_MANAGER)) {
        reported.remove(revoked.process());
      }
    }

    /** The end of a worker that was started is no answer to a request: it names the worker. */
    @Override
    protected void decided(Fact.Decided decided) {
      if (decided.entry().event() instanceof ResourceManagerEvent.WorkerStartFailed
          && decided.entry().worker().isEmpty()) {
        reported.getOrDefault(decided.process(), new ArrayDeque<>()).poll();
      }
    }

    @Override
    protected void afterEvent() {
      if (world().nanos() < next || reported.isEmpty()) {
        return;
      }
      next = world().nanos() + WorkerRules.CHECK_INTERVAL.toNanos();
      reported.forEach(this::check);
    }

    private void check(SimProcess resourceManager, Deque<Long> times) {
      if (!resourceManager.isAlive()) {
        times.clear();
      } else if (resourceManager.isFrozen()) {
        int failures = times.size();
        times.clear();
        for (int i = 0; i < failures; i++) {
          times.add(world().nanos());
        }
      } else if (!times.isEmpty()
          && world().nanos() - times.getFirst() > WorkerRules.MOMENT.toNanos()) {
        throw broken(resourceManager + " has not recorded a failed start that was reported");
      }
    }
  }
}
