package io.millrace.control.workerpool;

import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.control.workerpool.PoolWorker.State;
import io.millrace.control.workerpool.WorkerPoolAction.Cancel;
import io.millrace.control.workerpool.WorkerPoolAction.Lost;
import io.millrace.control.workerpool.WorkerPoolAction.Note;
import io.millrace.control.workerpool.WorkerPoolAction.Release;
import io.millrace.control.workerpool.WorkerPoolAction.Request;
import io.millrace.control.workerpool.WorkerPoolEvent.Ended;
import io.millrace.control.workerpool.WorkerPoolEvent.Found;
import io.millrace.control.workerpool.WorkerPoolEvent.Limited;
import io.millrace.control.workerpool.WorkerPoolEvent.Registered;
import io.millrace.control.workerpool.WorkerPoolEvent.RegistrationLost;
import io.millrace.control.workerpool.WorkerPoolEvent.Released;
import io.millrace.control.workerpool.WorkerPoolEvent.StartFailed;
import io.millrace.control.workerpool.WorkerPoolEvent.Started;
import io.millrace.control.workerpool.WorkerPoolEvent.Waits;
import io.millrace.control.workerpool.WorkerPoolEvent.Wanted;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.ResourceManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerAssumedGone;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerEnded;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerFound;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerRequestCancelled;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartFailed;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartsPaused;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason;
import io.millrace.protocol.reason.WorkerReason.EndedBeforeRegistration;
import io.millrace.protocol.reason.WorkerReason.PreviousWorkersAwaited;
import io.millrace.protocol.reason.WorkerReason.RegistrationTimeout;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.protocol.reason.WorkerReason.WorkersEnding;
import io.millrace.protocol.reason.WorkerReason.WorkersRequested;
import io.millrace.rpc.decision.Decider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Keeps as many workers of each spec as are wanted: asks the driver for those that are missing,
 * takes back what is too many before it has come, replaces what fails, and slows down where failing
 * goes on. A worker that is on its way out counts in what there may be at a time until it is gone,
 * or has had more than enough time for it: a driver may fail to tell. Whom of those that have come
 * to let go is not decided here.
 *
 * <p>Plain and single-threaded: {@link #apply} is told an event and the time and returns what to
 * do, in order.
 */
public final class WorkerPool implements Decider<WorkerPoolEvent, WorkerPoolAction> {
  private final WorkerPoolSettings settings;
  private final StartFailureRate failures;
  private final WorkerInventory inventory = new WorkerInventory();
  private ResourceLimits limits;
  private Map<WorkerSpec, Integer> wanted = new TreeMap<>();
  private long requests;
  private Optional<Reason> waits = Optional.empty();
  private long lookedAt;

  /** Whether what was asked for has to be looked at again, without anything else happening. */
  private boolean unsettled;

  private List<WorkerPoolAction> actions = new ArrayList<>();

  public WorkerPool(WorkerPoolSettings settings) {
    this.settings = settings;
    this.limits = settings.limits();
    this.failures = new StartFailureRate(settings);
  }

  /** Takes an event into account and returns what follows from it. */
  @Override
  public List<WorkerPoolAction> apply(WorkerPoolEvent event, long now) {
    actions = new ArrayList<>();
    lookedAt = now;
    if (event instanceof Found found) {
      found.workers().forEach((worker, spec) -> found(worker, spec, now));
    } else if (event instanceof Wanted want) {
      wanted = new TreeMap<>(want.workers());
    } else if (event instanceof Limited limited) {
      limits = limits.withWorkers(limited.workers());
    } else if (event instanceof Started started) {
      started(started, now);
    } else if (event instanceof StartFailed failed) {
      if (inventory.answered(failed.request()).isPresent()) {
        failed(failed.reason(), Optional.empty(), now);
      }
    } else if (event instanceof Waits waiting) {
      waits = waiting.reason();
    } else if (event instanceof Ended ended) {
      ended(ended, now);
    } else if (event instanceof Registered registered) {
      inventory
          .member(registered.worker())
          .ifPresent(member -> registered(member, registered.spec()));
    } else if (event instanceof RegistrationLost astray) {
      inventory
          .member(astray.worker())
          .filter(member -> member.state() == State.REGISTERED)
          .ifPresent(member -> inventory.put(member.astray(now + settings.recovery().toNanos())));
    } else if (event instanceof Released dismissed) {
      inventory
          .member(dismissed.worker())
          .ifPresent(member -> dismissed(member, dismissed.reason()));
    } else if (!(event instanceof WorkerPoolEvent.Tick)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
    giveUpLate(now);
    // Whether one that is not what was asked for will do is decided first, elsewhere.
    if (!(event instanceof Registered)) {
      unsettled = false;
      takeBack();
      ask(now);
    }
    return actions;
  }

  /** When a {@link WorkerPoolEvent.Tick} is wanted at the latest. */
  @Override
  public OptionalLong nextWake() {
    long wake = inventory.firstDeadline();
    if (unsettled) {
      wake = Math.min(wake, lookedAt);
    }
    if (!askable().isEmpty()) {
      wake = Math.min(wake, Math.max(failures.nextStart(), lookedAt));
    }
    return wake == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(wake);
  }

  /** Whether the worker is one of this pool, and neither gone nor on its way out. */
  public boolean knows(WorkerId worker) {
    return inventory
        .member(worker)
        .filter(member -> member.state() != State.LEAVING && member.state() != State.GONE)
        .isPresent();
  }

  /** What is under way or wrong. */
  public WorkerPoolStatus status(long now) {
    Map<WorkerSpec, Reason> asked = new TreeMap<>();
    Map<WorkerSpec, Integer> starting = inventory.count(State.STARTING);
    Map<WorkerSpec, Integer> all = new TreeMap<>(inventory.requested());
    starting.forEach((spec, count) -> all.merge(spec, count, Integer::sum));
    all.forEach(
        (spec, count) -> asked.put(spec, asked(spec, count, starting.getOrDefault(spec, 0))));
    List<Reason> other = new ArrayList<>();
    if (!inventory.requested().isEmpty()) {
      waits.ifPresent(other::add);
    }
    int previous = sum(inventory.count(State.PREVIOUS));
    if (previous > 0) {
      other.add(new PreviousWorkersAwaited(previous));
    }
    int leaving = sum(inventory.count(State.LEAVING));
    if (leaving > 0 && isHeldUp()) {
      other.add(new WorkersEnding(leaving, settings.driver(), settings.release()));
    }
    if (failures.any() && (!asked.isEmpty() || previous > 0 || !missing().isEmpty())) {
      other.add(failures.reason(now));
    }
    return new WorkerPoolStatus(asked, other);
  }

  private static int sum(Map<WorkerSpec, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  private WorkersRequested asked(WorkerSpec spec, int count, int starting) {
    return new WorkersRequested(settings.driver(), count, size(spec), starting);
  }

  private Optional<ResourceProfile> size(WorkerSpec spec) {
    return spec.equals(settings.usual()) ? Optional.empty() : Optional.of(spec.total());
  }

  private void found(WorkerId worker, WorkerSpec spec, long now) {
    long deadline = now + settings.recovery().toNanos();
    inventory.put(new PoolWorker(worker, spec, State.PREVIOUS, now, deadline));
    note(new WorkerFound(), worker);
  }

  private void started(Started event, long now) {
    Optional<WorkerSpec> spec = inventory.answered(event.request());
    PoolWorker member =
        new PoolWorker(
            event.worker(),
            spec.orElse(settings.usual()),
            State.STARTING,
            event.request(),
            now + settings.registration().toNanos());
    if (spec.isPresent()) {
      inventory.put(member);
      note(new WorkerStarted(), event.worker());
    } else {
      // Cancelled while the driver was at it, or one more than was asked for.
      release(member, new WorkerNotNeeded());
    }
  }

  private void registered(PoolWorker member, WorkerSpec spec) {
    if (member.state() == State.STARTING) {
      failures.workerCame();
    }
    if (member.state() == State.STARTING || member.state() == State.PREVIOUS) {
      inventory.put(member.registered(spec));
      unsettled |= !spec.equals(member.spec());
    }
  }

  private void ended(Ended event, long now) {
    Optional<PoolWorker> known = inventory.member(event.worker());
    if (known.isEmpty() || known.get().state() == State.GONE) {
      return;
    }
    inventory.remove(known.get());
    note(new WorkerEnded(event.reason()), event.worker());
    switch (known.get().state()) {
      case STARTING ->
          failed(
              new EndedBeforeRegistration(event.worker(), event.reason()),
              Optional.of(event.worker()),
              now);
      case REGISTERED -> {
        inventory.put(known.get().gone());
        actions.add(new Lost(event.worker(), event.reason()));
      }
      // Its node may be lost, and then nobody has ended its process.
      case LEAVING -> actions.add(new Lost(event.worker(), event.reason()));
      case PREVIOUS, GONE -> {}
    }
  }

  private void dismissed(PoolWorker member, Reason reason) {
    switch (member.state()) {
      case STARTING, PREVIOUS, REGISTERED -> release(member, reason);
      case GONE -> inventory.remove(member);
      case LEAVING -> {}
    }
  }

  /** Ends what has not registered in time, and forgets what should be gone by now. */
  private void giveUpLate(long now) {
    for (PoolWorker member : inventory.due(now)) {
      if (member.state() == State.LEAVING) {
        takeForGone(member);
        continue;
      }
      boolean starting = member.state() == State.STARTING;
      Duration limit = starting ? settings.registration() : settings.recovery();
      Reason reason =
          new RegistrationTimeout(
              member.id(),
              limit,
              (starting
                      ? ResourceManagerOptions.TASK_MANAGER_REGISTRATION_TIMEOUT
                      : ResourceManagerOptions.PREVIOUS_WORKER_RECOVERY_TIMEOUT)
                  .key());
      release(member, reason);
      if (starting) {
        failed(reason, Optional.of(member.id()), now);
      }
    }
  }

  private void takeForGone(PoolWorker member) {
    inventory.remove(member);
    actions.add(new Lost(member.id(), new WorkerReason.ReleaseTimeout(settings.release())));
    actions.add(
        new Note(
            new WorkerAssumedGone(member.id(), settings.release(), settings.driver()),
            Optional.of(member.id()),
            true));
  }

  private void failed(Reason reason, Optional<WorkerId> worker, long now) {
    boolean paused = failures.isPaused(now);
    failures.add(reason, now);
    actions.add(new Note(new WorkerStartFailed(reason), worker));
    if (!paused && failures.isPaused(now)) {
      actions.add(new Note(new WorkerStartsPaused(failures.reason(now)), Optional.empty()));
    }
  }

  /** Requests that are too many of their spec go before workers, the youngest first. */
  private void takeBack() {
    for (Map.Entry<WorkerSpec, Integer> there : inventory.present().entrySet()) {
      WorkerSpec spec = there.getKey();
      int over = there.getValue() - wanted.getOrDefault(spec, 0);
      for (; over > 0; over--) {
        Optional<Long> request = inventory.cancelLast(spec);
        Optional<PoolWorker> starting = inventory.lastStarting(spec);
        if (request.isPresent()) {
          actions.add(new Cancel(request.get()));
          actions.add(
              new Note(new WorkerRequestCancelled(new WorkerNotNeeded()), Optional.empty()));
        } else if (starting.isPresent()) {
          release(starting.get(), new WorkerNotNeeded());
        } else {
          break;
        }
      }
    }
  }

  private void ask(long now) {
    if (!failures.mayStart(now)) {
      return;
    }
    askable()
        .forEach(
            (spec, count) -> {
              for (int i = 0; i < count; i++) {
                long request = ++requests;
                inventory.request(request, spec);
                actions.add(new Request(request, spec));
              }
              actions.add(
                  new Note(
                      new ResourceManagerEvent.WorkersRequested(
                          settings.driver(), count, size(spec)),
                      Optional.empty()));
            });
  }

  /** What is missing of each spec. */
  private Map<WorkerSpec, Integer> missing() {
    Map<WorkerSpec, Integer> missing = new TreeMap<>();
    Map<WorkerSpec, Integer> present = inventory.present();
    wanted.forEach(
        (spec, count) -> {
          int more = count - present.getOrDefault(spec, 0);
          if (more > 0) {
            missing.put(spec, more);
          }
        });
    return missing;
  }

  /** As many of these as there is room for beside all that are not gone yet. */
  private Map<WorkerSpec, Integer> askable() {
    Map<WorkerSpec, Integer> askable = new TreeMap<>();
    Map<WorkerSpec, Integer> missing = missing();
    if (!missing.isEmpty()) {
      WorkerTotals there =
          WorkerTotals.NOBODY.plus(inventory.present()).plus(inventory.count(State.LEAVING));
      for (Map.Entry<WorkerSpec, Integer> entry : missing.entrySet()) {
        int count = Math.min(entry.getValue(), limits.room(there, entry.getKey()));
        if (count > 0) {
          askable.put(entry.getKey(), count);
          there = there.plus(entry.getKey(), count);
        }
      }
    }
    return askable;
  }

  private boolean isHeldUp() {
    return !missing().equals(askable());
  }

  private void release(PoolWorker member, Reason reason) {
    inventory.put(member.leaving(lookedAt + settings.release().toNanos()));
    actions.add(new Release(member.id(), reason));
    note(new ResourceManagerEvent.WorkerReleased(reason), member.id());
  }

  private void note(ResourceManagerEvent event, WorkerId worker) {
    actions.add(new Note(event, Optional.of(worker)));
  }
}
