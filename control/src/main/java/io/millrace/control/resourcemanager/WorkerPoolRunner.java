package io.millrace.control.resourcemanager;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.workerpool.WorkerPool;
import io.millrace.control.workerpool.WorkerPoolAction;
import io.millrace.control.workerpool.WorkerPoolEvent;
import io.millrace.control.workerpool.WorkerPoolSettings;
import io.millrace.control.workerpool.WorkerPoolStatus;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.decision.DeciderRunner;
import io.millrace.rpc.journal.JournalEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Does what the {@link WorkerPool} says with the driver, and tells the pool what the driver says.
 * On a cluster whose workers come by themselves there is no pool and nothing to do. Lives in the
 * ResourceManager's mailbox.
 */
final class WorkerPoolRunner {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerPoolRunner.class);

  private final ResourceManagerContext term;
  private final WorkerDriver driver;
  private final Listener listener;
  private Optional<WorkerPool> pool = Optional.empty();
  private Optional<DeciderRunner<WorkerPoolEvent, WorkerPoolAction>> decisions = Optional.empty();

  /** News that the driver had before it was known what it can do. */
  private final Deque<WorkerPoolEvent> early = new ArrayDeque<>();

  private boolean supplied;
  private WorkerPoolStatus status = WorkerPoolStatus.NOTHING;

  /**
   * What the supply tells the ResourceManager, in its mailbox.
   *
   * @param released told which worker has to go, registered or not, and why
   * @param gone told which worker is gone, as the driver says, and why
   * @param status told what is under way or wrong, whenever that changes
   * @param broken told where the driver cannot go on
   */
  record Listener(
      BiConsumer<WorkerId, Reason> released,
      BiConsumer<WorkerId, Reason> gone,
      Consumer<WorkerPoolStatus> status,
      Consumer<Throwable> broken) {}

  WorkerPoolRunner(ResourceManagerContext term, WorkerDriver driver, Listener listener) {
    this.term = term;
    this.driver = driver;
    this.listener = listener;
  }

  /** Starts the driver; done when it is known what it can do. */
  CompletableFuture<DriverCapabilities> start() {
    return driver.start(new Mailed());
  }

  /** Takes up what the driver can do, inside the mailbox. */
  void supplied(DriverCapabilities supply) {
    supplied = true;
    if (supply.startable().isPresent()) {
      Startable usual = supply.startable().get();
      WorkerPool own = new WorkerPool(WorkerPoolSettings.from(term.configuration(), usual));
      pool = Optional.of(own);
      decisions =
          Optional.of(
              new DeciderRunner<>(
                  term.env(),
                  term.mailbox(),
                  own,
                  new WorkerPoolEvent.Tick(),
                  actions -> actions.forEach(this::act),
                  () -> tellStatus(own)));
      Map<WorkerId, WorkerSpec> previous = new TreeMap<>();
      supply.previous().forEach(one -> previous.put(one.worker(), one.spec().orElse(usual.spec())));
      apply(new WorkerPoolEvent.Found(previous));
      early.forEach(this::apply);
    }
    early.clear();
  }

  boolean startsWorkers() {
    return pool.isPresent();
  }

  /** Whether a worker of this name belongs to the cluster; others are turned away for good. */
  boolean recognises(WorkerId worker) {
    return pool.map(own -> own.knows(worker)).orElse(true);
  }

  void apply(WorkerPoolEvent event) {
    term.mailbox().checkInside();
    decisions.ifPresent(own -> own.apply(event));
  }

  private void tellStatus(WorkerPool own) {
    WorkerPoolStatus now = own.status(term.env().nanos());
    if (!now.equals(status)) {
      status = now;
      listener.status().accept(now);
    }
  }

  CompletableFuture<Void> stop(DriverTermination ending) {
    decisions.ifPresent(DeciderRunner::stop);
    return driver.stop(ending);
  }

  private void act(WorkerPoolAction action) {
    if (action instanceof WorkerPoolAction.Request request) {
      driver.request(request.request(), request.spec());
    } else if (action instanceof WorkerPoolAction.Cancel cancel) {
      driver.cancel(cancel.request());
    } else if (action instanceof WorkerPoolAction.Release release) {
      driver.release(release.worker(), release.reason());
      // It may have registered in the meantime and must not bring slots any more.
      listener.released().accept(release.worker(), release.reason());
    } else if (action instanceof WorkerPoolAction.Lost lost) {
      listener.gone().accept(lost.worker(), lost.reason());
    } else if (action instanceof WorkerPoolAction.Note note) {
      LOG.atLevel(note.trouble() ? Level.WARN : Level.INFO)
          .log(
              "{}{}: {}",
              JournalText.title(note.event()),
              note.worker().map(worker -> " " + worker).orElse(""),
              JournalText.of(note.event()));
      JournalEntry entry = note.event().entry();
      term.journal().accept(note.worker().map(entry::onWorker).orElse(entry));
    } else {
      throw new IllegalArgumentException("Unknown action " + action);
    }
  }

  /** Brings the driver's news into the mailbox. */
  private final class Mailed implements WorkerEvents {
    @Override
    public void started(long request, WorkerId worker) {
      post(new WorkerPoolEvent.Started(request, worker));
    }

    @Override
    public void failed(long request, Reason reason) {
      post(new WorkerPoolEvent.StartFailed(request, reason));
    }

    @Override
    public void ended(WorkerId worker, Reason reason) {
      post(new WorkerPoolEvent.Ended(worker, reason));
    }

    @Override
    public void waits(Optional<Reason> reason) {
      post(new WorkerPoolEvent.Waits(reason));
    }

    @Override
    public void broken(Throwable cause) {
      term.mailbox().post(() -> listener.broken().accept(cause));
    }

    private void post(WorkerPoolEvent event) {
      term.mailbox()
          .post(
              () -> {
                if (supplied) {
                  apply(event);
                } else {
                  early.add(event);
                }
              });
    }
  }
}
