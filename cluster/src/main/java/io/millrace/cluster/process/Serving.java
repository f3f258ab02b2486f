package io.millrace.cluster.process;

import io.millrace.client.ConfigurationFile;
import io.millrace.control.driver.Supply.Previous;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link ProcessDriver} from its start to its stop. All but the set of open requests and whether
 * this machine is blocked is touched by one thread of its own only.
 */
final class Serving {
  private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

  /** The JDK looks ever less often after a process that it did not start; this is often enough. */
  private static final Duration LOOK_AFTER_FOUND = Duration.ofMillis(200);

  /** Of how many workers that failed the logs are kept: where starting fails all say the same. */
  private static final int KEPT_FAILURES = 10;

  private final WorkerFiles files;
  private final WorkerProgram program;
  private final ProcessDriver.Patience patience;
  private final WorkerEvents events;
  private final ScheduledThreadPoolExecutor thread;
  private final Set<Long> requested = ConcurrentHashMap.newKeySet();
  private final Map<WorkerId, Running> running = new TreeMap<>();
  private final Deque<WorkerId> failures = new ArrayDeque<>();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final String attempt;
  private Optional<DirectoryLock> lock = Optional.empty();
  private volatile boolean blocked;
  private int drawn;
  private boolean stopping;
  private boolean removing;

  /** A worker that runs; a child where this process has started it. */
  private static final class Running {
    private final OsProcess process;
    private final Optional<Process> child;
    private Optional<String> released = Optional.empty();

    Running(OsProcess process, Optional<Process> child) {
      this.process = process;
      this.child = child;
    }

    void terminate() {
      child.ifPresentOrElse(
          Process::destroy, () -> process.handle().ifPresent(ProcessHandle::destroy));
    }

    void kill() {
      child.ifPresentOrElse(
          Process::destroyForcibly,
          () -> process.handle().ifPresent(ProcessHandle::destroyForcibly));
    }
  }

  Serving(
      WorkerFiles files,
      WorkerProgram program,
      ProcessDriver.Patience patience,
      WorkerEvents events) {
    this.files = files;
    this.program = program;
    this.patience = patience;
    this.events = events;
    byte[] random = new byte[4];
    new SecureRandom().nextBytes(random);
    this.attempt = HexFormat.of().formatHex(random);
    this.thread =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread made = new Thread(work, "process-driver");
              made.setDaemon(true);
              return made;
            },
            // The end of a process that comes after our own is nobody's business any more.
            new ThreadPoolExecutor.DiscardPolicy());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Finds the workers of earlier attempts and removes what dead ones left. */
  CompletableFuture<List<Previous>> start() {
    return CompletableFuture.supplyAsync(this::find, thread)
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                lock.ifPresent(DirectoryLock::release);
                thread.shutdown();
              }
            });
  }

  private List<Previous> find() {
    lock = Optional.of(DirectoryLock.take(files.root()));
    try {
      List<Previous> found = new ArrayList<>();
      for (WorkerId id : files.known()) {
        Optional<OsProcess> process = files.process(id);
        if (process.isPresent()) {
          LOG.info("Found worker {} (pid {})", id, process.get().pid());
          files.record(id, process.get());
          running.put(id, new Running(process.get(), Optional.empty()));
          found.add(new Previous(id, files.spec(id)));
        } else {
          files.remove(id);
        }
      }
      thread.scheduleWithFixedDelay(
          guarded(this::lookAfterFound),
          LOOK_AFTER_FOUND.toMillis(),
          LOOK_AFTER_FOUND.toMillis(),
          TimeUnit.MILLISECONDS);
      return found;
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The workers of earlier attempts cannot be looked for in " + files.root() + ": " + e,
          e);
    }
  }

  private void lookAfterFound() {
    new ArrayList<>(running.entrySet())
        .forEach(
            entry -> {
              Running one = entry.getValue();
              if (one.child.isEmpty() && !one.process.isAlive()) {
                ended(entry.getKey(), OptionalInt.empty());
              }
            });
  }

  void request(long request, WorkerSpec spec) {
    requested.add(request);
    thread.execute(guarded(() -> begin(request, spec)));
  }

  void cancel(long request) {
    requested.remove(request);
  }

  void block(boolean now) {
    blocked = now;
  }

  /** A request ends before it begins, or it is answered. */
  private void begin(long request, WorkerSpec spec) {
    if (stopping || !requested.remove(request)) {
      return;
    }
    if (blocked) {
      events.failed(request, "This machine is blocked, and workers are started on no other one.");
      return;
    }
    WorkerId id = new WorkerId(WorkerFiles.PREFIX + attempt + "-" + ++drawn);
    ProcessBuilder builder;
    try {
      builder = prepare(id, spec);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Worker {} cannot be started: {}", id, Failure.sentence(e));
      LOG.debug("Where it was noticed", e);
      removeFiles(id);
      events.failed(request, Failure.sentence(e));
      return;
    }
    // From here on it may register at any moment, and has to be known by then.
    events.started(request, id);
    try {
      Process process = builder.start();
      OsProcess identity = OsProcess.of(process.toHandle());
      running.put(id, new Running(identity, Optional.of(process)));
      process
          .onExit()
          .thenAccept(
              ended -> thread.execute(guarded(() -> ended(id, OptionalInt.of(ended.exitValue())))));
      LOG.info("Started worker {} (pid {})", id, identity.pid());
      files.record(id, identity);
    } catch (IOException e) {
      if (running.containsKey(id)) {
        // It is found by its name among all processes, if that should ever be needed.
        LOG.warn("The pid of worker {} cannot be written", id, e);
        return;
      }
      LOG.warn("The process of worker {} cannot be started", id, e);
      removeFiles(id);
      events.ended(id, "its process could not be started: " + e.getMessage());
    }
  }

  private ProcessBuilder prepare(WorkerId id, WorkerSpec spec) throws IOException {
    WorkerFiles.Place place = files.create(id, spec);
    List<String> command = new ArrayList<>(program.prepare(id, spec, place));
    Path executable = Path.of(command.get(0));
    if (!Files.isExecutable(executable)) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          executable
              + (Files.exists(executable) ? " cannot be executed." : " does not exist.")
              + " It is needed to start workers.");
    }
    command.add(WorkerFiles.mark(id));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(place.work().toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(place.output().toFile()));
    builder.environment().put(ConfigurationFile.DIRECTORY_VARIABLE, place.conf().toString());
    return builder;
  }

  private void ended(WorkerId id, OptionalInt code) {
    Running gone = running.remove(id);
    if (gone == null) {
      return;
    }
    String how;
    try {
      how = Ending.of(code, files.place(id));
    } catch (IOException e) {
      LOG.warn("What worker {} wrote last cannot be read", id, e);
      how = "its process is gone";
    }
    String reason = gone.released.map(why -> "it was released: " + why).orElse(how);
    LOG.info("Worker {} ended: {}", id, reason);
    if (removing || !stopping) {
      removeFiles(id);
    }
    if (gone.released.isEmpty() && Ending.isFailure(code)) {
      keepNewest(id);
    }
    if (!stopping) {
      events.ended(id, reason);
    } else {
      finishStop();
    }
  }

  /** An executor would keep to itself what goes wrong. */
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
      files.remove(id);
    } catch (IOException e) {
      LOG.warn("Files of worker {} are left behind", id, e);
    }
  }

  private void keepNewest(WorkerId failed) {
    failures.add(failed);
    if (failures.size() > KEPT_FAILURES) {
      WorkerId oldest = failures.remove();
      try {
        files.removeLogs(oldest);
      } catch (IOException e) {
        LOG.warn("The logs of worker {} are left behind", oldest, e);
      }
    }
  }

  void release(WorkerId worker, String reason) {
    thread.execute(
        guarded(
            () -> {
              Running one = running.get(worker);
              if (one != null && one.released.isEmpty()) {
                LOG.info("Releasing worker {}: {}", worker, reason);
                one.released = Optional.of(reason);
                end(worker, one, patience.release());
              }
            }));
  }

  private void end(WorkerId id, Running one, Duration bound) {
    one.terminate();
    thread.schedule(
        guarded(
            () -> {
              if (running.get(id) == one) {
                LOG.warn("Worker {} did not end within {}: killing it", id, bound);
                one.kill();
              }
            }),
        bound.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  CompletableFuture<Void> stop(boolean forGood) {
    requested.clear();
    thread.execute(
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
        files.removeAll();
      }
    } catch (IOException e) {
      LOG.warn("Files of workers are left behind in {}", files.root(), e);
    }
    lock.ifPresent(DirectoryLock::release);
    thread.shutdown();
    stopped.complete(null);
  }
}
