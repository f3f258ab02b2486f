package io.millrace.sim;

import io.millrace.core.Bytes;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.rpc.Mailbox;
import io.millrace.task.TaskListener;
import io.millrace.task.TaskSpec;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.DeclineCause;
import io.millrace.task.checkpoint.KeyGroupRange;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.TaskSnapshot;
import java.nio.charset.StandardCharsets;
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
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What flows between the tasks of jobs with checkpoints, across all hosts of a cluster: numbered
 * records of source splits, barriers, and the end of input.
 *
 * <p>Records are not single events. A split advances by one record per millisecond, and the state
 * of a task is how far it has counted each split. Barriers carry these positions downstream, so
 * that state that is lost, restored twice or restored from the wrong checkpoint differs from that
 * of the neighbours. Sinks commit the records between two barriers when a checkpoint completes.
 */
public final class SimDataflow {
  /** A deliberate bug of the tasks. */
  public enum Flaw {
    NONE,
    ACKNOWLEDGED_UNSTORED,
    BARRIER_NOT_ALIGNED,
    COMMITTED_EARLY,
    WRONG_KEY_GROUPS,
    ABORTED_CHECKPOINT_COMMITTED,
    FINISHED_TASKS_RESTARTED,
    LISTS_NOT_SPLIT,
    UNCONFIRMED_FILES_SHARED,
    STOP_IGNORED
  }

  /** Receives the events of tasks when they happen. */
  public interface Listener {
    /** A task has its initial state. */
    void started(Task task);

    /** A task cannot read the state of the checkpoint that it was deployed with. */
    void unreadable(Task task, String cause);

    /**
     * A sink commits.
     *
     * @param under the checkpoint whose completion is the reason
     */
    void committed(Task task, Shard shard, Committable committable, long under);
  }

  /**
   * The records that a sink has written between two barriers.
   *
   * @param from the position of each split at the earlier barrier
   * @param to the position at the barrier of {@code checkpoint}
   */
  public record Committable(
      long checkpoint, NavigableMap<String, Long> from, NavigableMap<String, Long> to) {}

  /** The state of one of the subtasks with which a vertex first started. */
  public static final class Shard {
    private final int number;
    private NavigableMap<String, Long> counted;
    private final List<Committable> pending = new ArrayList<>();

    Shard(int number, NavigableMap<String, Long> counted) {
      this.number = number;
      this.counted = counted;
    }

    public int number() {
      return number;
    }

    /** How far it has counted each split. */
    public NavigableMap<String, Long> counted() {
      return counted;
    }

    /** What is written and not committed yet, in order. */
    public List<Committable> pending() {
      return List.copyOf(pending);
    }
  }

  /** Restored keyed state: key groups and how far their records were counted. */
  public record Keyed(KeyGroupRange groups, NavigableMap<String, Long> counted) {}

  /**
   * A barrier that has arrived on all inputs.
   *
   * @param positions of the records before it
   */
  private record Barrier(CheckpointRequest request, NavigableMap<String, Long> positions) {}

  private record Place(JobId job, long number, VertexId vertex, int subtask) {}

  private final Map<Place, Task> tasks = new LinkedHashMap<>();
  private final Listener listener;
  private boolean calm;

  public SimDataflow(Listener listener) {
    this.listener = listener;
  }

  /** From now on every snapshot is stored. */
  public void calm() {
    calm = true;
  }

  public static boolean isCheckpointed(JobGraph graph) {
    return !graph.configuration().get(CheckpointingOptions.INTERVAL).isZero();
  }

  /** The number of splits of a source, which stays when its parallelism changes. */
  public static int splits(JobVertex source) {
    Bytes spec = source.operators().get(0).spec();
    return spec.length() == 0
        ? source.parallelism() + 1
        : Integer.parseInt(new String(spec.toArray(), StandardCharsets.UTF_8));
  }

  public static String split(JobVertex source, int index) {
    return source.name() + "#" + index;
  }

  /** The position at which a split ends. */
  public static long end(String split, Duration longestRun) {
    return longestRun.isZero()
        ? Long.MAX_VALUE
        : 1 + Math.floorMod(split.hashCode() * 7919L, Math.max(1, longestRun.toMillis()));
  }

  /** The tasks of one process. */
  public Host of(
      SimProcess process, Mailbox mailbox, SimCheckpointStorage.View storage, Flaw flaw) {
    return new Host(process, mailbox, storage, flaw);
  }

  /** The part of the data plane in one process. */
  public final class Host {
    private final SimProcess process;
    private final Mailbox mailbox;
    private final SimCheckpointStorage.View storage;
    private final Flaw flaw;
    private final RandomGenerator random;
    private final Map<ExecutionId, Task> hosted = new LinkedHashMap<>();

    Host(SimProcess process, Mailbox mailbox, SimCheckpointStorage.View storage, Flaw flaw) {
      this.process = process;
      this.mailbox = mailbox;
      this.storage = storage;
      this.flaw = flaw;
      this.random = process.random("dataflow");
    }

    /** Creates a task and restores its state. */
    Task deploy(
        JobGraph graph,
        long number,
        TaskSpec spec,
        Optional<TaskRestore> restore,
        SimTaskHost.Behaviour behaviour,
        TaskListener reports) {
      Task task = new Task(this, graph, number, spec, behaviour.longestRun(), reports);
      tasks.put(task.place(), task);
      hosted.put(spec.execution(), task);
      try {
        task.start(restore);
        listener.started(task);
        restore.ifPresent(state -> task.commit(Long.MAX_VALUE, state.checkpoint()));
      } catch (MillraceException e) {
        task.unreadable = Optional.of(Failure.of(e, ErrorKind.EXTERNAL));
        listener.unreadable(task, e.getMessage());
      }
      return task;
    }

    void trigger(CheckpointRequest request, List<ExecutionId> sources) {
      for (ExecutionId execution : sources) {
        Task task = hosted.get(execution);
        if (task != null) {
          task.barrierIn(request, Map.of());
        }
      }
    }

    void completed(JobId job, long checkpoint) {
      for (Task task : new ArrayList<>(hosted.values())) {
        if (task.graph.id().equals(job) && !task.cancelled) {
          task.sharedFiles.completed(checkpoint);
          task.commit(checkpoint, checkpoint);
          task.awaitingReported = false;
          task.stopCompleted |= task.isStoppedBy(checkpoint);
          task.finishIfDone();
        }
      }
    }

    void aborted(JobId job, long checkpoint) {
      for (Task task : new ArrayList<>(hosted.values())) {
        if (task.graph.id().equals(job)) {
          task.alignments.remove(checkpoint);
          task.aborted.add(checkpoint);
          task.sharedFiles.aborted(checkpoint);
          if (flaw == Flaw.ABORTED_CHECKPOINT_COMMITTED) {
            task.commit(checkpoint, checkpoint);
          }
          task.stopAborted(checkpoint);
        }
      }
    }
  }

  /** A task with state. */
  public final class Task {
    private final Host host;
    private final JobGraph graph;
    private final JobVertex vertex;
    private final long number;
    private final TaskSpec spec;
    private final Duration longestRun;
    private final TaskListener reports;
    private final boolean keyed;
    private final SimSplits splits;
    private final List<Shard> shards = new ArrayList<>();
    private final List<Keyed> keyedState = new ArrayList<>();
    private final Map<Long, Map<Task, NavigableMap<String, Long>>> alignments = new TreeMap<>();
    private final Set<Long> aborted = new LinkedHashSet<>();
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
    private Consumer<Failure> fail = failure -> {};
    private final SimSharedFiles sharedFiles;

    private Task(
        Host host,
        JobGraph graph,
        long number,
        TaskSpec spec,
        Duration longestRun,
        TaskListener reports) {
      this.host = host;
      this.graph = graph;
      this.vertex = graph.vertex(spec.vertex());
      this.number = number;
      this.spec = spec;
      this.longestRun = longestRun;
      this.splits = new SimSplits(longestRun);
      this.reports = reports;
      this.sharedFiles =
          new SimSharedFiles(host.random, host.flaw == Flaw.UNCONFIRMED_FILES_SHARED);
      this.keyed =
          graph.inputsOf(vertex.id()).stream()
              .anyMatch(edge -> edge.partitioning() == Partitioning.HASH);
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
      return keyed;
    }

    /** Whether it had finished when the checkpoint was taken that it was restored from. */
    public boolean hadFinished() {
      return finishedBefore;
    }

    /** The positions of its splits when it started. */
    public NavigableMap<String, Long> splits() {
      return splits.initial();
    }

    public List<Shard> shards() {
      return shards;
    }

    public List<Keyed> keyedState() {
      return keyedState;
    }

    public boolean hasEnded() {
      return ended;
    }

    /** The other subtasks of its vertex in the same deployment. */
    public List<Task> siblings() {
      List<Task> found = new ArrayList<>();
      for (int subtask = 0; subtask < vertex.parallelism(); subtask++) {
        Task task = tasks.get(new Place(graph.id(), number, vertex.id(), subtask));
        if (task != null && task != this && !task.ended && task.host.process.isAlive()) {
          found.add(task);
        }
      }
      return found;
    }

    private Place place() {
      return new Place(graph.id(), number, vertex.id(), spec.subtask());
    }

    /** The tasks of the same deployment from which it gets records. */
    public List<Task> producers() {
      List<Task> found = new ArrayList<>();
      for (JobEdge edge : graph.inputsOf(vertex.id())) {
        neighbours(edge, graph.vertex(edge.source()), found);
      }
      return found;
    }

    /** The tasks of the same deployment that get its records. */
    public List<Task> consumers() {
      List<Task> found = new ArrayList<>();
      for (JobEdge edge : graph.outputsOf(vertex.id())) {
        neighbours(edge, graph.vertex(edge.target()), found);
      }
      return found;
    }

    private void neighbours(JobEdge edge, JobVertex other, List<Task> found) {
      boolean pointwise =
          edge.partitioning() == Partitioning.FORWARD
              || edge.partitioning() == Partitioning.RESCALE;
      int here = vertex.parallelism();
      int there = other.parallelism();
      int first = pointwise ? spec.subtask() * there / here : 0;
      int end = pointwise ? ((spec.subtask() + 1) * there + here - 1) / here : there;
      for (int subtask = first; subtask < end; subtask++) {
        Task task = tasks.get(new Place(graph.id(), number, other.id(), subtask));
        if (task != null && (task.ended || task.host.process.isAlive()) && !found.contains(task)) {
          found.add(task);
        }
      }
    }

    // --- state

    private void start(Optional<TaskRestore> from) {
      restore = from;
      if (from.isEmpty()) {
        startAnew();
        return;
      }
      TaskRestore state = from.get();
      finishedBefore = state.finished();
      if (finishedBefore) {
        if (host.flaw == Flaw.FINISHED_TASKS_RESTARTED) {
          finishedBefore = false;
          startAnew();
        }
        return;
      }
      Optional<TaskRestore.OperatorRestore> operator =
          state.operator(vertex.operators().get(0).id());
      if (operator.isEmpty()) {
        startAnew();
        return;
      }
      for (TaskRestore.RestoredList list : operator.get().lists()) {
        for (TaskRestore.Slice slice : list.slices()) {
          String[] elements = content(state, slice.handle()).split("\n");
          boolean whole = host.flaw == Flaw.LISTS_NOT_SPLIT;
          for (int i = whole ? 0 : slice.from(); i < (whole ? elements.length : slice.to()); i++) {
            restoreElement(elements[i]);
          }
        }
      }
      KeyGroupRange groups = operator.get().groups();
      for (OperatorSnapshot.Keyed piece : operator.get().keyed()) {
        sharedFiles.restore(state, piece, host.storage);
        KeyGroupRange own =
            host.flaw == Flaw.WRONG_KEY_GROUPS
                ? piece.groups()
                : new KeyGroupRange(
                    Math.max(groups.first(), piece.groups().first()),
                    Math.min(groups.end(), piece.groups().end()));
        keyedState.add(
            new Keyed(
                host.flaw == Flaw.WRONG_KEY_GROUPS
                    ? new KeyGroupRange(own.first() + 1, own.end() + 1)
                    : own,
                SimPositions.parse(content(state, piece.handle()))));
      }
      if (!isSource() && shards.isEmpty() && !keyedState.isEmpty()) {
        // There are more subtasks than before.
        shards.add(new Shard(spec.subtask(), new TreeMap<>(keyedState.get(0).counted())));
      }
    }

    private void startAnew() {
      if (isSource()) {
        for (int i = spec.subtask(); i < SimDataflow.splits(vertex); i += vertex.parallelism()) {
          splits.initial().put(split(vertex, i), 0L);
        }
      } else {
        shards.add(new Shard(spec.subtask(), new TreeMap<>()));
      }
    }

    private void restoreElement(String element) {
      if (isSource()) {
        splits.initial().putAll(SimPositions.parse(element));
        return;
      }
      String[] parts = element.split("\\|", -1);
      Shard shard = new Shard(Integer.parseInt(parts[0]), SimPositions.parse(parts[1]));
      for (int i = 2; i < parts.length; i++) {
        String[] committable = parts[i].split("/", -1);
        shard.pending.add(
            new Committable(
                Long.parseLong(committable[0]),
                SimPositions.parse(committable[1]),
                SimPositions.parse(committable[2])));
      }
      shards.add(shard);
    }

    private String content(TaskRestore state, StateHandle handle) {
      if (handle instanceof StateHandle.Inline inline) {
        return new String(inline.bytes().toArray(), StandardCharsets.UTF_8);
      }
      StateHandle.FileSegment segment = (StateHandle.FileSegment) handle;
      return host.storage.readFile(state.directory(), segment.file());
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
      fail = onFailure;
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
        return runningSince < 0 ? splits.initial() : read();
      }
      NavigableMap<String, Long> now = counted();
      producers().forEach(producer -> now.putAll(producer.processed()));
      return now;
    }

    private NavigableMap<String, Long> counted() {
      NavigableMap<String, Long> counted = new TreeMap<>();
      shards.forEach(shard -> counted.putAll(shard.counted));
      return counted;
    }

    /**
     * Finishes when its input has ended and, at a sink, is committed. A savepoint that stops the
     * job ends the input of sources when it is complete; all tasks have to hear of that.
     */
    private void finishIfDone() {
      if (!isRunning() || (stop.isPresent() && !stopCompleted)) {
        return;
      }
      if (isSource()) {
        if (!finishedBefore
            && stop.isEmpty()
            && !splits.isAtEnd(host.process.simulation().nanos())) {
          return;
        }
      } else {
        if (producers().size() < expectedProducers()
            || !producers().stream().allMatch(Task::hasEnded)) {
          return;
        }
        if (isSink()
            && !finishedBefore
            && !shards.stream()
                .allMatch(shard -> shard.pending.isEmpty() && shard.counted.equals(processed()))) {
          reportAwaiting();
          return;
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
        fail.accept(Failure.of(ErrorKind.EXTERNAL, "Savepoint " + checkpoint + " was aborted"));
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

    private int expectedProducers() {
      Set<Place> expected = new LinkedHashSet<>();
      for (JobEdge edge : graph.inputsOf(vertex.id())) {
        JobVertex other = graph.vertex(edge.source());
        boolean pointwise =
            edge.partitioning() == Partitioning.FORWARD
                || edge.partitioning() == Partitioning.RESCALE;
        int here = vertex.parallelism();
        int there = other.parallelism();
        int first = pointwise ? spec.subtask() * there / here : 0;
        int end = pointwise ? ((spec.subtask() + 1) * there + here - 1) / here : there;
        for (int subtask = first; subtask < end; subtask++) {
          expected.add(new Place(graph.id(), number, other.id(), subtask));
        }
      }
      return expected.size();
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
      host.hosted.remove(spec.execution());
      if (!finished) {
        tasks.remove(place(), this);
        return;
      }
      for (Task consumer : consumers()) {
        new ArrayList<>(consumer.alignments.keySet()).forEach(consumer::alignedIfComplete);
        consumer.host.mailbox.after(Duration.ofMillis(1), consumer::finishIfDone);
      }
    }

    // --- barriers

    private final Map<Long, CheckpointRequest> requests = new TreeMap<>();

    private void barrierIn(CheckpointRequest request, Map<Task, NavigableMap<String, Long>> from) {
      long checkpoint = request.checkpoint();
      if (ended || checkpoint <= lastBarrier || aborted.contains(checkpoint)) {
        return;
      }
      requests.put(checkpoint, request);
      alignments.computeIfAbsent(checkpoint, x -> new LinkedHashMap<>()).putAll(from);
      alignedIfComplete(checkpoint);
    }

    private void alignedIfComplete(long checkpoint) {
      Map<Task, NavigableMap<String, Long>> arrived = alignments.get(checkpoint);
      List<Task> producers = producers();
      boolean overtakes = host.flaw == Flaw.BARRIER_NOT_ALIGNED;
      if (!isSource()
          && (producers.size() < expectedProducers()
              || (!overtakes
                  && producers.stream()
                      .anyMatch(task -> !task.ended && !arrived.containsKey(task))))) {
        return;
      }
      alignments.remove(checkpoint);
      CheckpointRequest request = requests.remove(checkpoint);
      NavigableMap<String, Long> positions = isSource() ? new TreeMap<>() : counted();
      for (Task producer : producers) {
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
     * A source emits records between any two barriers, also if their triggers arrive together after
     * a partition: a rule expects each barrier to bring records.
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
      NavigableMap<String, Long> positions = isSource() ? read() : arrived;
      if (request.type().stops() && !aborted.contains(checkpoint)) {
        stop = Optional.of(request);
        if (host.flaw != Flaw.STOP_IGNORED) {
          splits.stop(host.process.simulation().nanos());
        }
      }
      for (Shard shard : shards) {
        if (isSink() && !shard.counted.equals(positions)) {
          shard.pending.add(new Committable(checkpoint, shard.counted, positions));
        }
        shard.counted = positions;
      }
      List<String> elements = new ArrayList<>();
      if (isSource()) {
        positions.forEach((split, at) -> elements.add(split + "=" + at));
      } else {
        shards.forEach(shard -> elements.add(SimPositions.text(shard)));
      }
      for (Task consumer : consumers()) {
        consumer.barrierIn(request, Map.of(this, positions));
      }
      if (host.flaw == Flaw.COMMITTED_EARLY) {
        commit(checkpoint, checkpoint);
      }
      boolean slow = !calm && host.random.nextInt(20) == 0;
      boolean fails = !calm && host.random.nextInt(60) == 0;
      host.mailbox.after(
          Duration.ofMillis(1 + host.random.nextInt(slow ? 4_000 : 30)),
          () -> store(request, elements, SimPositions.text(positions), fails));
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
        List<OperatorSnapshot.ListState> lists =
            elements.isEmpty()
                ? List.of()
                : List.of(
                    new OperatorSnapshot.ListState(
                        isSource() ? "splits" : "shards",
                        Redistribution.SPLIT,
                        elements.size(),
                        handle(request, "list", String.join("\n", elements))));
        List<OperatorSnapshot.Keyed> groups =
            keyed
                ? List.of(
                    new OperatorSnapshot.Keyed(
                        KeyGroupRange.of(
                            vertex.maxParallelism(), vertex.parallelism(), spec.subtask()),
                        OperatorSnapshot.Keyed.CANONICAL,
                        handle(request, "keyed", positions),
                        isIncremental(request)
                            ? sharedFiles.write(request, positions, host.storage)
                            : List.of()))
                : List.of();
        reports.snapshotStored(
            checkpoint,
            new TaskSnapshot(
                spec.execution(),
                List.of(new OperatorSnapshot(vertex.operators().get(0).id(), groups, lists)),
                List.of(),
                TaskSnapshot.Timing.NONE));
      } catch (MillraceException e) {
        reports.snapshotDeclined(
            spec.execution(),
            checkpoint,
            new DeclineCause.SnapshotNotStored(Failure.of(ErrorKind.EXTERNAL, e.getMessage())));
      }
    }

    private static boolean isIncremental(CheckpointRequest request) {
      return !request.type().isSavepoint() && request.inlineThreshold() == 0;
    }

    private StateHandle handle(CheckpointRequest request, String what, String content) {
      if (content.length() <= request.inlineThreshold()) {
        return new StateHandle.Inline(Bytes.utf8(content));
      }
      String file = what + "-" + vertex.name() + "-" + spec.subtask() + "-" + spec.execution();
      if (host.flaw != Flaw.ACKNOWLEDGED_UNSTORED || spec.subtask() > 0) {
        host.storage.writeFile(request.directory(), file, content);
      }
      return new StateHandle.FileSegment(
          StateHandle.Directory.EXCLUSIVE, file, 0, content.length(), 0);
    }

    /** Commits what was written up to a checkpoint, because another one has completed. */
    private void commit(long upTo, long under) {
      for (Shard shard : shards) {
        for (Committable committable : new ArrayList<>(shard.pending)) {
          if (committable.checkpoint() <= upTo) {
            shard.pending.remove(committable);
            listener.committed(this, shard, committable, under);
          }
        }
      }
    }
  }
}
