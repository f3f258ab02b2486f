package io.millrace.task.checkpoint;

import io.millrace.core.Bytes;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.Partitioning;
import io.millrace.task.checkpoint.CheckpointMetadata.EdgeInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.OperatorSnapshot.Keyed;
import io.millrace.task.checkpoint.OperatorSnapshot.ListState;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

/** Generates metadata of checkpoints with everything that they may have. */
final class RandomMetadata {
  private static final int MAX_PARALLELISM = 16;

  private final Random random;
  private int operators;

  RandomMetadata(long seed) {
    this.random = new Random(seed);
  }

  CheckpointMetadata next() {
    List<VertexState> vertices = list(4, this::vertex);
    List<EdgeInfo> edges =
        operators == 0
            ? List.of()
            : list(
                3,
                i ->
                    new EdgeInfo(
                        operator(random.nextInt(operators)),
                        random.nextBoolean() ? "" : "late " + i,
                        operator(random.nextInt(operators)),
                        any(Partitioning.values())));
    return new CheckpointMetadata(
        new JobId(new Id128(random.nextLong(), random.nextLong())),
        number(),
        random.nextLong(),
        any(CheckpointRequest.Type.values()),
        vertices,
        edges);
  }

  static OperatorId operator(int number) {
    return new OperatorId(new Id128(1, number));
  }

  private VertexState vertex(int number) {
    int parallelism = 1 + random.nextInt(4);
    List<OperatorInfo> chain = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      chain.add(new OperatorInfo(operator(operators), "operator \u00e9\n" + operators));
      operators++;
    }
    return new VertexState(
        new VertexId(new Id128(2, number)),
        "vertex -> " + number,
        parallelism,
        MAX_PARALLELISM,
        chain,
        list(
            parallelism + 1,
            subtask ->
                random.nextInt(5) == 0
                    ? SubtaskState.FINISHED
                    : new SubtaskState(
                        random.nextBoolean(),
                        chain.stream().map(info -> operator(info.id(), subtask)).toList(),
                        list(
                            3,
                            i ->
                                new TaskSnapshot.InFlight(
                                    random.nextInt(3), random.nextBoolean(), handle())))));
  }

  OperatorSnapshot operator(OperatorId id, int subtask) {
    return new OperatorSnapshot(
        id,
        list(
            3,
            i ->
                new Keyed(
                    new KeyGroupRange(subtask, subtask + 1 + random.nextInt(3)),
                    random.nextBoolean() ? Keyed.CANONICAL : "rocksdb",
                    handle(),
                    list(3, file -> segment()))),
        list(
            3,
            i ->
                new ListState(
                    "state " + i, any(Redistribution.values()), random.nextInt(9), handle())));
  }

  StateHandle handle() {
    if (random.nextBoolean()) {
      return segment();
    }
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    return new StateHandle.Inline(Bytes.wrap(bytes));
  }

  private StateHandle.FileSegment segment() {
    boolean shared = random.nextBoolean();
    return new StateHandle.FileSegment(
        shared ? StateHandle.Directory.SHARED : StateHandle.Directory.EXCLUSIVE,
        shared ? SharedFileName.of(1 + random.nextInt(4), random.nextLong()) : "state-" + number(),
        number(),
        number(),
        random.nextInt());
  }

  private long number() {
    return random.nextInt(6) == 0 ? random.nextLong(1L << 40) : random.nextInt(200);
  }

  private <T> T any(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private <T> List<T> list(int limit, IntFunction<T> element) {
    List<T> list = new ArrayList<>();
    int size = random.nextInt(limit);
    for (int i = 0; i < size; i++) {
      list.add(element.apply(i));
    }
    return list;
  }
}
