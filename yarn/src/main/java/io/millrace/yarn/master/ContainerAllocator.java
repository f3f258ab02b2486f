package io.millrace.yarn.master;

import io.millrace.control.driver.DriverTermination;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.PeerReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.decision.Decider;
import io.millrace.yarn.launch.ContainerExitReason;
import io.millrace.yarn.launch.ContainerRole;
import io.millrace.yarn.master.AllocatorAction.AddRequest;
import io.millrace.yarn.master.AllocatorAction.Close;
import io.millrace.yarn.master.AllocatorAction.DiscardLaunch;
import io.millrace.yarn.master.AllocatorAction.PrepareLaunch;
import io.millrace.yarn.master.AllocatorAction.RemoveRequest;
import io.millrace.yarn.master.AllocatorAction.ReportBroken;
import io.millrace.yarn.master.AllocatorAction.ReportEnded;
import io.millrace.yarn.master.AllocatorAction.ReportFailed;
import io.millrace.yarn.master.AllocatorAction.ReportStarted;
import io.millrace.yarn.master.AllocatorAction.ReportUnreliable;
import io.millrace.yarn.master.AllocatorAction.ReturnContainer;
import io.millrace.yarn.master.AllocatorAction.SendHeartbeat;
import io.millrace.yarn.master.AllocatorAction.StartContainer;
import io.millrace.yarn.master.AllocatorAction.StopContainer;
import io.millrace.yarn.master.AllocatorAction.Unregister;
import io.millrace.yarn.master.AllocatorAction.UpdateBlockedNodes;
import io.millrace.yarn.master.AllocatorEvent.AllocatedContainer;
import io.millrace.yarn.master.AllocatorEvent.AttemptSuperseded;
import io.millrace.yarn.master.AllocatorEvent.CompletedContainer;
import io.millrace.yarn.master.AllocatorEvent.ContainerAnswered;
import io.millrace.yarn.master.AllocatorEvent.HeartbeatAnswered;
import io.millrace.yarn.master.AllocatorEvent.LaunchFailed;
import io.millrace.yarn.master.AllocatorEvent.LaunchPrepared;
import io.millrace.yarn.master.AllocatorEvent.NodesBlocked;
import io.millrace.yarn.master.AllocatorEvent.NodesChanged;
import io.millrace.yarn.master.AllocatorEvent.Registered;
import io.millrace.yarn.master.AllocatorEvent.RemovalsAnnounced;
import io.millrace.yarn.master.AllocatorEvent.RequestCancelled;
import io.millrace.yarn.master.AllocatorEvent.RequestRejected;
import io.millrace.yarn.master.AllocatorEvent.RequestsRefused;
import io.millrace.yarn.master.AllocatorEvent.ResourceManagerLost;
import io.millrace.yarn.master.AllocatorEvent.StatusAnswered;
import io.millrace.yarn.master.AllocatorEvent.StopRequested;
import io.millrace.yarn.master.AllocatorEvent.Tick;
import io.millrace.yarn.master.AllocatorEvent.Unregistered;
import io.millrace.yarn.master.AllocatorEvent.WorkerReleased;
import io.millrace.yarn.master.AllocatorEvent.WorkerRequested;
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.ContainerExitStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The decisions of a {@link YarnDriver}, from its registration at YARN to its stop: which container
 * serves which request, which containers are given back, what an end means, when to heartbeat, and
 * what the ResourceManager of this cluster is told.
 *
 * <p>Plain and single-threaded: {@link #apply} takes an event and the time and returns actions. It
 * calls neither YARN nor a clock, so that tests run it on virtual time.
 */
final class ContainerAllocator implements Decider<AllocatorEvent, AllocatorAction> {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerAllocator.class);

  /**
   * For this time after a start heartbeats are fast: a process that cannot start ends within it,
   * and no other component notices soon.
   */
  static final Duration START_PERIOD = Duration.ofSeconds(10);

  /**
   * After a new request, heartbeats begin with this part of the interval: a scheduler with free
   * nodes allocates at once or with the next heartbeat of a node, and tells it with the answer to
   * the next heartbeat.
   */
  static final int FIRST_HEARTBEATS = 5;

  /** The interval grows with the time since the request, of which it is this part. */
  static final int FIRST_HEARTBEATS_SHARE = 4;

  /** How long unregistration waits for a heartbeat that is under way: it needs the rest itself. */
  static final Duration HEARTBEAT_GRACE = Duration.ofMillis(200);

  /**
   * The bound of a stop. YARN's library retries for many minutes. Shorter than the time that a
   * process waits for a service that stops.
   */
  static final Duration STOP_TIMEOUT = Duration.ofSeconds(4);

  private static final long NEVER = Long.MAX_VALUE;

  /**
   *
   *
   * <pre>
   * SERVING       -> UNREGISTERING  the application is over, and no heartbeat is under way
   * SERVING       -> STOPPING       the application is over, and a heartbeat is under way
   * SERVING       -> CLOSED         only this attempt is over
   * STOPPING      -> UNREGISTERING  the heartbeat is answered, or after HEARTBEAT_GRACE
   * UNREGISTERING -> CLOSED         YARN has answered, or after STOP_TIMEOUT
   * </pre>
   */
  private enum Phase {
    SERVING,
    STOPPING,
    UNREGISTERING,
    CLOSED
  }

  /** How far the start of a container's process is. */
  private enum LaunchState {
    /** The launch is being prepared. No NodeManager knows of it. */
    PREPARING,
    /** The NodeManager was told to start it. */
    STARTED,
    /** An earlier attempt started it. */
    PREVIOUS
  }

  /** A container with a worker in it. */
  private static final class HeldContainer {
    private final String node;
    private LaunchState state;
    private Optional<Reason> released = Optional.empty();

    HeldContainer(String node, LaunchState state) {
      this.node = node;
      this.state = state;
    }
  }

  private final YarnDriverSettings settings;
  private final ContainerSize largest;
  private final ContainerRequests requests;
  private final PendingContainerReport report;
  private final NodeFailures failures;
  private final AnnouncedRemovals removals = new AnnouncedRemovals();
  private final Map<WorkerId, HeldContainer> held = new TreeMap<>();
  private final LostContainers lost = new LostContainers();
  private final NodeHealth health = new NodeHealth();
  private List<String> blocked = List.of();
  private ContainerSize available = ContainerSize.NONE;
  private Phase phase = Phase.SERVING;

  /** The number of held containers that were released and have not ended. */
  private int releasing;

  private long fastUntil = Long.MIN_VALUE;
  private long requestedAt;
  private boolean fast = true;
  private boolean connected = true;
  private boolean heartbeatUnderWay;
  private long heartbeatSentAt;
  private boolean heartbeatNow;
  private long heartbeatAt = NEVER;
  private long unregisterAt = NEVER;
  private long closeAt = NEVER;
  private Optional<DriverTermination.Over> outcome = Optional.empty();
  private List<AllocatorAction> actions = new ArrayList<>();

  /**
   * @param largest the largest container that YARN allocates
   * @param queue of this application
   */
  ContainerAllocator(YarnDriverSettings settings, ContainerSize largest, String queue) {
    this.settings = settings;
    this.largest = largest;
    this.requests = new ContainerRequests(settings.defaultSpec());
    this.report = new PendingContainerReport(queue, largest);
    this.failures = new NodeFailures(settings.configuration());
  }

  @Override
  public List<AllocatorAction> apply(AllocatorEvent event, long now) {
    actions = new ArrayList<>();
    if (phase == Phase.SERVING) {
      serve(event, now);
    } else {
      stop(event);
    }
    if (phase == Phase.SERVING) {
      checkLost(now);
      actions.addAll(report.check(requests, now));
      heartbeat(now);
      actions.addAll(
          report.checkOutage(
              requests,
              heartbeatUnderWay ? OptionalLong.of(heartbeatSentAt) : OptionalLong.empty(),
              now));
    } else {
      stopIfDue(now);
    }
    return actions;
  }

  private void serve(AllocatorEvent event, long now) {
    if (event instanceof Registered registered) {
      registered.previous().forEach(this::found);
      heartbeatNow = true;
    } else if (event instanceof WorkerRequested request) {
      requested(request, now);
    } else if (event instanceof RequestCancelled cancelled) {
      stopAsking(requests.cancel(cancelled.request()));
    } else if (event instanceof RequestRejected rejected) {
      requests
          .reject(rejected.request())
          .ifPresent(
              request -> actions.add(new ReportFailed(request.request(), rejected.reason())));
    } else if (event instanceof WorkerReleased release) {
      released(release, now);
    } else if (event instanceof ContainerAnswered answer) {
      lost.answered(answer, now).ifPresent(container -> endedAtItsNode(container, now));
    } else if (event instanceof NodesBlocked nodes) {
      blocked(nodes.nodes());
    } else if (event instanceof HeartbeatAnswered answer) {
      available = answer.available();
      new LinkedHashSet<>(answer.allocated()).forEach(container -> allocated(container, now));
      stopAsking(requests.answered());
      List<CompletedContainer> takenBack = health.takeAll();
      answer.completed().forEach(container -> completed(container, now));
      takenBack.forEach(this::takenBack);
      answer.previous().forEach(this::foundLate);
      heartbeatAnswered(now);
    } else if (event instanceof NodesChanged nodes) {
      health.changed(nodes);
    } else if (event instanceof RemovalsAnnounced announcement) {
      announced(announcement);
    } else if (event instanceof RequestsRefused refused) {
      refused(refused.diagnostics());
      heartbeatAnswered(now);
    } else if (event instanceof AttemptSuperseded) {
      broken(
          new MillraceException(
              ErrorKind.EXTERNAL,
              "YARN has ended this attempt of the application or begun another one."));
    } else if (event instanceof ResourceManagerLost lost) {
      broken(
          new MillraceException(
              ErrorKind.EXTERNAL,
              "YARN's ResourceManager is lost: " + Failure.sentence(lost.cause()),
              lost.cause()));
    } else if (event instanceof LaunchPrepared prepared) {
      prepared(prepared.worker());
    } else if (event instanceof LaunchFailed failed) {
      launchFailed(failed, now);
    } else if (event instanceof StatusAnswered answer) {
      StatusAnswered told =
          new StatusAnswered(answer.words().map(words -> words + failures.clause(now)));
      actions.addAll(report.answered(told, requests, available, now));
    } else if (event instanceof StopRequested stop) {
      stop(stop.termination(), now);
    } else if (!(event instanceof Tick || event instanceof Unregistered)) {
      throw new IllegalArgumentException("Unknown event " + event);
    }
  }

  // --- requests and containers

  private void found(WorkerId worker, String node) {
    LOG.info("Found worker {} of an earlier attempt on {}", worker, node);
    held.put(worker, new HeldContainer(node, LaunchState.PREVIOUS));
  }

  private void requested(WorkerRequested requested, long now) {
    Optional<DriverReason> refusal = settings.refusal(requested.spec(), largest);
    if (refusal.isPresent()) {
      actions.add(new ReportFailed(requested.request(), refusal.get()));
      return;
    }
    actions.add(
        new AddRequest(
            requests.add(
                requested.request(),
                requested.spec(),
                settings.size(requested.spec()),
                now,
                requested.wallMillis())));
    requestedAt = now;
  }

  private void stopAsking(List<Long> withdrawn) {
    withdrawn.forEach(request -> actions.add(new RemoveRequest(request)));
  }

  private void allocated(AllocatedContainer container, long now) {
    WorkerId worker = container.worker();
    if (held.containsKey(worker)) {
      return;
    }
    Optional<PendingRequest> served = requests.serve(container.batch(), container.priority());
    if (served.isEmpty()) {
      LOG.info("Container {} serves no request and is given back", worker);
      giveBack(worker);
      return;
    }
    LOG.info("Starting worker {} on {}", worker, container.node());
    // Before the process can register: an unknown worker is rejected for good.
    actions.add(new ReportStarted(served.get().request(), worker));
    held.put(worker, new HeldContainer(container.node(), LaunchState.PREPARING));
    actions.add(new PrepareLaunch(worker, served.get().spec()));
    fastUntil = now + START_PERIOD.toNanos();
  }

  private void prepared(WorkerId worker) {
    HeldContainer container = held.get(worker);
    if (container == null || container.released.isPresent() || health.isAwaited(worker)) {
      actions.add(new DiscardLaunch(worker));
      return;
    }
    container.state = LaunchState.STARTED;
    actions.add(new StartContainer(worker));
  }

  private void launchFailed(LaunchFailed failed, long now) {
    HeldContainer container = held.get(failed.worker());
    if (container == null || health.isAwaited(failed.worker())) {
      return;
    }
    LOG.warn("The container of worker {} was not started", failed.worker(), failed.cause());
    if (container.released.isEmpty() || lost.remove(failed.worker())) {
      giveBack(failed.worker());
      nodeFailed(container, now);
    }
    ended(
        failed.worker(),
        new DriverReason(
            "yarn.container-not-started",
            "Its container could not be started: " + Failure.sentence(failed.cause())),
        false);
  }

  private void released(WorkerReleased release, long now) {
    HeldContainer container = held.get(release.worker());
    if (container == null || container.released.isPresent()) {
      return;
    }
    LOG.info("Releasing worker {}: {}", release.worker(), ReasonText.of(release.reason()));
    container.released = Optional.of(release.reason());
    releasing++;
    if (health.isAwaited(release.worker())) {
      // YARN has taken it back already.
      return;
    }
    if (PeerReason.isUnexplainedLoss(release.reason())
        && container.state != LaunchState.PREPARING) {
      // This attempt has no token for the nodes of earlier ones.
      lost.add(
          release.worker(),
          Optional.of(container.node).filter(node -> container.state != LaunchState.PREVIOUS),
          now);
      heartbeatNow = true;
    } else {
      stop(release.worker());
    }
  }

  private void stop(WorkerId worker) {
    HeldContainer container = held.get(worker);
    if (container.state == LaunchState.STARTED) {
      // The container ends sooner than by the next heartbeats of master and node.
      actions.add(new StopContainer(worker, container.node));
    }
    giveBack(worker);
  }

  private void checkLost(long now) {
    lost.expired(now).forEach(this::stop);
    lost.killed(now).forEach(container -> endedAtItsNode(container, now));
    health.takeExpired(now).forEach(this::takenBack);
    actions.addAll(lost.queries(now));
  }

  /** The NodeManager says it before the ResourceManager does. */
  private void endedAtItsNode(CompletedContainer container, long now) {
    giveBack(container.worker());
    completed(container, now);
  }

  /** Other applications may wait for the container, so YARN is told at once. */
  private void giveBack(WorkerId worker) {
    actions.add(new ReturnContainer(worker));
    heartbeatNow = true;
  }

  private void completed(CompletedContainer container, long now) {
    WorkerId worker = container.worker();
    if (held.containsKey(worker)) {
      // As long as a lost container is not returned, the status is one of YARN.
      boolean returned = held.get(worker).released.isPresent() && !lost.remove(worker);
      int status = container.exitStatus();
      if (!returned && status == ContainerExitStatus.ABORTED) {
        if (health.isKnown(held.get(worker).node)) {
          takenBack(container);
        } else {
          health.await(container, now);
          heartbeatNow = true;
        }
      } else {
        if (!returned && NodeFailures.mayBeFaultOfNode(status)) {
          nodeFailed(held.get(worker), now);
        }
        boolean known =
            returned
                ? !ContainerExitReason.isRelease(status)
                : status != ContainerExitStatus.SUCCESS;
        ended(container, known);
      }
    }
  }

  /** YARN has had the time to say why it took the container back. */
  private void takenBack(CompletedContainer container) {
    WorkerId worker = container.worker();
    if (held.containsKey(worker)) {
      health
          .report(held.get(worker).node)
          .ifPresentOrElse(
              report ->
                  ended(
                      worker,
                      new DriverReason(
                          "yarn.node-unhealthy", ContainerExitReason.ofUnhealthyNode(report)),
                      true),
              () -> ended(container, true));
    }
  }

  private void ended(CompletedContainer container, boolean known) {
    ended(
        container.worker(),
        new DriverReason(
            "yarn.container-ended",
            ContainerExitReason.of(
                ContainerRole.TASK_MANAGER, container.exitStatus(), container.diagnostics())),
        known);
  }

  private void nodeFailed(HeldContainer container, long now) {
    failures
        .failed(container.node, now)
        .ifPresent(
            reason ->
                actions.add(
                    new ReportUnreliable(container.node, reason, failures.exclusionTime())));
  }

  private void announced(RemovalsAnnounced event) {
    failures.clusterNodes(event.clusterNodes());
    held.forEach(
        (worker, container) -> {
          if (container.released.isEmpty()) {
            removals.report(event, worker, container.node).ifPresent(actions::add);
          }
        });
  }

  /**
   * @param known whether the cause is more than a consequence of the release
   */
  private void ended(WorkerId worker, DriverReason cause, boolean known) {
    Optional<Reason> release = held.remove(worker).released;
    lost.remove(worker);
    health.remove(worker);
    removals.ended(worker);
    if (release.isPresent()) {
      releasing--;
    }
    Reason reason =
        known ? cause : release.<Reason>map(WorkerReason.WorkerReleased::new).orElse(cause);
    LOG.info("Worker {} ended: {}", worker, ReasonText.of(reason));
    actions.add(new ReportEnded(worker, reason));
  }

  /**
   * A restarted ResourceManager reports containers when their nodes reconnect. Most are held. The
   * worker in an unknown one would be rejected.
   */
  private void foundLate(WorkerId worker) {
    if (!held.containsKey(worker)) {
      LOG.info("Container {} of an earlier attempt was found too late and is given back", worker);
      giveBack(worker);
    }
  }

  private void refused(String diagnostics) {
    List<PendingRequest> failed = requests.pending();
    stopAsking(requests.cancelAll());
    for (PendingRequest request : failed) {
      actions.add(
          new ReportFailed(
              request.request(),
              new DriverReason(
                  "yarn.container-refused", "YARN refuses the container: " + diagnostics)));
    }
  }

  private void blocked(List<String> nodes) {
    List<String> added = new ArrayList<>(nodes);
    added.removeAll(blocked);
    List<String> removed = new ArrayList<>(blocked);
    removed.removeAll(nodes);
    blocked = List.copyOf(nodes);
    actions.add(new UpdateBlockedNodes(added, removed));
  }

  // --- heartbeats

  private boolean isFast(long now) {
    return !requests.isEmpty() || releasing > 0 || now < fastUntil;
  }

  private void heartbeatAnswered(long now) {
    heartbeatUnderWay = false;
    fast = isFast(now);
    heartbeatAt = now + interval(now);
  }

  private long interval(long now) {
    if (!fast) {
      return settings.heartbeat().toNanos();
    }
    long longest = settings.requestHeartbeat().toNanos();
    if (!requests.awaitFirstContainer()) {
      return longest;
    }
    // The wait for a container becomes longer by at most a fourth.
    return Math.min(
        longest,
        Math.max(longest / FIRST_HEARTBEATS, (now - requestedAt) / FIRST_HEARTBEATS_SHARE));
  }

  private void heartbeat(long now) {
    boolean faster = isFast(now) && !fast;
    fast = isFast(now);
    heartbeatNow |= faster;
    if (connected && !heartbeatUnderWay && (heartbeatNow || now >= heartbeatAt)) {
      heartbeatUnderWay = true;
      heartbeatSentAt = now;
      heartbeatNow = false;
      heartbeatAt = NEVER;
      requests.sent();
      actions.add(new SendHeartbeat());
    }
  }

  private void broken(MillraceException cause) {
    heartbeatUnderWay = false;
    heartbeatAt = NEVER;
    connected = false;
    actions.add(new ReportBroken(cause));
  }

  // --- stop

  private void stop(DriverTermination termination, long now) {
    if (termination instanceof DriverTermination.Over over) {
      outcome = Optional.of(over);
      unregisterAt = heartbeatUnderWay ? now + HEARTBEAT_GRACE.toNanos() : now;
      closeAt = now + STOP_TIMEOUT.toNanos();
      phase = Phase.STOPPING;
    } else {
      close();
    }
  }

  private void stop(AllocatorEvent event) {
    if (event instanceof LaunchPrepared prepared) {
      actions.add(new DiscardLaunch(prepared.worker()));
    } else if (phase == Phase.STOPPING && answersHeartbeat(event)) {
      // A heartbeat after the unregistration could make YARN's library register again.
      unregisterAt = Long.MIN_VALUE;
    } else if (phase == Phase.UNREGISTERING && event instanceof Unregistered) {
      close();
    }
  }

  private static boolean answersHeartbeat(AllocatorEvent event) {
    return event instanceof HeartbeatAnswered
        || event instanceof RequestsRefused
        || event instanceof AttemptSuperseded
        || event instanceof ResourceManagerLost;
  }

  private void stopIfDue(long now) {
    if (phase == Phase.STOPPING && now >= unregisterAt) {
      phase = Phase.UNREGISTERING;
      actions.add(new Unregister(outcome.orElseThrow()));
    } else if (phase == Phase.UNREGISTERING && now >= closeAt) {
      LOG.warn("YARN did not confirm within {} that the application is over", STOP_TIMEOUT);
      close();
    }
  }

  private void close() {
    phase = Phase.CLOSED;
    actions.add(new Close());
  }

  @Override
  public OptionalLong nextWake() {
    long next =
        switch (phase) {
          case SERVING ->
              Math.min(
                  Math.min(heartbeatUnderWay ? NEVER : heartbeatAt, health.dueAt()),
                  Math.min(report.dueAt(), lost.dueAt()));
          case STOPPING -> unregisterAt;
          case UNREGISTERING -> closeAt;
          case CLOSED -> NEVER;
        };
    return next == NEVER ? OptionalLong.empty() : OptionalLong.of(next);
  }
}
