package io.millrace.control.workerpool;

import io.millrace.control.driver.ResourceLimits;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.WorkerTotals;
import io.millrace.control.workerpool.PoolWorker.State;
import io.millrace.control.workerpool.WorkerPoolAction.Cancel;
import io.millrace.control.workerpool.WorkerPoolAction.Lost;
import io.millrace.control.workerpool.WorkerPoolAction.RecordEvent;
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
import io.millrace.control.workerpool.WorkerPoolEvent.StartsDelayed;
import io.millrace.control.workerpool.WorkerPoolEvent.WorkersDeclared;
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
 * Keeps the number of workers of each spec at the declared target. It requests missing workers from
 * the driver, cancels requests and releases starting workers that are not needed any more, and
 * replaces workers that fail. After repeated failures it pauses.
 *
 * <p>A released worker counts against the limits until its process has ended or the release times
 * out, since a driver can fail to report an end. WorkerPool does not decide which registered
 * workers are released; the SlotManager does.
 *
 * <p>Plain and single-threaded: {@link #apply} takes an event and the time and returns the actions,
 * in order.
 */
public final class WorkerPool implements Decider<WorkerPoolEvent, WorkerPoolAction> {
  private final WorkerPoolSettings settings;
  private final StartFailureRate failures;
  private final WorkerInventory inventory = new WorkerInventory();
  private ResourceLimits limits;
  private Map<WorkerSpec, Integer> declared = new TreeMap<>();
  private long lastRequest;
  private Optional<Reason> delay = Optional.empty();
  private long now;

  /**
   * Whether requests have to be compared with the target again although no event may follow: a
   * worker has registered with another spec than the requested one.
   */
  private boolean needsReconciliation;

  private List<WorkerPoolAction> actions = new ArrayList<>();

  public WorkerPool(WorkerPoolSettings settings) {
    this.settings = settings;
    this.limits = settings.limits();
    this.failures = new StartFailureRate(settings);
  }

  @Override
  public List<WorkerPoolAction> apply(WorkerPoolEvent event, long nowNanos) {
    actions = new ArrayList<>();
    now = nowNanos;
    if (event instanceof Found found) {
      found.workers().forEach(this::found);
    } else if (event instanceof WorkersDeclared declaration) {
      declared = new TreeMap<>(declaration.workers());
    } else if (event instanceof Limited limited) {
      limits = limits.withWorkers(limited.workers());
    } else if (event instanceof Started started) {
      started(started);
    } else if (event instanceof StartFailed failed) {
      if (inventory.closeRequest(failed.request()).isPresent()) {
        startFailed(failed.reason(), RecordEvent.of(new WorkerStartFailed(failed.reason())));
      }
    } else if (event instanceof StartsDelayed delayed) {
      delay = delayed.reason();
    } else if (event instanceof Ended ended) {
      ended(ended);
    } else if (event instanceof Registered registered) {
      inventory
          .worker(registered.worker())
          .ifPresent(worker -> registered(worker, registered.spec()));
    } else if (event instanceof RegistrationLost lost) {
      inventory
          .worker(lost.worker())
          .filter(worker -> worker.state() == State.REGISTERED)
          .ifPresent(
              worker ->
                  inventory.put(worker.registrationLost(now + settings.recovery().toNanos())));
    } else if (event instanceof Released released) {
      inventory.worker(released.worker()).ifPresent(worker -> released(worker, released.reason()));
    } else if (!(event instanceof WorkerPoolEvent.Tick)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
    releaseExpired();
    // The SlotManager decides about the slots of a registered worker first: its declaration
    // follows.
    if (!(event instanceof Registered)) {
      needsReconciliation = false;
      cancelSurplus();
      requestMissing();
    }
    return actions;
  }

  /** The latest time for the next {@link WorkerPoolEvent.Tick}. */
  @Override
  public OptionalLong nextWake() {
    long wake = inventory.firstDeadline();
    if (needsReconciliation) {
      wake = Math.min(wake, now);
    }
    if (!requestable().isEmpty()) {
      wake = Math.min(wake, Math.max(failures.nextStart(), now));
    }
    return wake == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(wake);
  }

  /** Whether the worker belongs to this pool and is neither RELEASING nor ENDED. */
  public boolean knows(WorkerId worker) {
    return inventory
        .worker(worker)
        .filter(known -> known.state() != State.RELEASING && known.state() != State.ENDED)
        .isPresent();
  }

  /** Why declared workers are not registered. */
  public WorkerPoolStatus status(long nowNanos) {
    Map<WorkerSpec, Reason> requested = new TreeMap<>();
    Map<WorkerSpec, Integer> starting = inventory.count(State.STARTING);
    Map<WorkerSpec, Integer> pending = new TreeMap<>(inventory.requested());
    starting.forEach((spec, count) -> pending.merge(spec, count, Integer::sum));
    pending.forEach(
        (spec, count) ->
            requested.put(spec, requested(spec, count, starting.getOrDefault(spec, 0))));
    List<Reason> other = new ArrayList<>();
    if (!inventory.requested().isEmpty()) {
      delay.ifPresent(other::add);
    }
    int previous = sum(inventory.count(State.PREVIOUS));
    if (previous > 0) {
      other.add(new PreviousWorkersAwaited(previous));
    }
    int releasing = sum(inventory.count(State.RELEASING));
    if (releasing > 0 && isLimited()) {
      other.add(new WorkersEnding(releasing, settings.driver(), settings.release()));
    }
    if (failures.any() && (!requested.isEmpty() || previous > 0 || !missing().isEmpty())) {
      other.add(failures.reason(nowNanos));
    }
    return new WorkerPoolStatus(requested, other);
  }

  private static int sum(Map<WorkerSpec, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  private WorkersRequested requested(WorkerSpec spec, int count, int starting) {
    return new WorkersRequested(settings.driver(), count, customSize(spec), starting);
  }

  private Optional<ResourceProfile> customSize(WorkerSpec spec) {
    return spec.equals(settings.defaultSpec()) ? Optional.empty() : Optional.of(spec.total());
  }

  private void found(WorkerId worker, WorkerSpec spec) {
    long deadline = now + settings.recovery().toNanos();
    inventory.put(new PoolWorker(worker, spec, State.PREVIOUS, now, deadline));
    record(new WorkerFound(), worker);
  }

  private void started(Started event) {
    Optional<WorkerSpec> spec = inventory.closeRequest(event.request());
    PoolWorker worker =
        new PoolWorker(
            event.worker(),
            spec.orElse(settings.defaultSpec()),
            State.STARTING,
            event.request(),
            now + settings.registration().toNanos());
    if (spec.isPresent()) {
      inventory.put(worker);
      record(new WorkerStarted(), event.worker());
    } else {
      // The request was cancelled while the driver started the worker, or was answered twice.
      release(worker, new WorkerNotNeeded());
    }
  }

  private void registered(PoolWorker worker, WorkerSpec spec) {
    if (worker.state() == State.STARTING) {
      failures.reset();
    }
    if (worker.state() == State.STARTING || worker.state() == State.PREVIOUS) {
      inventory.put(worker.registered(spec));
      needsReconciliation |= !spec.equals(worker.spec());
    }
  }

  private void ended(Ended event) {
    Optional<PoolWorker> worker = inventory.worker(event.worker());
    if (worker.isEmpty() || worker.get().state() == State.ENDED) {
      return;
    }
    inventory.remove(worker.get());
    record(new WorkerEnded(event.reason()), event.worker());
    switch (worker.get().state()) {
      case STARTING ->
          workerFailed(event.worker(), new EndedBeforeRegistration(event.worker(), event.reason()));
      case REGISTERED -> inventory.put(worker.get().ended());
      case PREVIOUS, RELEASING, ENDED -> {}
    }
    // If its node is lost, the driver has not ended the process itself. Each process may have
    // registered by now, also one that has not reported its slots yet.
    actions.add(new Lost(event.worker(), event.reason()));
  }

  private void released(PoolWorker worker, Reason reason) {
    switch (worker.state()) {
      case STARTING, PREVIOUS, REGISTERED -> release(worker, reason);
      case ENDED -> inventory.remove(worker);
      case RELEASING -> {}
    }
  }

  /**
   * Releases workers that have not registered in time; removes those that have not ended in time.
   */
  private void releaseExpired() {
    for (PoolWorker worker : inventory.due(now)) {
      if (worker.state() == State.RELEASING) {
        assumeEnded(worker);
        continue;
      }
      boolean starting = worker.state() == State.STARTING;
      Duration limit = starting ? settings.registration() : settings.recovery();
      Reason reason =
          new RegistrationTimeout(
              worker.id(),
              limit,
              (starting
                      ? ResourceManagerOptions.TASK_MANAGER_REGISTRATION_TIMEOUT
                      : ResourceManagerOptions.PREVIOUS_WORKER_RECOVERY_TIMEOUT)
                  .key());
      release(worker, reason);
      if (starting) {
        workerFailed(worker.id(), reason);
      }
    }
  }

  private void assumeEnded(PoolWorker worker) {
    inventory.remove(worker);
    actions.add(new Lost(worker.id(), new WorkerReason.ReleaseTimeout(settings.release())));
    actions.add(
        RecordEvent.warning(
            new WorkerAssumedGone(worker.id(), settings.release(), settings.driver()),
            worker.id()));
  }

  private void workerFailed(WorkerId worker, Reason reason) {
    startFailed(reason, RecordEvent.of(new WorkerStartFailed(reason), worker));
  }

  private void startFailed(Reason reason, RecordEvent event) {
    boolean paused = failures.isPaused(now);
    failures.add(reason, now);
    actions.add(event);
    if (!paused && failures.isPaused(now)) {
      actions.add(RecordEvent.of(new WorkerStartsPaused(failures.reason(now))));
    }
  }

  /** Cancels requests beyond the target, newest first, and then releases starting workers. */
  private void cancelSurplus() {
    for (Map.Entry<WorkerSpec, Integer> present : inventory.present().entrySet()) {
      WorkerSpec spec = present.getKey();
      int surplus = present.getValue() - declared.getOrDefault(spec, 0);
      for (; surplus > 0; surplus--) {
        Optional<Long> request = inventory.cancelNewest(spec);
        Optional<PoolWorker> starting = inventory.newestStarting(spec);
        if (request.isPresent()) {
          actions.add(new Cancel(request.get()));
          actions.add(RecordEvent.of(new WorkerRequestCancelled(new WorkerNotNeeded())));
        } else if (starting.isPresent()) {
          release(starting.get(), new WorkerNotNeeded());
        } else {
          break;
        }
      }
    }
  }

  private void requestMissing() {
    if (!failures.mayStart(now)) {
      return;
    }
    requestable()
        .forEach(
            (spec, count) -> {
              for (int i = 0; i < count; i++) {
                long request = ++lastRequest;
                inventory.request(request, spec);
                actions.add(new Request(request, spec));
              }
              actions.add(
                  RecordEvent.of(
                      new ResourceManagerEvent.WorkersRequested(
                          settings.driver(), count, customSize(spec))));
            });
  }

  /** The number of workers missing from the target, by spec. */
  private Map<WorkerSpec, Integer> missing() {
    Map<WorkerSpec, Integer> missing = new TreeMap<>();
    Map<WorkerSpec, Integer> present = inventory.present();
    declared.forEach(
        (spec, count) -> {
          int difference = count - present.getOrDefault(spec, 0);
          if (difference > 0) {
            missing.put(spec, difference);
          }
        });
    return missing;
  }

  /** The missing workers that the limits allow beside all workers that have not ended. */
  private Map<WorkerSpec, Integer> requestable() {
    Map<WorkerSpec, Integer> requestable = new TreeMap<>();
    Map<WorkerSpec, Integer> missing = missing();
    if (!missing.isEmpty()) {
      WorkerTotals total =
          WorkerTotals.NONE.plus(inventory.present()).plus(inventory.count(State.RELEASING));
      for (Map.Entry<WorkerSpec, Integer> entry : missing.entrySet()) {
        int count = Math.min(entry.getValue(), limits.room(total, entry.getKey()));
        if (count > 0) {
          requestable.put(entry.getKey(), count);
          total = total.plus(entry.getKey(), count);
        }
      }
    }
    return requestable;
  }

  /** Whether the limits do not allow all missing workers. */
  private boolean isLimited() {
    return !missing().equals(requestable());
  }

  private void release(PoolWorker worker, Reason reason) {
    inventory.put(worker.releasing(now + settings.release().toNanos()));
    actions.add(new Release(worker.id(), reason));
    record(new ResourceManagerEvent.WorkerReleased(reason), worker.id());
  }

  private void record(ResourceManagerEvent event, WorkerId worker) {
    actions.add(RecordEvent.of(event, worker));
  }
}
