package io.millrace.dataplane.task;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.dataplane.exchange.InFlightCapture;
import io.millrace.dataplane.services.DeploymentContext;
import io.millrace.dataplane.snapshot.HostCheckpoints;
import io.millrace.dataplane.snapshot.InFlightSnapshot;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The snapshots of a task on their way to storage. I/O threads write the state of the operators at
 * once, and records in flight when all of them are captured. The task is told of neither: the
 * listener gets the snapshot when both are stored. Belongs to the task's step, except for what I/O
 * threads run.
 */
final class SnapshotWriter {
  /**
   * Bytes of state of operators that a task may put into the message with its snapshot, which is
   * limited to 1 MiB.
   */
  private static final long MAX_INLINE_BYTES = 256 << 10;

  private final Task task;
  private final JobVertex vertex;

  /** Parts of snapshots that are still to be written. */
  private final AtomicInteger parts = new AtomicInteger();

  private final List<Writing> inProgress = new ArrayList<>();

  /** Snapshots whose operators are written and whose state is still protected. */
  private final Queue<Writing> written = new ConcurrentLinkedQueue<>();

  SnapshotWriter(Task task, JobVertex vertex) {
    this.task = task;
    this.vertex = vertex;
  }

  /**
   * What the operators handed over.
   *
   * @param finished whether they have ended, so that there is nothing to hand over
   */
  record Content(boolean finished, List<OperatorSnapshotBuilder> operators) {}

  /**
   * Writes the state of the operators.
   *
   * @param awaitsRecords whether {@link Writing#records} or {@link Writing#cancel} will be called
   */
  Writing start(
      HostCheckpoints.HostCheckpoint to,
      Content content,
      TaskSnapshot.Timing timing,
      boolean awaitsRecords) {
    Writing started = new Writing(to, content, timing, awaitsRecords);
    inProgress.add(started);
    started.execute(
        () -> {
          try {
            started.writeOperators();
          } finally {
            written.add(started);
          }
        });
    return started;
  }

  /** Ends the protection of states that are written. */
  void releaseWritten() {
    Writing done;
    while ((done = written.poll()) != null) {
      done.content.operators().forEach(OperatorSnapshotBuilder::release);
    }
    if (!inProgress.isEmpty()) {
      inProgress.removeIf(Writing::isDone);
    }
  }

  boolean isWriting() {
    return parts.get() > 0;
  }

  void cancel(long checkpoint) {
    inProgress.stream()
        .filter(each -> each.to.request().checkpoint() == checkpoint)
        .forEach(Writing::cancel);
  }

  void cancelAll() {
    inProgress.forEach(Writing::cancel);
  }

  /** Leaves the serialisation of a snapshot that is not needed any more. */
  private static final class SnapshotCancelledException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A part of a snapshot that an I/O thread writes. */
  private interface Part {
    void write() throws IOException;
  }

  /** One snapshot. */
  final class Writing {
    private final HostCheckpoints.HostCheckpoint to;
    private final Content content;
    private final long began = System.nanoTime();
    private final AtomicInteger partsLeft;

    /** Whether the outcome is decided: the snapshot is stored, has failed or is cancelled. */
    private final AtomicBoolean decided = new AtomicBoolean();

    private volatile boolean cancelled;
    private volatile TaskSnapshot.Timing timing;
    private volatile List<OperatorSnapshot> operators = List.of();
    private volatile List<TaskSnapshot.InFlight> inFlight = List.of();

    /** Whether {@link #records} is still to be called. */
    private boolean awaitsRecords;

    private Writing(
        HostCheckpoints.HostCheckpoint to,
        Content content,
        TaskSnapshot.Timing timing,
        boolean awaitsRecords) {
      this.to = to;
      this.content = content;
      this.timing = timing;
      this.awaitsRecords = awaitsRecords;
      this.partsLeft = new AtomicInteger(awaitsRecords ? 2 : 1);
      parts.addAndGet(partsLeft.get());
    }

    /** Writes the records that the barriers overtook. */
    void records(InFlightCapture capture, TaskSnapshot.Timing complete) {
      awaitsRecords = false;
      timing = complete;
      List<InFlightSnapshot> captured = capture.snapshots();
      if (captured.isEmpty()) {
        done();
      } else {
        execute(() -> writeRecords(captured));
      }
    }

    TaskSnapshot.Timing timing() {
      return timing;
    }

    private boolean isDone() {
      return partsLeft.get() == 0;
    }

    /** Gives the snapshot up. */
    void cancel() {
      cancelled = true;
      if (awaitsRecords) {
        awaitsRecords = false;
        done();
      }
    }

    private void execute(Part part) {
      task.deployment().services().checkpoints().execute(() -> run(part));
    }

    private void run(Part part) {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(task.deployment().userClassLoader());
      try {
        part.write();
      } catch (SnapshotCancelledException e) {
        // What is missing is left out when all parts are done.
      } catch (Throwable thrown) {
        if (decided.compareAndSet(false, true)) {
          to.leave(task.execution());
          fail(thrown);
        }
      } finally {
        thread.setContextClassLoader(before);
        done();
      }
    }

    private void writeOperators() throws IOException {
      try {
        writeAll();
      } finally {
        content.operators().forEach(OperatorSnapshotBuilder::writeEnded);
      }
    }

    private void writeAll() throws IOException {
      checkCancelled();
      List<OperatorSnapshot> all = new ArrayList<>();
      for (OperatorSnapshotBuilder snapshot : content.operators()) {
        snapshot.limitInline(MAX_INLINE_BYTES / content.operators().size());
        snapshot
            .write(
                KeyGroupRange.of(vertex.maxParallelism(), vertex.parallelism(), task.subtask()),
                vertex.maxParallelism(),
                task.deployment().stateCodecs().of(snapshot.operator()),
                to,
                this::checkCancelled)
            .ifPresent(all::add);
      }
      operators = all;
    }

    private void writeRecords(List<InFlightSnapshot> captured) throws IOException {
      DeploymentContext deployment = task.deployment();
      List<TaskSnapshot.InFlight> all = new ArrayList<>();
      for (InFlightSnapshot edge : captured) {
        all.add(
            edge.write(
                deployment.codecs(),
                deployment.stateCodecs().ofEdge(edge.edge()),
                to,
                this::checkCancelled));
      }
      inFlight = all;
    }

    private void checkCancelled() {
      if (cancelled) {
        throw new SnapshotCancelledException();
      }
    }

    /** A part is written, or was given up. The last one reports the snapshot. */
    private void done() {
      if (partsLeft.decrementAndGet() == 0 && decided.compareAndSet(false, true)) {
        if (cancelled) {
          to.leave(task.execution());
        } else {
          report();
        }
      }
      parts.decrementAndGet();
      task.wake();
    }

    private void report() {
      TaskSnapshot snapshot =
          new TaskSnapshot(
              task.execution(),
              content.finished(),
              operators,
              inFlight,
              new TaskSnapshot.Timing(
                  timing.startDelay(),
                  timing.alignment(),
                  timing.synchronous(),
                  TaskCheckpoints.millis(System.nanoTime() - began),
                  timing.alignedBytes(),
                  timing.unaligned()));
      boolean hasFiles =
          operators.stream().anyMatch(OperatorSnapshot::hasFiles)
              || inFlight.stream()
                  .anyMatch(records -> records.handle() instanceof StateHandle.FileSegment);
      if (hasFiles) {
        to.written(task.execution(), () -> stored(snapshot), this::fail);
      } else {
        to.leave(task.execution());
        stored(snapshot);
      }
    }

    private void stored(TaskSnapshot snapshot) {
      if (!cancelled) {
        task.deployment().listener().snapshotStored(to.request().checkpoint(), snapshot);
      }
    }

    private void fail(Throwable thrown) {
      if (cancelled) {
        return;
      }
      Failure cause = Failure.of(thrown, ErrorKind.EXTERNAL);
      task.deployment()
          .listener()
          .snapshotDeclined(
              task.execution(),
              to.request().checkpoint(),
              new DeclineCause.SnapshotNotStored(
                  new Failure(
                      cause.kind(),
                      cause.type(),
                      "The state of task "
                          + task.label()
                          + " cannot be written to "
                          + to.request().directory()
                          + ": "
                          + cause.message(),
                      cause.stack())));
    }
  }
}
