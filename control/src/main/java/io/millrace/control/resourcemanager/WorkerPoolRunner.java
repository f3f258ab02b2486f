package io.millrace.control.resourcemanager;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerDriver;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.slotmanager.SlotEvent.WorkerDraining;
import io.millrace.control.workerpool.WorkerPool;
import io.millrace.control.workerpool.WorkerPoolAction;
import io.millrace.control.workerpool.WorkerPoolEvent;
import io.millrace.control.workerpool.WorkerPoolSettings;
import io.millrace.control.workerpool.WorkerPoolStatus;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.decision.DeciderRunner;
import io.millrace.rpc.journal.JournalEntry;
import java.time.Duration;
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
 * Performs the actions of the {@link WorkerPool} at the driver and passes the events of the driver
 * to the pool. A standalone cluster has no pool. Lives in the mailbox of the ResourceManager.
 */
final class WorkerPoolRunner {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerPoolRunner.class);

  private final ResourceManagerContext context;
  private final WorkerDriver driver;
  private final Listener listener;
  private Optional<WorkerPool> pool = Optional.empty();
  private Optional<DeciderRunner<WorkerPoolEvent, WorkerPoolAction>> decisions = Optional.empty();

  /** Events of the driver before {@link #driverStarted}. */
  private final Deque<Runnable> earlyEvents = new ArrayDeque<>();

  private boolean driverStarted;
  private WorkerPoolStatus status = WorkerPoolStatus.EMPTY;

  /**
   * Callbacks to the ResourceManager, in its mailbox.
   *
   * @param released called when a worker is released, registered or not
   * @param ended called when a worker has ended according to the driver
   * @param draining called when a worker is going to be taken away
   * @param unreliable called when workers fail on a node
   * @param status called when the status of the pool changes
   * @param broken called if the driver cannot continue
   */
  record Listener(
      BiConsumer<WorkerId, Reason> released,
      BiConsumer<WorkerId, Reason> ended,
      Consumer<WorkerDraining> draining,
      Consumer<Block> unreliable,
      Consumer<WorkerPoolStatus> status,
      Consumer<Throwable> broken) {}

  WorkerPoolRunner(ResourceManagerContext context, WorkerDriver driver, Listener listener) {
    this.context = context;
    this.driver = driver;
    this.listener = listener;
  }

  /** Starts the driver and returns its capabilities. */
  CompletableFuture<DriverCapabilities> start() {
    return driver.start(new MailboxWorkerEvents());
  }

  /** Creates the pool if the driver starts workers, and applies the events so far. */
  void driverStarted(DriverCapabilities capabilities) {
    driverStarted = true;
    if (capabilities.startable().isPresent()) {
      Startable startable = capabilities.startable().get();
      WorkerPool created =
          new WorkerPool(WorkerPoolSettings.from(context.configuration(), startable));
      pool = Optional.of(created);
      decisions =
          Optional.of(
              new DeciderRunner<>(
                  context.env(),
                  context.mailbox(),
                  created,
                  new WorkerPoolEvent.Tick(),
                  actions -> actions.forEach(this::perform),
                  () -> reportStatus(created)));
      Map<WorkerId, WorkerSpec> previous = new TreeMap<>();
      capabilities
          .previous()
          .forEach(worker -> previous.put(worker.worker(), worker.spec().orElse(startable.spec())));
      apply(new WorkerPoolEvent.Found(previous));
      earlyEvents.forEach(Runnable::run);
    }
    earlyEvents.clear();
  }

  boolean startsWorkers() {
    return pool.isPresent();
  }

  /** Whether the worker may register. A standalone cluster accepts all workers. */
  boolean accepts(WorkerId worker) {
    return pool.map(active -> active.knows(worker)).orElse(true);
  }

  void apply(WorkerPoolEvent event) {
    context.mailbox().checkInside();
    decisions.ifPresent(runner -> runner.apply(event));
  }

  private void reportStatus(WorkerPool active) {
    WorkerPoolStatus current = active.status(context.env().nanos());
    if (!current.equals(status)) {
      status = current;
      listener.status().accept(current);
    }
  }

  CompletableFuture<Void> stop(DriverTermination termination) {
    decisions.ifPresent(DeciderRunner::stop);
    return driver.stop(termination);
  }

  private void perform(WorkerPoolAction action) {
    if (action instanceof WorkerPoolAction.Request request) {
      driver.request(request.request(), request.spec());
    } else if (action instanceof WorkerPoolAction.Cancel cancel) {
      driver.cancel(cancel.request());
    } else if (action instanceof WorkerPoolAction.Release release) {
      driver.release(release.worker(), release.reason());
      // The worker may have registered in the meantime. Its slots must not be used.
      listener.released().accept(release.worker(), release.reason());
    } else if (action instanceof WorkerPoolAction.Lost lost) {
      listener.ended().accept(lost.worker(), lost.reason());
    } else if (action instanceof WorkerPoolAction.RecordEvent event) {
      LOG.atLevel(event.warning() ? Level.WARN : Level.INFO)
          .log(
              "{}{}: {}",
              JournalText.title(event.event()),
              event.worker().map(worker -> " " + worker).orElse(""),
              JournalText.of(event.event()));
      JournalEntry entry = event.event().entry();
      context.journal().accept(event.worker().map(entry::onWorker).orElse(entry));
    } else {
      throw new IllegalArgumentException("Unknown action " + action);
    }
  }

  /** Posts the events of the driver to the mailbox. */
  private final class MailboxWorkerEvents implements WorkerEvents {
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
      post(new WorkerPoolEvent.StartsDelayed(reason));
    }

    @Override
    public void draining(WorkerId worker, Reason reason, Duration within) {
      long until = context.env().nanos() + within.toNanos();
      post(() -> listener.draining().accept(new WorkerDraining(worker, reason, until)));
    }

    @Override
    public void unreliable(String node, Reason reason, Duration time) {
      post(() -> listener.unreliable().accept(new Block(node, time, ReasonText.of(reason))));
    }

    @Override
    public void broken(Throwable cause) {
      context.mailbox().post(() -> listener.broken().accept(cause));
    }

    private void post(WorkerPoolEvent event) {
      post(() -> apply(event));
    }

    private void post(Runnable event) {
      context
          .mailbox()
          .post(
              () -> {
                if (driverStarted) {
                  event.run();
                } else {
                  earlyEvents.add(event);
                }
              });
    }
  }
}
