package io.millrace.yarn.master;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Previous;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason.WorkerReleased;
import io.millrace.protocol.text.ReasonText;
import io.millrace.yarn.launch.ResourceTypes;
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.NMTokenCache;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link YarnDriver} from its start to its stop. Everything but the start of its threads happens
 * in one of its own.
 */
final class YarnDriverLoop {
  private static final Logger LOG = LoggerFactory.getLogger(YarnDriverLoop.class);

  /** Within this a worker shows that it could not start, and nobody else would tell of it soon. */
  private static final Duration STARTING = Duration.ofSeconds(10);

  /** How often somebody looks whether to ask why containers do not come. */
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  private final ApplicationMasterContext yarn;
  private final YarnDriverSettings settings;
  private final WorkerLauncher program;
  private final WorkerEvents events;
  private final ScheduledThreadPoolExecutor thread;
  private final ContainerRequests requests;
  private final Map<Long, ContainerRequest> asked = new HashMap<>();
  private final Map<WorkerId, HeldContainer> held = new TreeMap<>();
  private final ApplicationUnregistration unregistration;
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private List<String> blocked = List.of();
  private long startedAt = System.nanoTime() - STARTING.toNanos();
  private boolean stopping;

  /** Set in the start, before anything else happens. */
  private AmRmClient link;

  private NodeManagerClient nodes;
  private ContainerSize largest = new ContainerSize(0, 0, Map.of());
  private PendingContainerReporter pendingReporter;

  /** A container with a worker in it. */
  private static final class HeldContainer {
    private final Container container;
    private final boolean startedHere;
    private Optional<Reason> released = Optional.empty();

    HeldContainer(Container container, boolean startedHere) {
      this.container = container;
      this.startedHere = startedHere;
    }
  }

  YarnDriverLoop(
      ApplicationMasterContext yarn,
      YarnDriverSettings settings,
      WorkerLauncher program,
      WorkerEvents events) {
    this.yarn = yarn;
    this.settings = settings;
    this.program = program;
    this.events = events;
    this.requests = new ContainerRequests(settings.usual());
    this.unregistration = new ApplicationUnregistration(yarn);
    this.thread =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread made = new Thread(work, "yarn-driver");
              made.setDaemon(true);
              return made;
            },
            // What comes after the end is nobody's business any more.
            new ThreadPoolExecutor.DiscardPolicy());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  /** Registers at YARN. */
  CompletableFuture<DriverCapabilities> start() {
    return CompletableFuture.supplyAsync(this::register, thread)
        .whenComplete(
            (supply, failure) -> {
              if (failure != null) {
                close();
              }
            });
  }

  private DriverCapabilities register() {
    try {
      return yarn.as(
          () -> {
            NMTokenCache tokens = new NMTokenCache();
            link = new AmRmClient(yarn.hadoop(), tokens, settings.intervals(), new Answers());
            nodes =
                new NodeManagerClient(
                    yarn.hadoop(), tokens, (id, cause) -> post(() -> notStarted(id, cause)));
            return registered(link.register(settings.address()));
          });
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The JobManager could not register at YARN's ResourceManager: "
              + Failure.sentence(Failure.unwrap(e)),
          e);
    }
  }

  private DriverCapabilities registered(RegisterApplicationMasterResponse response) {
    ResourceTypes.learn(response.getResourceTypes());
    largest = ContainerSize.of(response.getMaximumResourceCapability());
    LOG.info(
        "Registered at YARN in queue {} as {}; the largest container has {}",
        response.getQueue(),
        settings.address(),
        largest);
    try {
      settings.check(largest);
    } catch (MillraceException tooLarge) {
      // Another attempt would come to the same end.
      unregistration
          .unregister(
              link, new DriverTermination.Over(ApplicationStatus.FAILED, tooLarge.getMessage()))
          .join();
      throw tooLarge;
    }
    List<Previous> previous = new ArrayList<>();
    for (Container container : response.getContainersFromPreviousAttempts()) {
      WorkerId worker = new WorkerId(container.getId().toString());
      LOG.info("Found worker {} of an earlier attempt on {}", worker, container.getNodeId());
      held.put(worker, new HeldContainer(container, false));
      previous.add(
          new Previous(
              worker,
              container.getPriority().getPriority() == ContainerRequests.USUAL
                  ? Optional.of(settings.usual())
                  : Optional.empty()));
    }
    pendingReporter = new PendingContainerReporter(yarn, response.getQueue(), events::waits);
    thread.scheduleWithFixedDelay(
        guarded(this::explain),
        CHECK_INTERVAL.toMillis(),
        CHECK_INTERVAL.toMillis(),
        TimeUnit.MILLISECONDS);
    link.begin();
    setHeartbeatInterval();
    return new DriverCapabilities(Optional.of(settings.startable(largest)), previous);
  }

  void request(long request, WorkerSpec spec) {
    post(
        () -> {
          Optional<DriverReason> refusal = settings.refusal(spec, largest);
          if (refusal.isPresent()) {
            events.failed(request, refusal.get());
            return;
          }
          PendingRequest added =
              requests.add(request, spec, settings.size(spec), System.currentTimeMillis());
          try {
            ContainerRequest container = settings.request(added);
            asked.put(request, container);
            link.ask(container);
          } catch (RuntimeException e) {
            // Such as a label or a resource that YARN's library does not take.
            requests.cancel(request);
            asked.remove(request);
            events.failed(request, ErrorReason.of(e));
          }
          setHeartbeatInterval();
        });
  }

  void cancel(long request) {
    post(
        () -> {
          if (requests.cancel(request).isPresent()) {
            withdraw(request);
            setHeartbeatInterval();
          }
        });
  }

  private void withdraw(long request) {
    link.withdraw(asked.remove(request));
  }

  void block(List<String> now) {
    post(
        () -> {
          List<String> added = new ArrayList<>(now);
          added.removeAll(blocked);
          List<String> removed = new ArrayList<>(blocked);
          removed.removeAll(now);
          blocked = List.copyOf(now);
          link.block(added, removed);
        });
  }

  void release(WorkerId worker, Reason reason) {
    post(
        () -> {
          HeldContainer one = held.get(worker);
          if (one != null && one.released.isEmpty()) {
            LOG.info("Releasing worker {}: {}", worker, ReasonText.of(reason));
            one.released = Optional.of(reason);
            if (one.startedHere) {
              // Sooner than by the next heartbeats of master and node.
              nodes.stop(one.container.getId(), one.container.getNodeId());
            }
            link.release(one.container.getId());
            setHeartbeatInterval();
          }
        });
  }

  private void setHeartbeatInterval() {
    link.setFast(
        !requests.isEmpty()
            || System.nanoTime() - startedAt < STARTING.toNanos()
            || held.values().stream().anyMatch(one -> one.released.isPresent()));
  }

  private void answered(AllocateResponse response) {
    response.getAllocatedContainers().forEach(this::allocated);
    response.getCompletedContainersStatuses().forEach(this::completed);
    response.getContainersFromPreviousAttempts().forEach(this::releaseUnknown);
    for (NodeReport node : response.getUpdatedNodes()) {
      LOG.info("Node {} is {}. {}", node.getNodeId(), node.getNodeState(), node.getHealthReport());
    }
    if (response.getPreemptionMessage() != null) {
      LOG.warn("YARN wants containers of this application back: it is going to take some");
    }
    setHeartbeatInterval();
  }

  /**
   * A ResourceManager that was started again tells of containers when their nodes come back. Most
   * are known here; a worker in another one would be turned away.
   */
  private void releaseUnknown(Container container) {
    if (!held.containsKey(new WorkerId(container.getId().toString()))) {
      LOG.info("{} of an earlier attempt comes too late and is released", container.getId());
      link.release(container.getId());
    }
  }

  private void allocated(Container container) {
    Optional<PendingRequest> served =
        requests.served(container.getAllocationRequestId(), container.getPriority().getPriority());
    if (served.isEmpty()) {
      LOG.info("{} is one too many and is released", container.getId());
      link.release(container.getId());
      return;
    }
    long request = served.get().request();
    withdraw(request);
    WorkerId worker = new WorkerId(container.getId().toString());
    String host = container.getNodeId().getHost();
    LOG.info("Starting worker {} on {}", worker, container.getNodeId());
    // From here on it may register at any moment, and has to be known by then.
    events.started(request, worker);
    held.put(worker, new HeldContainer(container, true));
    startedAt = System.nanoTime();
    try {
      nodes.start(
          container,
          program.launch(worker, served.get().spec(), host).context(yarn.tokensForWorkers()));
    } catch (RuntimeException e) {
      notStarted(container.getId(), e);
    }
  }

  private void notStarted(ContainerId id, Throwable cause) {
    WorkerId worker = new WorkerId(id.toString());
    HeldContainer one = held.remove(worker);
    if (one != null) {
      LOG.warn("The container of worker {} could not be started", worker, cause);
      link.release(id);
      tellEnd(
          worker,
          one,
          new DriverReason(
              "yarn.container-not-started",
              "Its container could not be started: " + Failure.sentence(cause)));
      setHeartbeatInterval();
    }
  }

  private void completed(ContainerStatus status) {
    WorkerId worker = new WorkerId(status.getContainerId().toString());
    HeldContainer one = held.remove(worker);
    if (one != null) {
      tellEnd(
          worker,
          one,
          new DriverReason(
              "yarn.container-ended",
              ContainerExitReason.reason(status.getExitStatus(), status.getDiagnostics())));
    }
  }

  private void tellEnd(WorkerId worker, HeldContainer one, Reason how) {
    Reason reason = one.released.<Reason>map(WorkerReleased::new).orElse(how);
    LOG.info("Worker {} ended: {}", worker, ReasonText.of(reason));
    events.ended(worker, reason);
  }

  private void refused(String reason) {
    for (PendingRequest one : requests.takeAll()) {
      withdraw(one.request());
      events.failed(
          one.request(),
          new DriverReason("yarn.container-refused", "YARN refuses the container: " + reason));
    }
    setHeartbeatInterval();
  }

  private void explain() {
    pendingReporter.check(requests, largest, link.available());
  }

  CompletableFuture<Void> stop(DriverTermination ending) {
    post(
        () -> {
          stopping = true;
          if (ending instanceof DriverTermination.Over over && link != null) {
            unregistration.unregister(link, over).thenRun(this::close);
          } else {
            close();
          }
        });
    return stopped;
  }

  private void close() {
    if (pendingReporter != null) {
      pendingReporter.close();
    }
    if (nodes != null) {
      nodes.close();
    }
    if (link != null) {
      link.close();
    }
    thread.shutdown();
    stopped.complete(null);
  }

  private void post(Runnable work) {
    thread.execute(guarded(work));
  }

  /** An executor would keep to itself what goes wrong. */
  private Runnable guarded(Runnable work) {
    return () -> {
      if (stopping) {
        return;
      }
      try {
        work.run();
      } catch (RuntimeException e) {
        events.broken(e);
      }
    };
  }

  /** Brings what the ResourceManager says into the driver's thread. */
  private final class Answers implements AmRmClient.Listener {
    @Override
    public void answered(AllocateResponse response) {
      post(() -> YarnDriverLoop.this.answered(response));
    }

    @Override
    public void refused(String reason) {
      post(() -> YarnDriverLoop.this.refused(reason));
    }

    @Override
    public void superseded() {
      post(
          () ->
              events.broken(
                  new MillraceException(
                      ErrorKind.EXTERNAL,
                      "YARN has ended this attempt of the application or begun another one.")));
    }

    @Override
    public void lost(Exception cause) {
      post(
          () ->
              events.broken(
                  new MillraceException(
                      ErrorKind.EXTERNAL,
                      "YARN's ResourceManager is lost: " + Failure.sentence(cause),
                      cause)));
    }
  }
}
