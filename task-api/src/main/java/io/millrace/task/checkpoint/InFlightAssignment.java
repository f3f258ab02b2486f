package io.millrace.task.checkpoint;

import io.millrace.core.id.OperatorId;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.checkpoint.CheckpointMetadata.EdgeInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.StateAssignment.Misfit;
import io.millrace.task.checkpoint.TaskRestore.InFlightPart;
import io.millrace.task.checkpoint.TaskRestore.InFlightRestore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Distributes the records that were in flight in a checkpoint to the consumers of a job. A consumer
 * gets those that waited at the producers, too, so that producers need not send them again. Pure.
 *
 * <table>
 * <caption>Which former consumers' channels a consumer gets</caption>
 * <tr><th>partitioning</th><th>same parallelism</th><th>another one</th></tr>
 * <tr><td>HASH</td><td>its own</td><td>those whose key groups it has a part of; it keeps the
 * records of its own key groups</td></tr>
 * <tr><td>CUSTOM</td><td>its own</td><td>all; it keeps the records that the partitioner gives to
 * it</td></tr>
 * <tr><td>BROADCAST</td><td>its own</td><td>those of the subtask whose broadcast state it
 * gets</td></tr>
 * <tr><td>FORWARD, RESCALE, REBALANCE, SHUFFLE</td><td>its own</td><td>a share of whole
 * consumers</td></tr>
 * </table>
 */
record InFlightAssignment(CheckpointMetadata metadata, JobGraph job) {
  /** The input of one subtask, in order of its edges. */
  List<InFlightRestore> of(JobVertex vertex, int subtask) {
    if (metadata.edges().isEmpty()) {
      return List.of();
    }
    Map<Integer, JobEdge> claimed = claimed();
    List<InFlightRestore> restores = new ArrayList<>();
    for (int edge = 0; edge < metadata.edges().size(); edge++) {
      JobEdge now = claimed.get(edge);
      if (now != null && now.target().equals(vertex.id())) {
        share(edge, now, subtask).ifPresent(restores::add);
      }
    }
    return restores;
  }

  /**
   * The edges of the job that former edges have become, by former id. Of several edges between the
   * same operators the first becomes the first.
   */
  private Map<Integer, JobEdge> claimed() {
    Map<Integer, JobEdge> claimed = new LinkedHashMap<>();
    List<JobEdge> free = new ArrayList<>(job.edges());
    for (int edge = 0; edge < metadata.edges().size(); edge++) {
      EdgeInfo before = metadata.edges().get(edge);
      Optional<JobEdge> now =
          free.stream().filter(each -> EdgeInfo.of(job, each).connectsAs(before)).findFirst();
      if (now.isPresent()) {
        free.remove(now.get());
        claimed.put(edge, now.get());
      }
    }
    return claimed;
  }

  /** The edges whose records no edge of the job takes. */
  List<Misfit> unclaimed() {
    Map<Integer, JobEdge> claimed = claimed();
    List<Misfit> misfits = new ArrayList<>();
    for (int edge = 0; edge < metadata.edges().size(); edge++) {
      EdgeInfo before = metadata.edges().get(edge);
      int id = edge;
      long bytes =
          metadata.vertices().stream()
              .flatMap(vertex -> vertex.subtasks().stream())
              .flatMap(state -> state.inFlight().stream())
              .filter(records -> records.edge() == id)
              .mapToLong(records -> records.handle().size())
              .sum();
      if (bytes > 0 && !claimed.containsKey(edge)) {
        misfits.add(
            new Misfit.UnclaimedRecords(nameOf(before.source()), nameOf(before.target()), bytes));
      }
    }
    return misfits;
  }

  private String nameOf(OperatorId operator) {
    return metadata
        .vertexOf(operator)
        .flatMap(
            vertex ->
                vertex.operators().stream().filter(info -> info.id().equals(operator)).findFirst())
        .map(CheckpointMetadata.OperatorInfo::name)
        .orElse(operator.toString());
  }

  private Optional<InFlightRestore> share(int edge, JobEdge now, int subtask) {
    EdgeInfo before = metadata.edges().get(edge);
    VertexState producers = metadata.vertexOf(before.source()).orElseThrow();
    VertexState consumers = metadata.vertexOf(before.target()).orElseThrow();
    JobVertex target = job.vertex(now.target());
    boolean sameConsumers =
        consumers.parallelism() == target.parallelism()
            && before.partitioning() == now.partitioning()
            && (now.partitioning() != Partitioning.HASH
                || consumers.maxParallelism() == target.maxParallelism());
    Share share =
        sameConsumers
            ? new Share(subtask, subtask + 1, false)
            : share(now.partitioning(), before, consumers, target, subtask);
    List<InFlightPart> parts = new ArrayList<>();
    for (int consumer = share.first; consumer < share.end; consumer++) {
      add(consumers, consumer, edge, true, parts);
    }
    for (int producer = 0; producer < producers.subtasks().size(); producer++) {
      add(producers, producer, edge, false, parts);
    }
    return parts.isEmpty() || share.first == share.end
        ? Optional.empty()
        : Optional.of(
            new InFlightRestore(
                now.id(),
                producers.parallelism(),
                share.first,
                share.end,
                sameConsumers && producers.parallelism() == job.vertex(now.source()).parallelism(),
                share.filtered,
                parts));
  }

  private record Share(int first, int end, boolean filtered) {}

  private static Share share(
      Partitioning partitioning,
      EdgeInfo edge,
      VertexState consumers,
      JobVertex target,
      int subtask) {
    int before = consumers.parallelism();
    return switch (partitioning) {
      case HASH ->
          edge.partitioning() == Partitioning.HASH
                  && consumers.maxParallelism() == target.maxParallelism()
              ? keyGroups(before, target, subtask)
              : new Share(0, before, true);
      case CUSTOM -> new Share(0, before, true);
      case BROADCAST -> new Share(subtask % before, subtask % before + 1, false);
      case FORWARD, RESCALE, REBALANCE, SHUFFLE ->
          new Share(
              start(before, target.parallelism(), subtask),
              start(before, target.parallelism(), subtask + 1),
              false);
    };
  }

  private static Share keyGroups(int before, JobVertex target, int subtask) {
    int max = target.maxParallelism();
    KeyGroupRange own = KeyGroupRange.of(max, target.parallelism(), subtask);
    int first = 0;
    while (first < before && !KeyGroupRange.of(max, before, first).intersects(own)) {
      first++;
    }
    int end = first;
    while (end < before && KeyGroupRange.of(max, before, end).intersects(own)) {
      end++;
    }
    return new Share(first, end, true);
  }

  private static int start(int former, int parallelism, int subtask) {
    return (int) ((long) former * subtask / parallelism);
  }

  private static void add(
      VertexState vertex, int subtask, int edge, boolean input, List<InFlightPart> to) {
    if (subtask < vertex.subtasks().size()) {
      SubtaskState state = vertex.subtasks().get(subtask);
      for (TaskSnapshot.InFlight records : state.inFlight()) {
        if (records.edge() == edge && records.input() == input) {
          to.add(new InFlightPart(input, subtask, records.handle()));
        }
      }
    }
  }
}
