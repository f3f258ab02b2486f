package io.millrace.yarn.master;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Previous;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.decision.Decider;
import io.millrace.rpc.decision.DeciderRunner;
import io.millrace.yarn.launch.ResourceTypes;
import io.millrace.yarn.master.AllocatorEvent.AllocatedContainer;
import io.millrace.yarn.master.AllocatorEvent.CompletedContainer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.PreemptionMessage;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException;
import org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs the actions of a {@link ContainerAllocator} and brings the answers of YARN into its
 * mailbox. Lives in a mailbox of its own. Calls that may block go to {@code env.io()}.
 */
final class ContainerAllocatorRunner {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerAllocatorRunner.class);

  /** For a node that is decommissioned without a known end. */
  private static final Duration DECOMMISSIONING_TIME = Duration.ofMinutes(10);

  private final Env env;
  private final YarnMasterClient yarn;
  private final YarnDriverSettings settings;
  private final WorkerLauncher launcher;
  private final WorkerEvents events;
  private final Mailbox mailbox;
  private final Map<Long, ContainerRequest> requests = new HashMap<>();

  /** Containers whose process was not started, with what YARN needs to start it. */
  private final Map<WorkerId, Container> allocated = new HashMap<>();

  private final Map<WorkerId, ContainerLaunchContext> prepared = new HashMap<>();
  private final CompletableFuture<DriverCapabilities> started = new CompletableFuture<>();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();

  /** Events that arrive before the registration. */
  private final Queue<AllocatorEvent> early = new ArrayDeque<>();

  private Optional<DeciderRunner<AllocatorEvent, AllocatorAction>> decisions = Optional.empty();
  private float progress;
  private int clusterNodes;

  ContainerAllocatorRunner(
      Env env,
      YarnMasterClient yarn,
      YarnDriverSettings settings,
      WorkerLauncher launcher,
      WorkerEvents events) {
    this.env = env;
    this.yarn = yarn;
    this.settings = settings;
    this.launcher = launcher;
    this.events = events;
    this.mailbox = env.mailbox("yarn-driver");
  }

  /** Registers at YARN. */
  CompletableFuture<DriverCapabilities> start() {
    mailbox.post(
        () ->
            call(
                () ->
                    yarn.register(
                        settings.address(),
                        (id, cause) -> post(new AllocatorEvent.LaunchFailed(worker(id), cause))),
                (response, failure) -> {
                  if (failure != null) {
                    close(failure);
                  } else {
                    registered(response);
                  }
                }));
    return started;
  }

  private void registered(RegisterApplicationMasterResponse response) {
    ContainerSize largest;
    try {
      ResourceTypes.learn(response.getResourceTypes());
      largest = ContainerSize.of(response.getMaximumResourceCapability());
      LOG.info(
          "Registered at YARN in queue {} as {}; the largest container has {}",
          response.getQueue(),
          settings.address(),
          largest);
      settings.check(largest);
    } catch (MillraceException tooLarge) {
      fail(tooLarge);
      return;
    }
    decisions =
        Optional.of(
            new DeciderRunner<>(
                env,
                mailbox,
                new Guarded(new ContainerAllocator(settings, largest, response.getQueue())),
                new AllocatorEvent.Tick(),
                actions -> guard(() -> actions.forEach(this::perform)),
                () -> {}));
    List<Previous> previous = new ArrayList<>();
    Map<WorkerId, String> nodes = new TreeMap<>();
    for (Container container : response.getContainersFromPreviousAttempts()) {
      previous.add(previous(container));
      nodes.put(worker(container.getId()), container.getNodeId().toString());
    }
    started.complete(new DriverCapabilities(Optional.of(settings.startable(largest)), previous));
    apply(new AllocatorEvent.Registered(nodes));
    while (!early.isEmpty()) {
      apply(early.remove());
    }
    if (!previous.isEmpty()) {
      findDecommissioningNodes();
    }
  }

  /** YARN announces the removal of a node once, possibly to an earlier attempt. */
  private void findDecommissioningNodes() {
    call(
        yarn::decommissioningNodes,
        (nodes, failure) -> {
          if (failure != null) {
            LOG.warn("YARN could not be asked which nodes it decommissions", failure);
          } else if (!nodes.isEmpty()) {
            apply(new AllocatorEvent.RemovalsAnnounced(clusterNodes, draining(nodes), List.of()));
          }
        });
  }

  private Previous previous(Container container) {
    boolean isDefault = container.getPriority().getPriority() == ContainerRequests.DEFAULT_PRIORITY;
    return new Previous(
        worker(container.getId()),
        isDefault ? Optional.of(settings.defaultSpec()) : Optional.empty());
  }

  /** Ends the application, because another attempt would fail with the same cause. */
  private void fail(MillraceException cause) {
    DriverTermination.Over outcome =
        new DriverTermination.Over(ApplicationStatus.FAILED, cause.getMessage());
    CompletableFuture<Void> unregistered = new CompletableFuture<>();
    unregistered.thenRun(() -> close(cause));
    mailbox.after(ContainerAllocator.STOP_TIMEOUT, () -> unregistered.complete(null));
    call(
        () -> {
          yarn.unregister(outcome);
          return true;
        },
        (done, failure) -> unregistered.complete(null));
  }

  private void close(Throwable failure) {
    close(() -> started.completeExceptionally(Failure.unwrap(failure)));
  }

  private void close(Runnable then) {
    decisions.ifPresent(DeciderRunner::stop);
    call(
        () -> {
          yarn.close();
          return true;
        },
        (done, failure) -> {
          if (failure != null) {
            LOG.warn("The connections to YARN could not be closed", failure);
          }
          then.run();
          stopped.complete(null);
          mailbox.close();
        });
  }

  // --- calls of the ResourceManager of this cluster

  void request(long request, WorkerSpec spec) {
    post(new AllocatorEvent.WorkerRequested(request, spec, env.wallMillis()));
  }

  void cancel(long request) {
    post(new AllocatorEvent.RequestCancelled(request));
  }

  void release(WorkerId worker, Reason reason) {
    post(new AllocatorEvent.WorkerReleased(worker, reason));
  }

  void block(List<String> nodes) {
    post(new AllocatorEvent.NodesBlocked(nodes));
  }

  /** Goes with the next heartbeat. */
  void progress(double share) {
    mailbox.post(() -> progress = (float) share);
  }

  CompletableFuture<Void> stop(DriverTermination termination) {
    post(new AllocatorEvent.StopRequested(termination));
    return stopped;
  }

  // --- the mailbox

  private void post(AllocatorEvent event) {
    mailbox.post(() -> apply(event));
  }

  private void apply(AllocatorEvent event) {
    if (decisions.isEmpty()) {
      early.add(event);
      return;
    }
    decisions.get().apply(event);
  }

  /** Runs a call that may block. The outcome is handled in the mailbox. */
  private <T> void call(Callable<T> work, BiConsumer<T, Throwable> then) {
    env.io()
        .call(mailbox, work)
        .whenComplete((value, failure) -> guard(() -> then.accept(value, failure)));
  }

  /** A future would hide an error of its callback, and a mailbox only logs it. */
  private void guard(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | LinkageError e) {
      events.broken(e);
    }
  }

  /** Reports an error of a decision, also of one that a timer causes. */
  private final class Guarded implements Decider<AllocatorEvent, AllocatorAction> {
    private final ContainerAllocator allocator;

    Guarded(ContainerAllocator allocator) {
      this.allocator = allocator;
    }

    @Override
    public List<AllocatorAction> apply(AllocatorEvent event, long nanos) {
      List<AllocatorAction> actions = new ArrayList<>();
      guard(() -> actions.addAll(allocator.apply(event, nanos)));
      return actions;
    }

    @Override
    public OptionalLong nextWake() {
      return allocator.nextWake();
    }
  }

  // --- actions

  private void perform(AllocatorAction action) {
    if (action instanceof AllocatorAction.SendHeartbeat) {
      float share = progress;
      call(
          () -> yarn.allocate(share),
          (response, failure) -> {
            apply(answer(response, failure));
            if (failure == null) {
              removals(response).ifPresent(this::apply);
            }
          });
    } else if (action instanceof AllocatorAction.AddRequest add) {
      addRequest(add.request());
    } else if (action instanceof AllocatorAction.RemoveRequest remove) {
      yarn.removeRequest(requests.remove(remove.request()));
    } else if (action instanceof AllocatorAction.ReturnContainer returned) {
      allocated.remove(returned.worker());
      yarn.returnContainer(container(returned.worker()));
    } else if (action instanceof AllocatorAction.UpdateBlockedNodes nodes) {
      yarn.updateBlockedNodes(nodes.added(), nodes.removed());
    } else if (action instanceof AllocatorAction.QueryStatus) {
      call(
          yarn::query,
          (words, failure) ->
              apply(new AllocatorEvent.StatusAnswered(failure == null ? words : Optional.empty())));
    } else if (action instanceof AllocatorAction.PrepareLaunch launch) {
      prepare(launch.worker(), launch.spec());
    } else if (action instanceof AllocatorAction.StartContainer start) {
      startContainer(start.worker());
    } else if (action instanceof AllocatorAction.DiscardLaunch discard) {
      allocated.remove(discard.worker());
      prepared.remove(discard.worker());
    } else if (action instanceof AllocatorAction.StopContainer stop) {
      yarn.stopContainer(container(stop.worker()), NodeId.fromString(stop.node()));
    } else if (action instanceof AllocatorAction.QueryContainer query) {
      query(query);
    } else if (action instanceof AllocatorAction.Unregister unregister) {
      call(
          () -> {
            yarn.unregister(unregister.outcome());
            return true;
          },
          (done, failure) -> apply(new AllocatorEvent.Unregistered()));
    } else if (action instanceof AllocatorAction.Close) {
      close(() -> {});
    } else {
      report(action);
    }
  }

  private void report(AllocatorAction action) {
    if (action instanceof AllocatorAction.ReportStarted report) {
      events.started(report.request(), report.worker());
    } else if (action instanceof AllocatorAction.ReportFailed report) {
      events.failed(report.request(), report.reason());
    } else if (action instanceof AllocatorAction.ReportEnded report) {
      events.ended(report.worker(), report.reason());
    } else if (action instanceof AllocatorAction.ReportPending report) {
      events.waits(report.reason());
    } else if (action instanceof AllocatorAction.ReportDraining report) {
      events.draining(report.worker(), report.reason(), report.within());
    } else if (action instanceof AllocatorAction.ReportUnreliable report) {
      events.unreliable(
          yarn.nodeName(NodeId.fromString(report.node())), report.reason(), report.time());
    } else if (action instanceof AllocatorAction.ReportBroken report) {
      events.broken(report.cause());
    } else {
      throw new IllegalArgumentException("Unknown action " + action);
    }
  }

  private void addRequest(ContainerRequests.PendingRequest pending) {
    try {
      ContainerRequest request = settings.request(pending);
      yarn.addRequest(request);
      requests.put(pending.request(), request);
    } catch (RuntimeException e) {
      // For example a node label or a resource that YARN's library does not accept.
      apply(new AllocatorEvent.RequestRejected(pending.request(), ErrorReason.of(e)));
    }
  }

  private void prepare(WorkerId worker, WorkerSpec spec) {
    String host = allocated.get(worker).getNodeId().getHost();
    call(
        () -> yarn.prepare(launcher.launch(worker, spec, host)),
        (context, failure) -> {
          if (failure == null) {
            prepared.put(worker, context);
            apply(new AllocatorEvent.LaunchPrepared(worker));
          } else {
            allocated.remove(worker);
            apply(new AllocatorEvent.LaunchFailed(worker, Failure.unwrap(failure)));
          }
        });
  }

  private void query(AllocatorAction.QueryContainer query) {
    WorkerId worker = query.worker();
    call(
        () -> yarn.containerStatus(container(worker), NodeId.fromString(query.node())),
        (status, failure) -> {
          if (failure != null) {
            LOG.info("The end of {} is not known at its node: {}", worker, failure.toString());
          }
          apply(
              new AllocatorEvent.ContainerAnswered(
                  worker,
                  failure == null,
                  Optional.ofNullable(status)
                      .filter(known -> known.getState() == ContainerState.COMPLETE)
                      .map(ContainerAllocatorRunner::completed)));
        });
  }

  private void startContainer(WorkerId worker) {
    try {
      yarn.startContainer(allocated.remove(worker), prepared.remove(worker));
    } catch (RuntimeException e) {
      apply(new AllocatorEvent.LaunchFailed(worker, e));
    }
  }

  // --- answers of YARN

  private AllocatorEvent answer(AllocateResponse response, Throwable failure) {
    if (failure == null) {
      return answer(response);
    }
    Throwable cause = Failure.unwrap(failure);
    if (cause instanceof InvalidResourceRequestException) {
      return new AllocatorEvent.RequestsRefused(String.valueOf(cause.getMessage()));
    } else if (cause instanceof ApplicationAttemptNotFoundException) {
      LOG.info("YARN no longer knows this attempt: {}", cause.getMessage());
      return new AllocatorEvent.AttemptSuperseded();
    }
    return new AllocatorEvent.ResourceManagerLost(cause);
  }

  private AllocatorEvent answer(AllocateResponse response) {
    for (NodeReport node : response.getUpdatedNodes()) {
      LOG.info("Node {} is {}. {}", node.getNodeId(), node.getNodeState(), node.getHealthReport());
    }
    List<AllocatedContainer> added = new ArrayList<>();
    for (Container container : response.getAllocatedContainers()) {
      WorkerId worker = worker(container.getId());
      allocated.put(worker, container);
      added.add(
          new AllocatedContainer(
              worker,
              container.getNodeId().toString(),
              container.getAllocationRequestId(),
              container.getPriority().getPriority()));
    }
    return new AllocatorEvent.HeartbeatAnswered(
        added,
        response.getCompletedContainersStatuses().stream()
            .map(ContainerAllocatorRunner::completed)
            .toList(),
        response.getContainersFromPreviousAttempts().stream()
            .map(container -> worker(container.getId()))
            .toList(),
        response.getAvailableResources() == null
            ? ContainerSize.NONE
            : ContainerSize.of(response.getAvailableResources()));
  }

  private static CompletedContainer completed(ContainerStatus status) {
    return new CompletedContainer(
        worker(status.getContainerId()),
        status.getExitStatus(),
        status.getDiagnostics() == null ? "" : status.getDiagnostics());
  }

  /** What the answer says about nodes and containers that are to go, if that is new. */
  private Optional<AllocatorEvent> removals(AllocateResponse response) {
    Map<String, Duration> draining = draining(response.getUpdatedNodes());
    List<WorkerId> preempted = new ArrayList<>();
    PreemptionMessage message = response.getPreemptionMessage();
    if (message != null) {
      if (message.getStrictContract() != null) {
        message
            .getStrictContract()
            .getContainers()
            .forEach(one -> preempted.add(worker(one.getId())));
      }
      if (message.getContract() != null) {
        message.getContract().getContainers().forEach(one -> preempted.add(worker(one.getId())));
      }
      LOG.warn("YARN is going to pre-empt {} of this application", preempted);
    }
    int nodes = response.getNumClusterNodes();
    boolean isNew = nodes != clusterNodes || !draining.isEmpty() || !preempted.isEmpty();
    clusterNodes = nodes;
    return isNew
        ? Optional.of(new AllocatorEvent.RemovalsAnnounced(nodes, draining, preempted))
        : Optional.empty();
  }

  /** How long workers on nodes that YARN decommissions may stay. */
  private static Map<String, Duration> draining(List<NodeReport> nodes) {
    Map<String, Duration> draining = new TreeMap<>();
    for (NodeReport node : nodes) {
      if (node.getNodeState() == NodeState.DECOMMISSIONING) {
        Duration left =
            node.getDecommissioningTimeout() == null
                ? DECOMMISSIONING_TIME
                // The rest is for the end of the worker.
                : Duration.ofSeconds(node.getDecommissioningTimeout()).multipliedBy(4).dividedBy(5);
        draining.put(node.getNodeId().toString(), left);
      }
    }
    return draining;
  }

  private static WorkerId worker(ContainerId id) {
    return new WorkerId(id.toString());
  }

  private static ContainerId container(WorkerId worker) {
    return ContainerId.fromString(worker.value());
  }
}
