package io.millrace.control.driver.process;

import io.millrace.control.driver.DriverCapabilities.Previous;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessHost.Found;
import io.millrace.control.driver.process.ProcessHost.Prepared;
import io.millrace.control.driver.process.ProcessHost.WorkerProcess;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason.WorkerReleased;
import io.millrace.protocol.text.ReasonText;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts, watches and ends the processes of workers. State is confined to its loop, except {@code
 * requested} and {@code blocked}, which callers change directly.
 */
public final class ProcessSupervisor {
  /** The kinds of {@link DriverReason} of this driver. */
  private static final String MACHINE_BLOCKED = "process.machine-blocked";

  private static final String PROCESS_NOT_STARTED = "process.not-started";
  private static final String PROCESS_ENDED = "process.ended";

  private static final Logger LOG = LoggerFactory.getLogger(ProcessSupervisor.class);

  /** The interval in which processes are polled whose exit is not reported. */
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  /** The number of failed workers whose logs are kept. Repeated failures have similar logs. */
  private static final int KEPT_FAILURE_LOGS = 10;

  private final ProcessHost host;
  private final SupervisorLoop loop;
  private final Supplier<WorkerId> ids;
  private final Patience patience;
  private final WorkerEvents events;
  private final Set<Long> requested = ConcurrentHashMap.newKeySet();
  private final Map<WorkerId, Running> running = new TreeMap<>();
  private final Deque<WorkerId> failures = new ArrayDeque<>();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private volatile boolean blocked;
  private boolean acquired;
  private boolean stopping;
  private boolean removing;

  /**
   * The time between SIGTERM and SIGKILL.
   *
   * @param release for a released worker while the cluster runs
   * @param stop for all workers when the cluster stops; shorter, because a client waits
   */
  public record Patience(Duration release, Duration stop) {
    public Patience {
      Objects.requireNonNull(release);
      Objects.requireNonNull(stop);
    }
  }

  private static final class Running {
    private final WorkerProcess process;
    private Optional<Reason> released = Optional.empty();

    Running(WorkerProcess process) {
      this.process = process;
    }
  }

  /**
   * @param ids creates ids that no worker of this or an earlier supervisor has
   */
  public ProcessSupervisor(
      ProcessHost host,
      SupervisorLoop loop,
      Supplier<WorkerId> ids,
      Patience patience,
      WorkerEvents events) {
    this.host = host;
    this.loop = loop;
    this.ids = ids;
    this.patience = patience;
    this.events = events;
  }

  /** Finds running workers of earlier attempts and removes the files of ended ones. */
  public CompletableFuture<List<Previous>> start() {
    CompletableFuture<List<Previous>> started = new CompletableFuture<>();
    loop.execute(
        () -> {
          try {
            started.complete(find());
          } catch (RuntimeException e) {
            if (acquired) {
              host.release();
            }
            loop.close();
            started.completeExceptionally(e);
          }
        });
    return started;
  }

  private List<Previous> find() {
    host.acquire();
    acquired = true;
    List<Previous> previous = new ArrayList<>();
    try {
      for (Found found : host.find()) {
        running.put(found.worker(), new Running(found.process()));
        previous.add(new Previous(found.worker(), found.spec()));
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Cannot read the workers of earlier attempts in " + host + ": " + e,
          e);
    }
    pollFound();
    return previous;
  }

  /** Repeats itself while a process runs whose exit is not reported. */
  private void pollFound() {
    if (running.values().stream().allMatch(worker -> worker.process.tellsItsExit())) {
      return;
    }
    loop.schedule(
        POLL_INTERVAL,
        guarded(
            () -> {
              pollFound();
              handleEndedFound();
            }));
  }

  private void handleEndedFound() {
    new ArrayList<>(running.entrySet())
        .forEach(
            entry -> {
              WorkerProcess process = entry.getValue().process;
              if (!process.tellsItsExit() && !process.isAlive()) {
                ended(entry.getKey(), OptionalInt.empty());
              }
            });
  }

  public void request(long request, WorkerSpec spec) {
    requested.add(request);
    loop.execute(guarded(() -> startWorker(request, spec)));
  }

  public void cancel(long request) {
    requested.remove(request);
  }

  public void block(boolean isBlocked) {
    blocked = isBlocked;
  }

  /** Answers the request unless it was cancelled before. */
  private void startWorker(long request, WorkerSpec spec) {
    if (stopping || !requested.remove(request)) {
      return;
    }
    if (blocked) {
      events.failed(
          request,
          new DriverReason(
              MACHINE_BLOCKED,
              "This machine is blocked, and the driver starts workers on no other one."));
      return;
    }
    WorkerId id = ids.get();
    Prepared prepared;
    try {
      prepared = host.prepare(id, spec);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Worker {} cannot be started: {}", id, Failure.sentence(e));
      LOG.debug("Stack trace", e);
      removeFiles(id);
      events.failed(request, new ErrorReason(Failure.sentence(e)));
      return;
    }
    // The process can register as soon as it is started, so the ResourceManager must know it.
    events.started(request, id);
    try {
      running.put(
          id,
          new Running(
              prepared.start(
                  code -> loop.execute(guarded(() -> ended(id, OptionalInt.of(code)))))));
    } catch (IOException e) {
      LOG.warn("The process of worker {} cannot be started", id, e);
      removeFiles(id);
      events.ended(
          id,
          new DriverReason(
              PROCESS_NOT_STARTED, "Its process could not be started: " + e.getMessage()));
    }
  }

  private void ended(WorkerId id, OptionalInt code) {
    Running worker = running.remove(id);
    if (worker == null) {
      return;
    }
    String exit;
    try {
      exit = host.describeExit(id, code);
    } catch (IOException e) {
      LOG.warn("The last output of worker {} cannot be read", id, e);
      exit = "its process is gone";
    }
    Reason reason =
        worker
            .released
            .<Reason>map(WorkerReleased::new)
            .orElse(new DriverReason(PROCESS_ENDED, exit));
    LOG.info("Worker {} ended: {}", id, ReasonText.of(reason));
    if (removing || !stopping) {
      removeFiles(id);
    }
    if (worker.released.isEmpty() && host.isFailure(code)) {
      removeOldestFailureLogs(id);
    }
    if (!stopping) {
      events.ended(id, reason);
    } else {
      finishStop();
    }
  }

  /** Reports exceptions, which the loop would drop. */
  private Runnable guarded(Runnable work) {
    return () -> {
      try {
        work.run();
      } catch (RuntimeException e) {
        events.broken(e);
      }
    };
  }

  private void removeFiles(WorkerId id) {
    try {
      host.remove(id);
    } catch (IOException e) {
      LOG.warn("The files of worker {} could not be removed", id, e);
    }
  }

  private void removeOldestFailureLogs(WorkerId failed) {
    failures.add(failed);
    if (failures.size() > KEPT_FAILURE_LOGS) {
      WorkerId oldest = failures.remove();
      try {
        host.removeLogs(oldest);
      } catch (IOException e) {
        LOG.warn("The logs of worker {} could not be removed", oldest, e);
      }
    }
  }

  public void release(WorkerId worker, Reason reason) {
    loop.execute(
        guarded(
            () -> {
              Running known = running.get(worker);
              if (known != null && known.released.isEmpty()) {
                LOG.info("Releasing worker {}: {}", worker, ReasonText.of(reason));
                known.released = Optional.of(reason);
                terminate(worker, known, patience.release());
              }
            }));
  }

  private void terminate(WorkerId id, Running worker, Duration timeout) {
    worker.process.terminate();
    loop.schedule(
        timeout,
        guarded(
            () -> {
              if (running.get(id) == worker) {
                LOG.warn("Worker {} did not end within {} and is killed", id, timeout);
                worker.process.kill();
              }
            }));
  }

  /**
   * @param forGood whether the workers end, too; otherwise the next supervisor finds them
   */
  public CompletableFuture<Void> stop(boolean forGood) {
    requested.clear();
    loop.execute(
        guarded(
            () -> {
              stopping = true;
              removing = forGood;
              if (forGood) {
                running.forEach((id, worker) -> terminate(id, worker, patience.stop()));
              }
              finishStop();
            }));
    return stopped;
  }

  private void finishStop() {
    if (removing && !running.isEmpty()) {
      return;
    }
    try {
      if (removing) {
        host.removeAll();
      }
    } catch (IOException e) {
      LOG.warn("The files of workers in {} could not be removed", host, e);
    }
    host.release();
    loop.close();
    stopped.complete(null);
  }
}
