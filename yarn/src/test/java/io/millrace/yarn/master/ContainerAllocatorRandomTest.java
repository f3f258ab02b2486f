package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.fail;

import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.PeerReason.WorkerStops;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.yarn.master.AllocatorEvent.AllocatedContainer;
import io.millrace.yarn.master.AllocatorEvent.CompletedContainer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Events in random order, also such as YARN would not send, against a model of what each action
 * permits. A failure names its seed.
 */
class ContainerAllocatorRandomTest {
  private static final int SEEDS = 500;
  private static final int STEPS = 150;
  private static final YarnDriverSettings SETTINGS =
      new YarnDriverSettings(
          "application_1_1",
          Configuration.EMPTY.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m"),
          new ApplicationMasterAddress("host", 1, "http://host"));
  private static final WorkerSpec SPEC = SETTINGS.defaultSpec();

  @Test
  @Behaviour(
      "D9: in simulated runs with random failures no worker starts twice, each YARN request is"
          + " answered or cancelled, and each container is in use or given back")
  void everySequenceOfEventsKeepsTheInvariants() {
    SilencedLog.during(
        () -> {
          for (long seed = 0; seed < SEEDS; seed++) {
            new Run(seed).run();
          }
        });
  }

  /** What the model knows of a container. */
  private enum State {
    /** Reported to the driver, and not answered by an action yet. */
    OFFERED,
    PREPARING,
    STARTED,
    RETURNED,
    ENDED
  }

  private static final class Run {
    private final long seed;
    private final Random random;
    private final ContainerAllocator allocator =
        new ContainerAllocator(SETTINGS, new ContainerSize(8192, 8, Map.of()), "queue");
    private final Map<WorkerId, State> containers = new TreeMap<>();
    private final Set<WorkerId> reportedAlive = new TreeSet<>();
    private final Set<WorkerId> reportedEver = new HashSet<>();
    private final Set<WorkerId> preparing = new TreeSet<>();
    private final Set<WorkerId> questions = new TreeSet<>();
    private final Set<Long> open = new TreeSet<>();

    /** The batch of each request that YARN counts. */
    private final Map<Long, Long> askedAtYarn = new TreeMap<>();

    private long now = -Duration.ofDays(1).toNanos();
    private long requests;
    private int numbers;
    private boolean heartbeatUnderWay;
    private boolean queryUnderWay;
    private boolean unregistered;
    private boolean closed;
    private boolean reportVisible;

    Run(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    void run() {
      apply(new AllocatorEvent.Registered(Map.of()));
      for (int i = 0; i < STEPS; i++) {
        pass();
        step();
      }
      settle();
      DriverTermination.Over over =
          new DriverTermination.Over(ApplicationStatus.SUCCEEDED, "Done.");
      apply(new AllocatorEvent.StopRequested(over));
      for (int i = 0; i < 20 && !closed; i++) {
        step();
        pass();
      }
      check(unregistered && closed, "the stop does not end");
    }

    /** Time passes, up to the next tick or less. */
    private void pass() {
      OptionalLong wake = allocator.nextWake();
      long step = Duration.ofMillis(random.nextInt(400)).toNanos();
      if (wake.isPresent() && random.nextBoolean()) {
        now = Math.max(now, wake.getAsLong());
        apply(new AllocatorEvent.Tick());
        check(
            allocator.nextWake().isEmpty() || allocator.nextWake().getAsLong() > now,
            "a tick leaves its own time as the next wake-up");
      } else {
        now += step;
      }
    }

    private void step() {
      switch (random.nextInt(14)) {
        case 12 ->
            pick(containers.keySet())
                .ifPresent(
                    worker -> apply(new AllocatorEvent.WorkerReleased(worker, new WorkerStops())));
        case 13 -> pick(questions).ifPresent(this::answerQuestion);
        case 0, 1 -> {
          open.add(++requests);
          apply(new AllocatorEvent.WorkerRequested(requests, SPEC, 0));
        }
        case 2 -> {
          long request = 1L + random.nextInt((int) requests + 1);
          open.remove(request);
          apply(new AllocatorEvent.RequestCancelled(request));
        }
        case 3, 4, 5 -> {
          if (heartbeatUnderWay) {
            heartbeatUnderWay = false;
            if (random.nextInt(20) == 0) {
              apply(new AllocatorEvent.RequestsRefused("refused"));
            } else {
              answer();
            }
          }
        }
        case 6, 7 -> pick(preparing).ifPresent(this::finishPreparation);
        case 8 ->
            pick(containers.keySet())
                .ifPresent(
                    worker ->
                        apply(new AllocatorEvent.WorkerReleased(worker, new WorkerNotNeeded())));
        case 9 ->
            pick(containers.keySet())
                .filter(worker -> containers.get(worker) == State.STARTED)
                .ifPresent(
                    worker ->
                        apply(new AllocatorEvent.LaunchFailed(worker, new IOException("late"))));
        case 10 -> {
          if (queryUnderWay) {
            queryUnderWay = false;
            apply(new AllocatorEvent.StatusAnswered(Optional.of("status")));
          }
        }
        default -> {
          if (unregistered) {
            apply(new AllocatorEvent.Unregistered());
          } else if (random.nextInt(10) == 0) {
            // Of those that are not served.
            askedAtYarn.keySet().stream()
                .filter(open::contains)
                .findFirst()
                .ifPresent(
                    request -> {
                      askedAtYarn.remove(request);
                      apply(
                          new AllocatorEvent.RequestRejected(request, new ErrorReason("rejected")));
                    });
          }
        }
      }
    }

    private void answerQuestion(WorkerId worker) {
      questions.remove(worker);
      int exitStatus = List.of(137, -104, -106).get(random.nextInt(3));
      apply(
          new AllocatorEvent.ContainerAnswered(
              worker,
              random.nextInt(4) > 0,
              random.nextBoolean()
                  ? Optional.empty()
                  : Optional.of(new CompletedContainer(worker, exitStatus, ""))));
    }

    private void finishPreparation(WorkerId worker) {
      if (random.nextInt(5) == 0) {
        preparing.remove(worker);
        apply(new AllocatorEvent.LaunchFailed(worker, new IOException("no key")));
      } else {
        apply(new AllocatorEvent.LaunchPrepared(worker));
        check(!preparing.contains(worker), worker + " is neither started nor discarded");
      }
    }

    private void answer() {
      List<AllocatedContainer> allocated = new ArrayList<>();
      for (int i = random.nextInt(3); i > 0; i--) {
        WorkerId worker = new WorkerId(String.format("container_%04d", ++numbers));
        containers.put(worker, State.OFFERED);
        // For a pending request, an earlier or a later one, or without a number.
        long request = random.nextInt((int) requests + 3) - 1L;
        allocated.add(new AllocatedContainer(worker, "node:1", request, 1));
        if (random.nextInt(8) == 0) {
          pick(reportedAlive)
              .ifPresent(
                  again -> allocated.add(new AllocatedContainer(again, "node:1", 1 + requests, 1)));
        }
      }
      List<CompletedContainer> completed = new ArrayList<>();
      containers.forEach(
          (worker, state) -> {
            if (state == State.RETURNED || random.nextInt(12) == 0) {
              completed.add(new CompletedContainer(worker, -100, ""));
            }
          });
      List<WorkerId> late = new ArrayList<>();
      if (random.nextInt(15) == 0) {
        WorkerId worker = new WorkerId(String.format("container_%04d", ++numbers));
        containers.put(worker, State.OFFERED);
        late.add(worker);
      }
      apply(new AllocatorEvent.HeartbeatAnswered(allocated, completed, late, ContainerSize.NONE));
      completed.forEach(container -> containers.put(container.worker(), State.ENDED));
      boolean serves = !unregistered && !closed;
      containers.forEach(
          (worker, state) ->
              check(state != State.OFFERED || !serves, worker + " is neither used nor returned"));
    }

    /** Nothing new happens, and everything that is under way ends. */
    private void settle() {
      for (int i = 0; i < 200; i++) {
        new ArrayList<>(preparing).forEach(this::finishPreparation);
        if (queryUnderWay) {
          queryUnderWay = false;
          apply(new AllocatorEvent.StatusAnswered(Optional.empty()));
        }
        if (heartbeatUnderWay) {
          heartbeatUnderWay = false;
          List<AllocatedContainer> allocated = new ArrayList<>();
          for (long batch : new ArrayList<>(askedAtYarn.values())) {
            WorkerId worker = new WorkerId(String.format("container_%04d", ++numbers));
            containers.put(worker, State.OFFERED);
            allocated.add(new AllocatedContainer(worker, "node:1", batch, 1));
          }
          List<CompletedContainer> completed = new ArrayList<>();
          containers.forEach(
              (worker, state) -> {
                if (state == State.RETURNED) {
                  completed.add(new CompletedContainer(worker, -105, ""));
                }
              });
          apply(
              new AllocatorEvent.HeartbeatAnswered(
                  allocated, completed, List.of(), ContainerSize.NONE));
          completed.forEach(container -> containers.put(container.worker(), State.ENDED));
        }
        check(allocator.nextWake().isPresent() || heartbeatUnderWay, "no heartbeat follows");
        allocator
            .nextWake()
            .ifPresent(
                wake -> {
                  now = Math.max(now, wake);
                  apply(new AllocatorEvent.Tick());
                });
      }
      check(open.isEmpty(), "unanswered requests " + open);
      check(askedAtYarn.isEmpty(), "requests that YARN still has " + askedAtYarn);
      check(!reportVisible, "a report about pending containers stays");
      containers.forEach(
          (worker, state) ->
              check(
                  state == State.ENDED
                      || (state == State.STARTED && reportedAlive.contains(worker)),
                  worker + " is " + state));
      check(
          reportedAlive.stream().allMatch(worker -> containers.get(worker) == State.STARTED),
          "workers without a container in " + reportedAlive);
    }

    private void apply(AllocatorEvent event) {
      for (AllocatorAction action : allocator.apply(event, now)) {
        check(!closed, "an action after the last one: " + action);
        perform(action);
      }
    }

    private void perform(AllocatorAction action) {
      if (action instanceof AllocatorAction.SendHeartbeat) {
        check(!heartbeatUnderWay && !unregistered, "a heartbeat while another is under way");
        heartbeatUnderWay = true;
      } else if (action instanceof AllocatorAction.AddRequest add) {
        check(
            askedAtYarn.put(add.request().request(), add.request().batch()) == null,
            "asks twice: " + action);
      } else if (action instanceof AllocatorAction.RemoveRequest remove) {
        check(askedAtYarn.remove(remove.request()) != null, "does not ask: " + action);
      } else if (action instanceof AllocatorAction.ReturnContainer back) {
        State before = containers.put(back.worker(), State.RETURNED);
        check(before != State.RETURNED && before != State.ENDED, before + ": " + action);
      } else if (action instanceof AllocatorAction.PrepareLaunch launch) {
        State before = containers.put(launch.worker(), State.PREPARING);
        check(before == State.OFFERED, before + ": " + action);
        check(reportedAlive.contains(launch.worker()), "not reported as started: " + action);
        check(preparing.add(launch.worker()), "prepares twice: " + action);
      } else if (action instanceof AllocatorAction.StartContainer start) {
        State before = containers.put(start.worker(), State.STARTED);
        check(before == State.PREPARING, before + ": " + action);
        check(preparing.remove(start.worker()), "not prepared: " + action);
      } else if (action instanceof AllocatorAction.DiscardLaunch discard) {
        check(preparing.remove(discard.worker()), "not prepared: " + action);
      } else if (action instanceof AllocatorAction.QueryContainer query) {
        check(containers.get(query.worker()) == State.STARTED, "not started: " + action);
        questions.add(query.worker());
      } else if (action instanceof AllocatorAction.StopContainer stop) {
        check(containers.get(stop.worker()) == State.STARTED, "not started: " + action);
      } else if (action instanceof AllocatorAction.ReportStarted started) {
        answered(started.request(), action);
        check(reportedEver.add(started.worker()), "reported twice: " + action);
        reportedAlive.add(started.worker());
      } else if (action instanceof AllocatorAction.ReportFailed failed) {
        answered(failed.request(), action);
      } else if (action instanceof AllocatorAction.ReportEnded ended) {
        check(reportedAlive.remove(ended.worker()), "not alive: " + action);
      } else if (action instanceof AllocatorAction.QueryStatus) {
        check(!queryUnderWay, "a query while another is under way");
        queryUnderWay = true;
      } else if (action instanceof AllocatorAction.ReportPending pending) {
        check(pending.reason().isPresent() || reportVisible, "withdraws nothing");
        reportVisible = pending.reason().isPresent();
      } else if (action instanceof AllocatorAction.Unregister) {
        check(!unregistered, "unregisters twice");
        unregistered = true;
      } else if (action instanceof AllocatorAction.Close) {
        closed = true;
      } else {
        check(false, "unexpected " + action);
      }
    }

    private void answered(long request, AllocatorAction action) {
      check(open.remove(request), "answers a request that is not open: " + action);
    }

    private Optional<WorkerId> pick(Set<WorkerId> workers) {
      List<WorkerId> all = new ArrayList<>(workers);
      return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    private void check(boolean condition, String violation) {
      if (!condition) {
        fail("Seed " + seed + ": " + violation);
      }
    }
  }
}
