package io.millrace.task.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.KeyGroups;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.CheckpointMetadata.SubtaskState;
import io.millrace.task.checkpoint.CheckpointMetadata.VertexState;
import io.millrace.task.checkpoint.OperatorSnapshot.Keyed;
import io.millrace.task.checkpoint.OperatorSnapshot.ListState;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import io.millrace.task.checkpoint.TaskRestore.OperatorRestore;
import io.millrace.task.checkpoint.TaskRestore.RestoredList;
import io.millrace.task.checkpoint.TaskRestore.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** State is neither lost nor doubled, whatever the parallelism. A failure names its seed. */
class StateAssignmentTest {
  private static final int SEEDS = 500;

  private static OperatorId operator(int number) {
    return new OperatorId(new Id128(1, number));
  }

  private static JobVertex vertex(int parallelism, int maxParallelism, OperatorId... operators) {
    List<ChainedOperator> chain = new ArrayList<>();
    for (OperatorId id : operators) {
      chain.add(new ChainedOperator(id, "op", chain.size() - 1, Bytes.EMPTY));
    }
    return new JobVertex(
        new VertexId(new Id128(2, 1)), "vertex", parallelism, maxParallelism, "default", chain);
  }

  private static StateHandle handle(int number) {
    return new StateHandle.FileSegment(StateHandle.Directory.EXCLUSIVE, "file-" + number, 0, 10, 0);
  }

  @Test
  @Behaviour("H3: every key group is restored by the subtask that gets its records")
  void everyGroupBelongsToTheSubtaskThatGetsItsRecords() {
    Random random = new Random(7);
    for (int i = 0; i < 2000; i++) {
      int maxParallelism = 1 + random.nextInt(i % 10 == 0 ? 32768 : 200);
      int parallelism = 1 + random.nextInt(maxParallelism);
      int next = 0;
      for (int subtask = 0; subtask < Math.min(parallelism, 300); subtask++) {
        KeyGroupRange range = KeyGroupRange.of(maxParallelism, parallelism, subtask);
        assertThat(range.first()).isEqualTo(next);
        next = range.end();
        for (int group : new int[] {range.first(), range.end() - 1}) {
          if (range.contains(group)) {
            assertThat(KeyGroups.subtaskOf(group, maxParallelism, parallelism))
                .as("group %s of %s at %s", group, maxParallelism, parallelism)
                .isEqualTo(subtask);
          }
        }
      }
      if (parallelism <= 300) {
        assertThat(next).isEqualTo(maxParallelism);
      }
    }
  }

  @Test
  void rangesIntersectIfTheyHaveAGroupInCommon() {
    Random random = new Random(8);
    for (int i = 0; i < 5000; i++) {
      int first = random.nextInt(10);
      int other = random.nextInt(10);
      KeyGroupRange one = new KeyGroupRange(first, first + random.nextInt(5));
      KeyGroupRange two = new KeyGroupRange(other, other + random.nextInt(5));
      boolean common =
          IntStream.range(0, 20).anyMatch(group -> one.contains(group) && two.contains(group));
      assertThat(one.intersects(two)).as("%s and %s", one, two).isEqualTo(common);
    }
    assertThatThrownBy(() -> new KeyGroupRange(3, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> KeyGroupRange.of(4, 2, 2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** A checkpoint of one operator with random state; some subtasks had finished. */
  private static VertexState before(Random random, int parallelism, int maxParallelism) {
    List<SubtaskState> subtasks = new ArrayList<>();
    int files = 0;
    for (int subtask = 0; subtask < parallelism; subtask++) {
      if (random.nextInt(5) == 0) {
        subtasks.add(SubtaskState.FINISHED);
        continue;
      }
      List<ListState> lists = new ArrayList<>();
      for (Redistribution redistribution : Redistribution.values()) {
        int elements =
            redistribution == Redistribution.BROADCAST ? 3 : random.nextInt(random.nextInt(20) + 1);
        lists.add(new ListState(redistribution.name(), redistribution, elements, handle(files++)));
      }
      subtasks.add(
          new SubtaskState(
              false,
              List.of(
                  new OperatorSnapshot(
                      operator(1),
                      List.of(
                          new Keyed(
                              KeyGroupRange.of(maxParallelism, parallelism, subtask),
                              Keyed.CANONICAL,
                              handle(files++))),
                      lists)),
              List.of()));
    }
    return new VertexState(
        new VertexId(new Id128(2, 1)),
        "vertex",
        parallelism,
        maxParallelism,
        List.of(new OperatorInfo(operator(1), "op")),
        subtasks);
  }

  private static StateAssignment assignment(VertexState... vertices) {
    return new StateAssignment(
        new CheckpointMetadata(
            new JobId(new Id128(3, 3)), 5, 0, CheckpointRequest.Type.CHECKPOINT, List.of(vertices)),
        "/chk-5",
        "/shared");
  }

  @Test
  @Behaviour("H4: state is neither lost nor doubled when the parallelism changes")
  void everyElementAndEveryGroupIsRestoredAsItsRedistributionSays() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      int maxParallelism = 1 + random.nextInt(40);
      VertexState before = before(random, 1 + random.nextInt(maxParallelism), maxParallelism);
      int parallelism = 1 + random.nextInt(maxParallelism);
      JobVertex now = vertex(parallelism, maxParallelism, operator(1));
      List<OperatorSnapshot> stored =
          before.subtasks().stream().flatMap(state -> state.operators().stream()).toList();

      Map<String, Integer> splitElements = new HashMap<>();
      Map<Integer, Integer> groups = new HashMap<>();
      int fewest = Integer.MAX_VALUE;
      int most = 0;
      for (int subtask = 0; subtask < parallelism; subtask++) {
        TaskRestore restore = assignment(before).of(job(now), now, subtask).orElseThrow();
        assertThat(restore.finished())
            .as("seed %s", seed)
            .isEqualTo(before.subtasks().stream().allMatch(SubtaskState::finished));
        OperatorRestore operator = restore.operator(operator(1)).orElseThrow();
        for (int group = operator.groups().first(); group < operator.groups().end(); group++) {
          int wanted = group;
          groups.merge(
              group,
              (int) operator.keyed().stream().filter(k -> k.groups().contains(wanted)).count(),
              Integer::sum);
          assertThat(KeyGroups.subtaskOf(group, maxParallelism, parallelism)).isEqualTo(subtask);
        }
        assertThat(operator.keyed()).allMatch(k -> k.groups().intersects(operator.groups()));
        int own = 0;
        for (RestoredList list : operator.lists()) {
          List<ListState> pieces =
              stored.stream()
                  .flatMap(state -> state.lists().stream())
                  .filter(state -> state.name().equals(list.name()))
                  .toList();
          switch (list.redistribution()) {
            case SPLIT -> {
              for (Slice slice : list.slices()) {
                for (int i = slice.from(); i < slice.to(); i++) {
                  splitElements.merge(slice.handle() + " " + i, 1, Integer::sum);
                  own++;
                }
              }
            }
            case UNION ->
                assertThat(list.slices())
                    .as("seed %s", seed)
                    .isEqualTo(
                        pieces.stream()
                            .map(piece -> new Slice(piece.handle(), 0, piece.elements()))
                            .toList());
            case BROADCAST -> {
              assertThat(list.slices()).as("seed %s", seed).hasSize(1);
              assertThat(pieces)
                  .anyMatch(piece -> piece.handle().equals(list.slices().get(0).handle()));
              assertThat(list.slices().get(0).to()).isEqualTo(3);
            }
          }
        }
        fewest = Math.min(fewest, own);
        most = Math.max(most, own);
      }
      if (parallelism != before.parallelism()) {
        assertThat(most - fewest).as("seed %s: even", seed).isLessThanOrEqualTo(1);
      }
      Map<String, Integer> all = new HashMap<>();
      for (OperatorSnapshot state : stored) {
        for (ListState list : state.lists()) {
          for (int i = 0;
              list.redistribution() == Redistribution.SPLIT && i < list.elements();
              i++) {
            all.put(list.handle() + " " + i, 1);
          }
        }
      }
      assertThat(splitElements).as("seed %s", seed).isEqualTo(all);
      for (int group = 0; group < maxParallelism; group++) {
        int wanted = group;
        long pieces =
            stored.stream()
                .flatMap(state -> state.keyed().stream())
                .filter(piece -> piece.groups().contains(wanted))
                .count();
        assertThat(groups.get(group)).as("seed %s", seed).isEqualTo((int) pieces);
      }
    }
  }

  /** A region that restarts alone must not give its elements to a subtask that goes on. */
  @Test
  @Behaviour("H4: state is neither lost nor doubled when a part of a job restarts")
  void everySubtaskKeepsItsElementsWhereTheParallelismStays() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      int parallelism = 1 + random.nextInt(10);
      VertexState before = before(random, parallelism, 10);
      JobVertex now = vertex(parallelism, 10, operator(1));
      for (int subtask = 0; subtask < parallelism; subtask++) {
        List<Slice> own =
            before.subtasks().get(subtask).operators().stream()
                .flatMap(state -> state.lists().stream())
                .filter(
                    list -> list.redistribution() == Redistribution.SPLIT && list.elements() > 0)
                .map(list -> new Slice(list.handle(), 0, list.elements()))
                .toList();
        assertThat(
                assignment(before)
                    .of(job(now), now, subtask)
                    .orElseThrow()
                    .operators()
                    .get(0)
                    .lists())
            .filteredOn(list -> list.redistribution() == Redistribution.SPLIT)
            .flatExtracting(RestoredList::slices)
            .as("seed %s", seed)
            .isEqualTo(own);
      }
    }
  }

  private static JobGraph job(JobVertex... vertices) {
    return new JobGraph(
        new JobId(new Id128(3, 3)),
        "job",
        JobType.STREAMING,
        List.of(vertices),
        List.of(),
        List.of(),
        Configuration.EMPTY);
  }

  @Test
  void tellsWhichStateTheJobHasNoOperatorFor() {
    VertexState before = before(new Random(1), 2, 16);
    StateAssignment state = assignment(before);
    JobGraph other = job(vertex(2, 16, operator(9)));
    assertThat(state.check(job(vertex(1, 16, operator(1), operator(2))), false)).isEmpty();
    assertThat(state.check(other, false))
        .singleElement()
        .isInstanceOf(StateAssignment.Misfit.UnclaimedState.class);
    assertThat(state.check(other, true)).isEmpty();
    assertThat(state.of(other, other.vertices().get(0), 0)).isEqualTo(Optional.empty());
  }

  @Test
  void tellsThatTheNumberOfKeyGroupsHasChanged() {
    StateAssignment state = assignment(before(new Random(1), 2, 16));
    assertThat(state.check(job(vertex(1, 32, operator(1))), false))
        .containsExactly(new StateAssignment.Misfit.MaxParallelismChanged("vertex", 16, 32));
  }

  @Test
  void aVertexWithANewOperatorHasNotFinished() {
    VertexState finished =
        new VertexState(
            new VertexId(new Id128(2, 1)),
            "vertex",
            1,
            16,
            List.of(new OperatorInfo(operator(1), "op")),
            List.of(SubtaskState.FINISHED));
    JobVertex same = vertex(2, 16, operator(1));
    assertThat(assignment(finished).of(job(same), same, 1).orElseThrow().finished()).isTrue();
    JobVertex longer = vertex(2, 16, operator(1), operator(2));
    assertThat(assignment(finished).of(job(longer), longer, 1).orElseThrow().finished()).isFalse();
  }
}
