package io.millrace.task.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.checkpoint.CheckpointMetadata.EdgeInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.StateAssignment.Misfit;
import io.millrace.task.checkpoint.TaskRestore.InFlightPart;
import io.millrace.task.checkpoint.TaskRestore.InFlightRestore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records in flight are neither lost nor doubled, whatever the parallelism. */
class InFlightAssignmentTest {
  private static final int SEEDS = 300;
  private static final int MAX_PARALLELISM = 12;
  private static final VertexId SOURCE = new VertexId(new Id128(2, 1));
  private static final VertexId TARGET = new VertexId(new Id128(2, 2));
  private static final OperatorId PRODUCER = new OperatorId(new Id128(1, 1));
  private static final OperatorId CONSUMER = new OperatorId(new Id128(1, 2));

  private static JobVertex vertex(VertexId id, OperatorId operator, int parallelism) {
    return new JobVertex(
        id,
        "vertex",
        parallelism,
        MAX_PARALLELISM,
        "default",
        List.of(new ChainedOperator(operator, "op", -1, Bytes.EMPTY)));
  }

  private static JobEdge edge(int id, Partitioning partitioning) {
    return new JobEdge(id, SOURCE, 0, TARGET, 0, partitioning, Bytes.EMPTY);
  }

  private static JobGraph job(int producers, int consumers, Partitioning... edges) {
    List<JobEdge> all = new ArrayList<>();
    for (Partitioning partitioning : edges) {
      all.add(edge(all.size(), partitioning));
    }
    return new JobGraph(
        new JobId(new Id128(3, 3)),
        "job",
        JobType.STREAMING,
        List.of(vertex(SOURCE, PRODUCER, producers), vertex(TARGET, CONSUMER, consumers)),
        all,
        List.of(),
        Configuration.EMPTY);
  }

  private static StateHandle handle(String file) {
    return new StateHandle.FileSegment(StateHandle.Directory.EXCLUSIVE, file, 0, 10, 0);
  }

  /** A checkpoint in which each subtask has stored records of each edge. */
  private static CheckpointMetadata checkpoint(JobGraph job) {
    List<VertexState> vertices = new ArrayList<>();
    for (JobVertex vertex : job.vertices()) {
      boolean consumes = vertex.id().equals(TARGET);
      List<SubtaskState> subtasks = new ArrayList<>();
      for (int subtask = 0; subtask < vertex.parallelism(); subtask++) {
        List<TaskSnapshot.InFlight> records = new ArrayList<>();
        for (JobEdge edge : job.edges()) {
          records.add(
              new TaskSnapshot.InFlight(
                  edge.id(), consumes, handle((consumes ? "in-" : "out-") + edge.id() + subtask)));
        }
        subtasks.add(new SubtaskState(false, List.of(), records));
      }
      vertices.add(
          new VertexState(
              vertex.id(),
              vertex.name(),
              vertex.parallelism(),
              vertex.maxParallelism(),
              List.of(new OperatorInfo(vertex.operators().get(0).id(), "op")),
              subtasks));
    }
    return new CheckpointMetadata(
        job.id(), 1, 0, CheckpointRequest.Type.CHECKPOINT, vertices, EdgeInfo.of(job));
  }

  private static Optional<InFlightRestore> restored(
      CheckpointMetadata before, JobGraph now, int subtask) {
    List<InFlightRestore> restores =
        new InFlightAssignment(before, now).of(now.vertex(TARGET), subtask);
    assertThat(restores).hasSizeLessThanOrEqualTo(1);
    return restores.stream().findFirst();
  }

  private static List<Integer> consumers(Optional<InFlightRestore> share) {
    return share
        .map(restore -> IntStream.range(restore.firstConsumer(), restore.endConsumer()).boxed())
        .orElseGet(Stream::of)
        .toList();
  }

  private static void assertComplete(InFlightRestore share, int producers) {
    assertThat(share.producers()).isEqualTo(producers);
    assertThat(share.parts().stream().filter(InFlightPart::input).map(InFlightPart::subtask))
        .containsExactlyElementsOf(consumers(Optional.of(share)));
    assertThat(share.parts().stream().filter(part -> !part.input()).map(InFlightPart::subtask))
        .as("what waited at any producer may be for the share")
        .containsExactlyElementsOf(IntStream.range(0, producers).boxed().toList());
  }

  @ParameterizedTest
  @EnumSource(Partitioning.class)
  void eachSubtaskKeepsItsChannelsWhereTheParallelismStays(Partitioning partitioning) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int producers = 1 + random.nextInt(MAX_PARALLELISM);
      int consumers = 1 + random.nextInt(MAX_PARALLELISM);
      int otherProducers = 1 + random.nextInt(MAX_PARALLELISM);
      CheckpointMetadata before = checkpoint(job(producers, consumers, partitioning));
      for (int subtask = 0; subtask < consumers; subtask++) {
        InFlightRestore same =
            restored(before, job(producers, consumers, partitioning), subtask).orElseThrow();
        assertThat(consumers(Optional.of(same))).containsExactly(subtask);
        assertThat(same.filtered()).isFalse();
        assertThat(same.sameChannels()).isTrue();
        assertComplete(same, producers);
        assertThat(
                restored(before, job(otherProducers, consumers, partitioning), subtask)
                    .orElseThrow()
                    .sameChannels())
            .isEqualTo(producers == otherProducers);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Partitioning.class,
      names = {"FORWARD", "RESCALE", "REBALANCE"})
  void eachFormerConsumerBelongsToOneSubtaskOfAnotherParallelism(Partitioning partitioning) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int former = 1 + random.nextInt(MAX_PARALLELISM);
      int now = 1 + random.nextInt(MAX_PARALLELISM);
      CheckpointMetadata before = checkpoint(job(3, former, partitioning));
      List<Integer> all = new ArrayList<>();
      for (int subtask = 0; subtask < now; subtask++) {
        Optional<InFlightRestore> share = restored(before, job(3, now, partitioning), subtask);
        all.addAll(consumers(share));
        share.ifPresent(
            restore -> {
              assertThat(restore.filtered()).isFalse();
              assertComplete(restore, 3);
            });
      }
      assertThat(all)
          .as("seed %s", seed)
          .containsExactlyElementsOf(IntStream.range(0, former).boxed().toList());
    }
  }

  @Test
  void aSubtaskGetsTheConsumersThatHadAPartOfItsKeyGroups() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      int former = 1 + random.nextInt(MAX_PARALLELISM);
      int now = 1 + random.nextInt(MAX_PARALLELISM);
      if (former == now) {
        continue;
      }
      CheckpointMetadata before = checkpoint(job(2, former, Partitioning.HASH));
      for (int subtask = 0; subtask < now; subtask++) {
        KeyGroupRange own = KeyGroupRange.of(MAX_PARALLELISM, now, subtask);
        InFlightRestore share =
            restored(before, job(2, now, Partitioning.HASH), subtask).orElseThrow();
        assertThat(consumers(Optional.of(share)))
            .as("seed %s", seed)
            .containsExactlyElementsOf(
                IntStream.range(0, former)
                    .filter(
                        consumer ->
                            KeyGroupRange.of(MAX_PARALLELISM, former, consumer).intersects(own))
                    .boxed()
                    .toList());
        assertThat(share.filtered()).as("it keeps the records of its key groups").isTrue();
        assertComplete(share, 2);
      }
    }
  }

  @Test
  void aCustomPartitionerDecidesAboutAllRecordsOfAnotherParallelism() {
    CheckpointMetadata before = checkpoint(job(2, 3, Partitioning.CUSTOM));
    for (int subtask = 0; subtask < 5; subtask++) {
      InFlightRestore share =
          restored(before, job(2, 5, Partitioning.CUSTOM), subtask).orElseThrow();
      assertThat(consumers(Optional.of(share))).containsExactly(0, 1, 2);
      assertThat(share.filtered()).isTrue();
    }
  }

  @Test
  void aSubtaskGetsTheBroadcastRecordsOfOneFormerConsumer() {
    CheckpointMetadata before = checkpoint(job(2, 3, Partitioning.BROADCAST));
    for (int subtask = 0; subtask < 7; subtask++) {
      InFlightRestore share =
          restored(before, job(2, 7, Partitioning.BROADCAST), subtask).orElseThrow();
      assertThat(consumers(Optional.of(share))).containsExactly(subtask % 3);
      assertThat(share.filtered()).isFalse();
    }
  }

  @Test
  void recordsOfAnEdgeThatIsHashedNowGoToTheOwnersOfTheirKeys() {
    CheckpointMetadata before = checkpoint(job(2, 3, Partitioning.REBALANCE));
    for (int subtask = 0; subtask < 3; subtask++) {
      InFlightRestore share = restored(before, job(2, 3, Partitioning.HASH), subtask).orElseThrow();
      assertThat(consumers(Optional.of(share))).containsExactly(0, 1, 2);
      assertThat(share.filtered()).isTrue();
    }
  }

  @Test
  void edgesBetweenTheSameOperatorsAreTakenInTheirOrder() {
    JobGraph job = job(1, 1, Partitioning.FORWARD, Partitioning.REBALANCE);
    List<InFlightRestore> restores =
        new InFlightAssignment(checkpoint(job), job).of(job.vertex(TARGET), 0);
    assertThat(restores).extracting(InFlightRestore::edge).containsExactly(0, 1);
    assertThat(restores.get(1).parts())
        .containsExactly(
            new InFlightPart(true, 0, handle("in-10")),
            new InFlightPart(false, 0, handle("out-10")));
  }

  @Test
  void tellsWhichRecordsNoEdgeTakes() {
    CheckpointMetadata before = checkpoint(job(2, 3, Partitioning.FORWARD, Partitioning.REBALANCE));
    assertThat(new InFlightAssignment(before, job(4, 4, Partitioning.HASH)).unclaimed())
        .containsExactly(new Misfit.UnclaimedRecords("op", "op", 50));
    assertThat(
            new InFlightAssignment(before, job(1, 1, Partitioning.HASH, Partitioning.HASH))
                .unclaimed())
        .isEmpty();
  }

  @Test
  void aCheckpointWithoutRecordsInFlightRestoresNone() {
    JobGraph job = job(2, 2, Partitioning.HASH);
    CheckpointMetadata before = checkpoint(job);
    CheckpointMetadata aligned =
        new CheckpointMetadata(
            before.job(), 1, 0, CheckpointRequest.Type.CHECKPOINT, before.vertices());
    assertThat(restored(aligned, job, 0)).isEmpty();
  }
}
