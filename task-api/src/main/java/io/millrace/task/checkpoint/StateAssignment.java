package io.millrace.task.checkpoint;

import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.OperatorSnapshot.ListState;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import io.millrace.task.checkpoint.TaskRestore.OperatorRestore;
import io.millrace.task.checkpoint.TaskRestore.RestoredList;
import io.millrace.task.checkpoint.TaskRestore.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Distributes the state of a checkpoint to the subtasks of a job, whose parallelism may have
 * changed. Pure, and the same on every TaskManager: each computes what its own tasks restore.
 *
 * @param directory the directory of the checkpoint
 * @param sharedDirectory the directory of files that several checkpoints of the job refer to
 */
public record StateAssignment(
    CheckpointMetadata metadata, String directory, String sharedDirectory) {
  public StateAssignment {
    Objects.requireNonNull(metadata);
    Objects.requireNonNull(directory);
    Objects.requireNonNull(sharedDirectory);
  }

  /** A reason for which a job cannot start with a checkpoint. */
  public sealed interface Misfit {
    /** The job has no operator with this id, so that the state would be lost. */
    record UnclaimedState(OperatorInfo operator, String vertex, long bytes) implements Misfit {
      public UnclaimedState {
        Objects.requireNonNull(operator);
        Objects.requireNonNull(vertex);
      }
    }

    /** The job has no such edge, so that the records that were in flight on it would be lost. */
    record UnclaimedRecords(String source, String target, long bytes) implements Misfit {
      public UnclaimedRecords {
        Objects.requireNonNull(source);
        Objects.requireNonNull(target);
      }
    }

    /**
     * None of the operators with state is an operator of the job.
     *
     * @param taken the job that the checkpoint is of
     * @param operators how many have state
     */
    record OtherProgram(JobId taken, int operators) implements Misfit {
      public OtherProgram {
        Objects.requireNonNull(taken);
      }
    }

    /** The number of key groups decides where state is; it cannot change. */
    record MaxParallelismChanged(String vertex, int before, int now) implements Misfit {
      public MaxParallelismChanged {
        Objects.requireNonNull(vertex);
      }
    }
  }

  /**
   * The reasons for which a job cannot start with this checkpoint; empty if it can.
   *
   * @param dropUnclaimed whether state of operators that the job does not have may be lost
   */
  public List<Misfit> check(JobGraph job, boolean dropUnclaimed) {
    List<Misfit> misfits = new ArrayList<>();
    Map<OperatorId, JobVertex> vertices = new LinkedHashMap<>();
    for (JobVertex vertex : job.vertices()) {
      for (ChainedOperator operator : vertex.operators()) {
        vertices.put(operator.id(), vertex);
      }
    }
    List<OperatorId> withState =
        metadata.vertices().stream()
            .flatMap(vertex -> vertex.operators().stream())
            .map(OperatorInfo::id)
            .filter(operator -> bytesOf(operator) > 0)
            .toList();
    if (!dropUnclaimed
        && withState.size() > 1
        && withState.stream().noneMatch(vertices::containsKey)) {
      return List.of(new Misfit.OtherProgram(metadata.job(), withState.size()));
    }
    for (VertexState before : metadata.vertices()) {
      Set<JobVertex> changed = new LinkedHashSet<>();
      for (OperatorInfo operator : before.operators()) {
        Optional<JobVertex> now = Optional.ofNullable(vertices.get(operator.id()));
        long bytes = snapshotsOf(before, operator.id()).mapToLong(OperatorSnapshot::size).sum();
        if (now.isEmpty() && bytes > 0 && !dropUnclaimed) {
          misfits.add(new Misfit.UnclaimedState(operator, before.name(), bytes));
        }
        now.filter(
                vertex ->
                    vertex.maxParallelism() != before.maxParallelism()
                        && snapshotsOf(before, operator.id())
                            .anyMatch(state -> !state.keyed().isEmpty()))
            .filter(changed::add)
            .ifPresent(
                vertex ->
                    misfits.add(
                        new Misfit.MaxParallelismChanged(
                            vertex.name(), before.maxParallelism(), vertex.maxParallelism())));
      }
    }
    if (!dropUnclaimed) {
      misfits.addAll(new InFlightAssignment(metadata, job).unclaimed());
    }
    return OrderedCopies.list(misfits);
  }

  private long bytesOf(OperatorId operator) {
    return metadata
        .vertexOf(operator)
        .map(vertex -> snapshotsOf(vertex, operator).mapToLong(OperatorSnapshot::size).sum())
        .orElse(0L);
  }

  /** The state of a subtask; empty if the checkpoint has none of its operators. */
  public Optional<TaskRestore> of(JobGraph job, JobVertex vertex, int subtask) {
    List<OperatorRestore> operators = new ArrayList<>();
    Set<VertexState> sources = new LinkedHashSet<>();
    for (ChainedOperator operator : vertex.operators()) {
      Optional<VertexState> before = metadata.vertexOf(operator.id());
      before.ifPresent(
          state -> {
            sources.add(state);
            operators.add(restore(vertex, subtask, operator.id(), state));
          });
    }
    if (operators.isEmpty()) {
      return Optional.empty();
    }
    boolean finished =
        operators.size() == vertex.operators().size()
            && sources.stream().allMatch(VertexState::isFinished);
    return Optional.of(
        new TaskRestore(
            metadata.checkpoint(),
            directory,
            sharedDirectory,
            finished,
            operators,
            new InFlightAssignment(metadata, job).of(vertex, subtask)));
  }

  private static OperatorRestore restore(
      JobVertex vertex, int subtask, OperatorId operator, VertexState before) {
    KeyGroupRange groups = KeyGroupRange.of(vertex.maxParallelism(), vertex.parallelism(), subtask);
    List<OperatorSnapshot.Keyed> keyed =
        snapshotsOf(before, operator)
            .flatMap(state -> state.keyed().stream())
            .filter(piece -> piece.groups().intersects(groups))
            .toList();
    return new OperatorRestore(
        operator, groups, keyed, lists(vertex.parallelism(), subtask, operator, before));
  }

  private static List<RestoredList> lists(
      int parallelism, int subtask, OperatorId operator, VertexState before) {
    Map<String, List<ListState>> byName = new LinkedHashMap<>();
    snapshotsOf(before, operator)
        .flatMap(state -> state.lists().stream())
        .forEach(list -> byName.computeIfAbsent(list.name(), name -> new ArrayList<>()).add(list));
    List<RestoredList> restored = new ArrayList<>();
    byName.forEach(
        (name, pieces) -> {
          Redistribution redistribution = pieces.get(0).redistribution();
          restored.add(
              new RestoredList(
                  name,
                  redistribution,
                  switch (redistribution) {
                    case SPLIT ->
                        parallelism == before.parallelism()
                            ? own(name, subtask, operator, before)
                            : split(pieces, parallelism, subtask);
                    case UNION -> pieces.stream().map(StateAssignment::whole).toList();
                    case BROADCAST -> List.of(whole(broadcast(name, subtask, operator, before)));
                  }));
        });
    return restored;
  }

  /**
   * With the same parallelism each subtask keeps its elements: others may go on without being
   * restored, and edges without repartitioning bring their records to the same consumers.
   */
  private static List<Slice> own(
      String name, int subtask, OperatorId operator, VertexState before) {
    return subtask >= before.subtasks().size()
        ? List.of()
        : before.subtasks().get(subtask).operators().stream()
            .filter(state -> state.operator().equals(operator))
            .flatMap(state -> state.lists().stream())
            .filter(list -> list.name().equals(name) && list.elements() > 0)
            .map(StateAssignment::whole)
            .toList();
  }

  /**
   * The piece of the former subtask from which this one also gets the records that were in flight
   * on broadcast edges; of another one if that subtask had finished.
   */
  private static ListState broadcast(
      String name, int subtask, OperatorId operator, VertexState before) {
    int subtasks = before.subtasks().size();
    return IntStream.range(0, subtasks)
        .mapToObj(i -> before.subtasks().get((subtask + i) % subtasks))
        .flatMap(state -> state.operators().stream())
        .filter(state -> state.operator().equals(operator))
        .flatMap(state -> state.lists().stream())
        .filter(list -> list.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** The elements of all pieces, as if they were one list, in equal contiguous parts. */
  private static List<Slice> split(List<ListState> pieces, int parallelism, int subtask) {
    long total = pieces.stream().mapToLong(ListState::elements).sum();
    long from = start(total, parallelism, subtask);
    long to = start(total, parallelism, subtask + 1);
    List<Slice> slices = new ArrayList<>();
    long before = 0;
    for (ListState piece : pieces) {
      int first = (int) Math.min(piece.elements(), Math.max(0, from - before));
      int end = (int) Math.min(piece.elements(), Math.max(0, to - before));
      if (first < end) {
        slices.add(new Slice(piece.handle(), first, end));
      }
      before += piece.elements();
    }
    return slices;
  }

  private static long start(long total, int parallelism, int subtask) {
    return total / parallelism * subtask + Math.min(total % parallelism, subtask);
  }

  private static Slice whole(ListState piece) {
    return new Slice(piece.handle(), 0, piece.elements());
  }

  private static Stream<OperatorSnapshot> snapshotsOf(VertexState vertex, OperatorId operator) {
    return vertex.subtasks().stream()
        .map(SubtaskState::operators)
        .flatMap(List::stream)
        .filter(state -> state.operator().equals(operator));
  }
}
