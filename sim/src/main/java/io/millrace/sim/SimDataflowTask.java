package io.millrace.sim;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.sim.SimDataflow.Flaw;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** A simulated task with state: runs, aligns barriers and stores snapshots. */
public final class SimDataflowTask {
  /**
   * A barrier that has arrived on all inputs.
   *
   * @param positions of the records before it
   */
  private record Barrier(CheckpointRequest request, NavigableMap<String, Long> positions) {}

  private final SimDataflow dataflow;
  private final SimDataflowHost host;
  private final JobGraph graph;
  private final JobVertex vertex;
  private final long number;
  private final TaskSpec spec;
  private final Duration longestRun;
  private final TaskListener reports;
  private final SimTaskState state;
  private final SimSplits splits;

  /** Whether several checkpoints are in progress most of the time: many snapshots are slow. */
  private final boolean overlaps;

  private final Map<Long, Map<SimDataflowTask, NavigableMap<String, Long>>> alignments =
      new TreeMap<>();
  private final Set<Long> aborted = new LinkedHashSet<>();

  /** The checkpoints that it has taken and whose outcome it has not heard of. */
  private final Set<Long> undecided = new TreeSet<>();

  /** The checkpoints for which it has stored its snapshot. */
  private final Set<Long> stored = new TreeSet<>();

  private Optional<TaskRestore> restore = Optional.empty();
  private Optional<Failure> unreadable = Optional.empty();
  private boolean finishedBefore;
  private long runningSince = -1;
  private boolean cancelled;
  private boolean ended;
  private boolean awaitingReported;

  /** The savepoint that stops the job, from its barrier until it is aborted. */
  private Optional<CheckpointRequest> stop = Optional.empty();

  private boolean stopCompleted;
  private NavigableMap<String, Long> last = new TreeMap<>();
  private long lastBarrier;
  private long lastBarrierAt;

  /** Barriers that it has received and not forwarded yet. */
  private final Deque<Barrier> barriers = new ArrayDeque<>();

  private long lastSnapshotAt = -SimSplits.RECORD_NANOS;
  private Runnable finish = () -> {};
  private Consumer<Failure> failed = failure -> {};

  SimDataflowTask(
      SimDataflow dataflow,
      SimDataflowHost host,
      JobGraph graph,
      long number,
      TaskSpec spec,
      Duration longestRun,
      TaskListener reports) {
    this.dataflow = dataflow;
    this.host = host;
    this.graph = graph;
    this.vertex = graph.vertex(spec.vertex());
    this.number = number;
    this.spec = spec;
    this.longestRun = longestRun;
    this.reports = reports;
    this.state = new SimTaskState(graph, spec, host.storage, host.flaw, host.random);
    this.splits = new SimSplits(state.splits(), longestRun);
    this.overlaps = graph.configuration().get(CheckpointingOptions.MAX_CONCURRENT) > 2;
  }

  public JobGraph graph() {
    return graph;
  }

  public JobVertex vertex() {
    return vertex;
  }

  public TaskSpec spec() {
    return spec;
  }

  public Duration longestRun() {
    return longestRun;
  }

  public Optional<TaskRestore> restore() {
    return restore;
  }

  public Optional<Failure> unreadable() {
    return unreadable;
  }

  public boolean isSource() {
    return graph.inputsOf(vertex.id()).isEmpty();
  }

  public boolean isSink() {
    return graph.outputsOf(vertex.id()).isEmpty();
  }

  public boolean isKeyed() {
    return state.isKeyed();
  }

  /** Whether it had finished when the checkpoint was taken that it was restored from. */
  public boolean hadFinished() {
    return finishedBefore;
  }

  /** The positions of its splits when it started. */
  public NavigableMap<String, Long> splits() {
    return state.splits();
  }

  public List<SimTaskState.Shard> shards() {
    return state.shards();
  }

  public List<SimTaskState.Keyed> keyedState() {
    return state.keyedState();
  }

  public boolean hasEnded() {
    return ended;
  }

  /** The checkpoints that it has taken and whose outcome it has not heard of. */
  public List<Long> undecided() {
    return List.copyOf(undecided);
  }

  /** Whether it has stored its snapshot for a checkpoint. */
  public boolean hasStored(long checkpoint) {
    return stored.contains(checkpoint);
  }

  /** Whether a source of its job waited for the outcome of a stop when it took a checkpoint. */
  public boolean wasStoppedAt(long checkpoint) {
    return dataflow.wasStoppedAt(graph.id(), checkpoint);
  }

  /** The other subtasks of its vertex in the same deployment. */
  public List<SimDataflowTask> siblings() {
    return dataflow.siblings(this);
  }

  /** The tasks of the same deployment from which it gets records. */
  public List<SimDataflowTask> producers() {
    return dataflow.producers(this);
  }

  /** The tasks of the same deployment that get its records. */
  public List<SimDataflowTask> consumers() {
    return dataflow.consumers(this);
  }

  SimDataflow.Place place() {
    return new SimDataflow.Place(graph.id(), number, vertex.id(), spec.subtask());
  }

  boolean isReachable() {
    return host.process.isAlive();
  }

  // --- state

  /** Restores its state. */
  void start(Optional<TaskRestore> from) {
    restore = from;
    if (from.isEmpty()) {
      state.startAnew();
      return;
    }
    finishedBefore = from.get().finished();
    if (!finishedBefore) {
      state.restore(from.get());
    } else if (host.flaw == Flaw.FINISHED_TASKS_RESTARTED) {
      finishedBefore = false;
      state.startAnew();
    }
  }

  /** Its state cannot be read. */
  void fail(Failure failure) {
    unreadable = Optional.of(failure);
  }

  // --- running

  /**
   * All its inputs exist.
   *
   * @param onFinish finishes the task
   * @param onFailure fails it
   */
  void run(Runnable onFinish, Consumer<Failure> onFailure) {
    runningSince = host.process.simulation().nanos();
    splits.start(runningSince);
    finish = onFinish;
    failed = onFailure;
    finishAtEnd();
  }

  private void finishAtEnd() {
    boolean bounded = isSource() && !finishedBefore && longestRun.compareTo(Duration.ZERO) > 0;
    Duration left = bounded ? splits.left(host.process.simulation().nanos()) : Duration.ZERO;
    host.mailbox.after(left.plusMillis(1), this::finishIfDone);
  }

  private boolean isRunning() {
    return runningSince >= 0 && !ended && !cancelled && host.process.isAlive();
  }

  /** The positions of the splits that it reads itself. */
  private NavigableMap<String, Long> read() {
    return splits.read(host.process.simulation().nanos());
  }

  /** The positions that it has processed by now, if no barrier blocks its inputs. */
  private NavigableMap<String, Long> processed() {
    if (ended) {
      return last;
    }
    if (isSource()) {
      return runningSince < 0 ? state.splits() : read();
    }
    NavigableMap<String, Long> now = state.counted();
    producers().forEach(producer -> now.putAll(producer.processed()));
    return now;
  }

  /**
   * Finishes when its input has ended and, at a sink, is committed. A savepoint that stops the job
   * ends the input of sources when it is complete; all tasks have to hear of that.
   */
  private void finishIfDone() {
    if (!isRunning() || (stop.isPresent() && !stopCompleted)) {
      return;
    }
    if (isSource()) {
      if (!finishedBefore && stop.isEmpty() && !splits.isAtEnd(host.process.simulation().nanos())) {
        return;
      }
    } else {
      if (producers().size() < dataflow.expectedProducers(this)
          || !producers().stream().allMatch(SimDataflowTask::hasEnded)) {
        return;
      }
      if (isSink() && !finishedBefore && !state.isCommitted(processed())) {
        if (host.flaw != Flaw.STOP_IGNORED || stop.isEmpty()) {
          reportAwaiting();
          return;
        }
        long behind = stop.get().checkpoint() + 1;
        state.count(behind, processed(), true);
        commit(behind, behind);
      }
    }
    finish.run();
  }

  private boolean isStoppedBy(long checkpoint) {
    return stop.isPresent() && stop.get().checkpoint() == checkpoint;
  }

  /** The job goes on; a task that has ended its event time has to start again. */
  private void stopAborted(long checkpoint) {
    if (!isStoppedBy(checkpoint) || !isRunning()) {
      return;
    }
    boolean drained = stop.get().type() == CheckpointRequest.Type.SAVEPOINT_DRAIN;
    stop = Optional.empty();
    if (drained) {
      failed.accept(Failure.of(ErrorKind.EXTERNAL, "Savepoint " + checkpoint + " was aborted"));
      return;
    }
    lastSnapshotAt = host.process.simulation().nanos();
    splits.resume(lastSnapshotAt);
    finishAtEnd();
  }

  /** One more checkpoint is needed. */
  private void reportAwaiting() {
    if (!awaitingReported) {
      awaitingReported = true;
      reports.awaitsCheckpoint(spec.execution());
    }
  }

  /** It processes neither records nor notices from now on. */
  void cancel() {
    cancelled = true;
  }

  /** The task has ended in whatever state; if it finished, its consumers hear of it. */
  void ended(boolean finished) {
    if (finished) {
      last = processed();
    }
    ended = true;
    host.remove(this);
    if (!finished) {
      dataflow.remove(this);
      return;
    }
    for (SimDataflowTask consumer : consumers()) {
      new ArrayList<>(consumer.alignments.keySet()).forEach(consumer::alignedIfComplete);
      consumer.host.mailbox.after(Duration.ofMillis(1), consumer::finishIfDone);
    }
  }

  // --- barriers

  private final Map<Long, CheckpointRequest> requests = new TreeMap<>();

  void barrierIn(CheckpointRequest request, Map<SimDataflowTask, NavigableMap<String, Long>> from) {
    long checkpoint = request.checkpoint();
    if (ended || checkpoint <= lastBarrier || aborted.contains(checkpoint)) {
      return;
    }
    requests.put(checkpoint, request);
    alignments.computeIfAbsent(checkpoint, x -> new LinkedHashMap<>()).putAll(from);
    alignedIfComplete(checkpoint);
  }

  private void alignedIfComplete(long checkpoint) {
    Map<SimDataflowTask, NavigableMap<String, Long>> arrived = alignments.get(checkpoint);
    List<SimDataflowTask> producers = producers();
    boolean overtakes = host.flaw == Flaw.BARRIER_NOT_ALIGNED;
    if (!isSource()
        && (producers.size() < dataflow.expectedProducers(this)
            || (!overtakes
                && producers.stream()
                    .anyMatch(task -> !task.ended && !arrived.containsKey(task))))) {
      return;
    }
    alignments.remove(checkpoint);
    CheckpointRequest request = requests.remove(checkpoint);
    NavigableMap<String, Long> positions = isSource() ? new TreeMap<>() : state.counted();
    for (SimDataflowTask producer : producers) {
      positions.putAll(
          arrived.containsKey(producer) ? arrived.get(producer) : producer.processed());
    }
    lastBarrier = checkpoint;
    long now = host.process.nanos();
    lastBarrierAt = Math.max(lastBarrierAt + 1, now + (1 + host.random.nextInt(15)) * 1_000_000L);
    barriers.add(new Barrier(request, positions));
    host.mailbox.after(Duration.ofNanos(lastBarrierAt - now), this::nextSnapshot);
  }

  /**
   * A source emits records between any two barriers, also if their triggers arrive together after a
   * partition: a rule expects each barrier to bring records.
   */
  private void nextSnapshot() {
    long next = lastSnapshotAt + SimSplits.RECORD_NANOS - host.process.simulation().nanos();
    if (isSource() && isRunning() && next > 0) {
      host.mailbox.after(Duration.ofNanos(next), this::nextSnapshot);
      return;
    }
    lastSnapshotAt = host.process.simulation().nanos();
    Barrier barrier = barriers.remove();
    snapshot(barrier.request(), barrier.positions());
  }

  private void snapshot(CheckpointRequest request, NavigableMap<String, Long> arrived) {
    if (!isRunning()) {
      return;
    }
    long checkpoint = request.checkpoint();
    if (!aborted.contains(checkpoint)) {
      undecided.add(checkpoint);
    }
    NavigableMap<String, Long> positions = isSource() ? read() : arrived;
    if (isSource() && stop.isPresent()) {
      dataflow.takenWhileStopped(graph.id(), checkpoint);
    }
    if (request.type().stops() && !aborted.contains(checkpoint)) {
      stop = Optional.of(request);
      if (host.flaw != Flaw.STOP_IGNORED) {
        splits.stop(host.process.simulation().nanos());
      }
    }
    state.count(checkpoint, positions, isSink());
    List<String> elements = state.elements(positions);
    for (SimDataflowTask consumer : consumers()) {
      consumer.barrierIn(request, Map.of(this, positions));
    }
    if (host.flaw == Flaw.COMMITTED_EARLY) {
      commit(checkpoint, checkpoint);
    }
    boolean slow = !dataflow.isCalm() && host.random.nextInt(overlaps ? 3 : 20) == 0;
    boolean fails = !dataflow.isCalm() && host.random.nextInt(60) == 0;
    host.mailbox.after(
        Duration.ofMillis(1 + host.random.nextInt(slow ? 4_000 : 30)),
        () -> store(request, elements, SimTaskState.text(positions), fails));
  }

  private void store(
      CheckpointRequest request, List<String> elements, String positions, boolean fails) {
    long checkpoint = request.checkpoint();
    if (ended || cancelled || aborted.contains(checkpoint)) {
      return;
    }
    try {
      if (fails) {
        throw SimStore.failure("has no answer for a snapshot");
      }
      OperatorSnapshot operator = state.write(request, elements, positions);
      stored.add(checkpoint);
      reports.snapshotStored(
          checkpoint,
          new TaskSnapshot(
              spec.execution(), List.of(operator), List.of(), TaskSnapshot.Timing.NONE));
    } catch (MillraceException e) {
      reports.snapshotDeclined(
          spec.execution(),
          checkpoint,
          new DeclineCause.SnapshotNotStored(Failure.of(ErrorKind.EXTERNAL, e.getMessage())));
    }
  }

  /** Commits what was written up to a checkpoint, because another one has completed. */
  void commit(long upTo, long under) {
    state.commit(
        upTo,
        (shard, committable) -> dataflow.listener().committed(this, shard, committable, under));
  }

  /** As in the data plane, a repeated notice, or one for an earlier attempt, has no effect. */
  void completed(long checkpoint) {
    if (!cancelled && undecided.contains(checkpoint)) {
      // A later checkpoint does not make up for the outcome of a stop: a source still waits for it.
      undecided.removeIf(
          number -> number <= checkpoint && (number == checkpoint || !isStoppedBy(number)));
      state.sharedFiles().completed(checkpoint);
      commit(checkpoint, checkpoint);
      awaitingReported = false;
      stopCompleted |= isStoppedBy(checkpoint);
      finishIfDone();
    }
  }

  void aborted(long checkpoint) {
    alignments.remove(checkpoint);
    aborted.add(checkpoint);
    undecided.remove(checkpoint);
    state.sharedFiles().aborted(checkpoint);
    if (host.flaw == Flaw.ABORTED_CHECKPOINT_COMMITTED) {
      commit(checkpoint, checkpoint);
    }
    stopAborted(checkpoint);
  }

  /** As in the data plane, a later checkpoint makes up for each earlier one but a stop. */
  void earlierAborted(long checkpoint) {
    if (stop.isPresent() && !stopCompleted && stop.get().checkpoint() < checkpoint) {
      aborted(stop.get().checkpoint());
    }
  }
}
