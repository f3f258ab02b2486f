package io.millrace.sim;

import io.millrace.core.Bytes;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.rpc.Mailbox;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
    void started(SimDataflowTask task);

    /** A task cannot read the state of the checkpoint that it was deployed with. */
    void unreadable(SimDataflowTask task, String cause);

    /**
     * A sink commits.
     *
     * @param under the checkpoint whose completion is the reason
     */
    void committed(
        SimDataflowTask task,
        SimTaskState.Shard shard,
        SimTaskState.Committable committable,
        long under);
  }

  /** Where a task is in a deployment. */
  record Place(JobId job, long number, VertexId vertex, int subtask) {}

  private final Map<Place, SimDataflowTask> tasks = new LinkedHashMap<>();
  private final Listener listener;

  /** Jobs and checkpoints that a source took while it waited for the outcome of a stop. */
  private final Set<String> takenWhileStopped = new LinkedHashSet<>();

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
  SimDataflowHost of(
      SimProcess process, Mailbox mailbox, SimCheckpointStorage.View storage, Flaw flaw) {
    return new SimDataflowHost(this, process, mailbox, storage, flaw);
  }

  Listener listener() {
    return listener;
  }

  boolean isCalm() {
    return calm;
  }

  void takenWhileStopped(JobId job, long checkpoint) {
    takenWhileStopped.add(job + " " + checkpoint);
  }

  boolean wasStoppedAt(JobId job, long checkpoint) {
    return takenWhileStopped.contains(job + " " + checkpoint);
  }

  void add(SimDataflowTask task) {
    tasks.put(task.place(), task);
  }

  void remove(SimDataflowTask task) {
    tasks.remove(task.place(), task);
  }

  List<SimDataflowTask> siblings(SimDataflowTask task) {
    Place place = task.place();
    List<SimDataflowTask> found = new ArrayList<>();
    for (int subtask = 0; subtask < task.vertex().parallelism(); subtask++) {
      SimDataflowTask sibling =
          tasks.get(new Place(place.job(), place.number(), place.vertex(), subtask));
      if (sibling != null && sibling != task && !sibling.hasEnded() && sibling.isReachable()) {
        found.add(sibling);
      }
    }
    return found;
  }

  List<SimDataflowTask> producers(SimDataflowTask task) {
    return existing(producerPlaces(task));
  }

  List<SimDataflowTask> consumers(SimDataflowTask task) {
    JobGraph graph = task.graph();
    Set<Place> places = new LinkedHashSet<>();
    for (JobEdge edge : graph.outputsOf(task.vertex().id())) {
      addNeighbours(task, edge, graph.vertex(edge.target()), places);
    }
    return existing(places);
  }

  /** The number of producers, also those that are not deployed yet. */
  int expectedProducers(SimDataflowTask task) {
    return producerPlaces(task).size();
  }

  private static Set<Place> producerPlaces(SimDataflowTask task) {
    JobGraph graph = task.graph();
    Set<Place> places = new LinkedHashSet<>();
    for (JobEdge edge : graph.inputsOf(task.vertex().id())) {
      addNeighbours(task, edge, graph.vertex(edge.source()), places);
    }
    return places;
  }

  /** Adds the subtasks of another vertex that an edge connects with a task. */
  private static void addNeighbours(
      SimDataflowTask task, JobEdge edge, JobVertex other, Set<Place> places) {
    Place place = task.place();
    boolean pointwise =
        edge.partitioning() == Partitioning.FORWARD || edge.partitioning() == Partitioning.RESCALE;
    int here = task.vertex().parallelism();
    int there = other.parallelism();
    int first = pointwise ? place.subtask() * there / here : 0;
    int end = pointwise ? ((place.subtask() + 1) * there + here - 1) / here : there;
    for (int subtask = first; subtask < end; subtask++) {
      places.add(new Place(place.job(), place.number(), other.id(), subtask));
    }
  }

  private List<SimDataflowTask> existing(Set<Place> places) {
    List<SimDataflowTask> found = new ArrayList<>();
    for (Place place : places) {
      SimDataflowTask task = tasks.get(place);
      if (task != null && (task.hasEnded() || task.isReachable())) {
        found.add(task);
      }
    }
    return found;
  }
}
