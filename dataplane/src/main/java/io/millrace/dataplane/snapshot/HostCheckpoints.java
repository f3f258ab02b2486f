package io.millrace.dataplane.snapshot;

import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The checkpoints that tasks of this process write now. The content of a file is safe only when it
 * is closed, and all tasks of a job share files. Therefore a task that has written to a file is
 * told that its snapshot is stored when all tasks of its job on this host have written theirs, and
 * the files are closed. Any thread may call it.
 */
public final class HostCheckpoints {
  private record Key(JobId job, long checkpoint) {}

  private final FileSystems systems;
  private final Executor io;
  private final LocalStateCopies copies;
  private final Map<JobId, Set<ExecutionId>> tasks = new LinkedHashMap<>();
  private final Map<Key, HostCheckpoint> checkpoints = new LinkedHashMap<>();

  /**
   * Checkpoints that were aborted last: a task that has not heard of it may still write to them.
   */
  private final Set<Key> aborted = new LinkedHashSet<>();

  public HostCheckpoints(FileSystems systems, Executor io, LocalStateCopies copies) {
    this.systems = systems;
    this.io = io;
    this.copies = copies;
  }

  /** The local copies of state files. */
  public LocalStateCopies copies() {
    return copies;
  }

  public FileSystems systems() {
    return systems;
  }

  /** Runs work that may block. */
  public void execute(Runnable work) {
    io.execute(work);
  }

  public synchronized void taskStarted(JobId job, ExecutionId task) {
    tasks.computeIfAbsent(job, id -> new LinkedHashSet<>()).add(task);
  }

  /** No checkpoint waits for a task that has ended. */
  public void taskEnded(JobId job, ExecutionId task) {
    List<HostCheckpoint> open = new ArrayList<>();
    synchronized (this) {
      Set<ExecutionId> live = tasks.getOrDefault(job, new LinkedHashSet<>());
      live.remove(task);
      if (live.isEmpty()) {
        tasks.remove(job);
      }
      checkpoints.forEach(
          (key, checkpoint) -> {
            if (key.job().equals(job)) {
              open.add(checkpoint);
            }
          });
    }
    open.forEach(checkpoint -> checkpoint.leave(task));
  }

  /** The files of a checkpoint on this host; none can be created if it was aborted. */
  public synchronized HostCheckpoint of(JobId job, CheckpointRequest request) {
    Key key = new Key(job, request.checkpoint());
    if (aborted.contains(key)) {
      HostCheckpoint late = new HostCheckpoint(key, request, new LinkedHashSet<>());
      late.discard();
      io.execute(() -> copies.aborted(job, request.checkpoint()));
      return late;
    }
    return checkpoints.computeIfAbsent(
        key,
        unknown ->
            new HostCheckpoint(key, request, tasks.getOrDefault(job, new LinkedHashSet<>())));
  }

  /** Deletes the files of a checkpoint that will not complete. */
  public void aborted(JobId job, long checkpoint) {
    Optional<HostCheckpoint> dropped;
    synchronized (this) {
      Key key = new Key(job, checkpoint);
      dropped = Optional.ofNullable(checkpoints.remove(key));
      aborted.add(key);
      if (aborted.size() > AbortedCheckpoints.LIMIT) {
        aborted.remove(aborted.iterator().next());
      }
    }
    dropped.ifPresent(files -> io.execute(files::discard));
    io.execute(() -> copies.aborted(job, checkpoint));
  }

  /** Deletes local copies that only earlier checkpoints need. */
  public void completed(JobId job, long checkpoint) {
    io.execute(() -> copies.completed(job, checkpoint));
  }

  /** Deletes the local copies of a job that has left this process. */
  public void released(JobId job) {
    io.execute(copies.disable(job));
  }

  private synchronized void remove(Key key, HostCheckpoint checkpoint) {
    checkpoints.remove(key, checkpoint);
  }

  /** The number of checkpoints that are not complete on this host. */
  public synchronized int open() {
    return checkpoints.size();
  }

  /** The part of a checkpoint that the tasks of a job on this host write. */
  public final class HostCheckpoint {
    private record Waiting(Runnable stored, Consumer<IOException> failed) {}

    private final Key key;
    private final CheckpointRequest request;
    private final Optional<LocalStateCopies.CheckpointCopies> copiesOf;
    private final CheckpointFiles files;
    private final Set<ExecutionId> writing;
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean closing;
    private boolean isDiscarded;

    private HostCheckpoint(Key key, CheckpointRequest request, Set<ExecutionId> writing) {
      this.key = key;
      this.request = request;
      this.copiesOf =
          request.type().isSavepoint()
              ? Optional.empty()
              : copies.of(key.job(), request.checkpoint());
      this.files = new CheckpointFiles(systems, request.directory(), copiesOf);
      this.writing = new LinkedHashSet<>(writing);
    }

    FileSystems systems() {
      return systems;
    }

    CheckpointFiles files() {
      return files;
    }

    /** Takes local copies; a savepoint has none. */
    Optional<LocalStateCopies.CheckpointCopies> copies() {
      return copiesOf;
    }

    public CheckpointRequest request() {
      return request;
    }

    /**
     * A task has written its pieces to files.
     *
     * @param stored called when the files are closed
     * @param failed called if they cannot be closed
     */
    public void written(ExecutionId task, Runnable stored, Consumer<IOException> failed) {
      synchronized (this) {
        waiting.add(new Waiting(stored, failed));
      }
      leave(task);
    }

    /** A task writes nothing more. */
    public void leave(ExecutionId task) {
      synchronized (this) {
        writing.remove(task);
        if (!writing.isEmpty() || closing) {
          return;
        }
        closing = true;
      }
      remove(key, this);
      io.execute(this::close);
    }

    private void close() {
      List<Waiting> all;
      synchronized (this) {
        if (isDiscarded) {
          return;
        }
        all = List.copyOf(waiting);
      }
      try {
        files.close();
      } catch (IOException e) {
        all.forEach(task -> task.failed().accept(e));
        return;
      }
      all.forEach(task -> task.stored().run());
    }

    private void discard() {
      synchronized (this) {
        closing = true;
        isDiscarded = true;
      }
      files.discard();
    }
  }
}
