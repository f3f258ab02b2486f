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
 * Starts, watches and ends the processes of workers, from its start to its stop. All but the set of
 * open requests and whether the machine is blocked is touched inside its loop only.
 */
public final class ProcessSupervisor {
  /** The kinds of {@link DriverReason} of workers that are processes. */
  private static final String MACHINE_BLOCKED = "process.machine-blocked";

  private static final String PROCESS_NOT_STARTED = "process.not-started";
  private static final String PROCESS_ENDED = "process.ended";

  private static final Logger LOG = LoggerFactory.getLogger(ProcessSupervisor.class);

  /** How often those are looked after whose end is not told. */
  private static final Duration LOOK_AFTER_FOUND = Duration.ofMillis(200);

  /** Of how many workers that failed the logs are kept: where starting fails all say the same. */
  private static final int KEPT_FAILURES = 10;

  private final ProcessHost host;
  private final SupervisorLoop loop;
  private final Supplier<WorkerId> names;
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
   * How long a process that is told to end may take before it is killed.
   *
   * @param release where the cluster goes on
   * @param stop where it ends and somebody waits
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
   * @param names of workers; no two are the same, whoever supervised before
   */
  public ProcessSupervisor(
      ProcessHost host,
      SupervisorLoop loop,
      Supplier<WorkerId> names,
      Patience patience,
      WorkerEvents events) {
    this.host = host;
    this.loop = loop;
    this.names = names;
    this.patience = patience;
    this.events = events;
  }

  /** Finds the workers of earlier attempts and removes what dead ones left. */
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
          "The workers of earlier attempts cannot be looked for in " + host + ": " + e,
          e);
    }
    lookAfterFound();
    return previous;
  }

  /** Goes on as long as there are any. */
  private void lookAfterFound() {
    if (running.values().stream().allMatch(one -> one.process.tellsItsExit())) {
      return;
    }
    loop.schedule(
        LOOK_AFTER_FOUND,
        guarded(
            () -> {
              lookAfterFound();
              endThoseThatAreGone();
            }));
  }

  private void endThoseThatAreGone() {
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
    loop.execute(guarded(() -> begin(request, spec)));
  }

  public void cancel(long request) {
    requested.remove(request);
  }

  public void block(boolean now) {
    blocked = now;
  }

  /** A request ends before it begins, or it is answered. */
  private void begin(long request, WorkerSpec spec) {
    if (stopping || !requested.remove(request)) {
      return;
    }
    if (blocked) {
      events.failed(
          request,
          new DriverReason(
              MACHINE_BLOCKED,
              "This machine is blocked, and workers are started on no other one."));
      return;
    }
    WorkerId id = names.get();
    Prepared prepared;
    try {
      prepared = host.prepare(id, spec);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Worker {} cannot be started: {}", id, Failure.sentence(e));
      LOG.debug("Where it was noticed", e);
      removeFiles(id);
      events.failed(request, new ErrorReason(Failure.sentence(e)));
      return;
    }
    // From here on it may register at any moment, and has to be known by then.
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
    Running gone = running.remove(id);
    if (gone == null) {
      return;
    }
    String how;
    try {
      how = host.describeExit(id, code);
    } catch (IOException e) {
      LOG.warn("What worker {} wrote last cannot be read", id, e);
      how = "its process is gone";
    }
    Reason reason =
        gone.released.<Reason>map(WorkerReleased::new).orElse(new DriverReason(PROCESS_ENDED, how));
    LOG.info("Worker {} ended: {}", id, ReasonText.of(reason));
    if (removing || !stopping) {
      removeFiles(id);
    }
    if (gone.released.isEmpty() && host.isFailure(code)) {
      keepNewest(id);
    }
    if (!stopping) {
      events.ended(id, reason);
    } else {
      finishStop();
    }
  }

  /** A loop would keep to itself what goes wrong. */
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
      LOG.warn("Files of worker {} are left behind", id, e);
    }
  }

  private void keepNewest(WorkerId failed) {
    failures.add(failed);
    if (failures.size() > KEPT_FAILURES) {
      WorkerId oldest = failures.remove();
      try {
        host.removeLogs(oldest);
      } catch (IOException e) {
        LOG.warn("The logs of worker {} are left behind", oldest, e);
      }
    }
  }

  public void release(WorkerId worker, Reason reason) {
    loop.execute(
        guarded(
            () -> {
              Running one = running.get(worker);
              if (one != null && one.released.isEmpty()) {
                LOG.info("Releasing worker {}: {}", worker, ReasonText.of(reason));
                one.released = Optional.of(reason);
                end(worker, one, patience.release());
              }
            }));
  }

  private void end(WorkerId id, Running one, Duration bound) {
    one.process.terminate();
    loop.schedule(
        bound,
        guarded(
            () -> {
              if (running.get(id) == one) {
                LOG.warn("Worker {} did not end within {}: killing it", id, bound);
                one.process.kill();
              }
            }));
  }

  /**
   * @param forGood whether the workers end, too; else whoever supervises next finds them
   */
  public CompletableFuture<Void> stop(boolean forGood) {
    requested.clear();
    loop.execute(
        guarded(
            () -> {
              stopping = true;
              removing = forGood;
              if (forGood) {
                running.forEach((id, one) -> end(id, one, patience.stop()));
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
      LOG.warn("Files of workers are left behind in {}", host, e);
    }
    host.release();
    loop.close();
    stopped.complete(null);
  }
}
