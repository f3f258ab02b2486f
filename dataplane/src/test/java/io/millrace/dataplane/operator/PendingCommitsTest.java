package io.millrace.dataplane.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.sink.CommitFailedException;
import io.millrace.api.sink.Committer;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.snapshot.OperatorStateBackend;
import io.millrace.dataplane.snapshot.OperatorStateBackend.OperatorList;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Committables between the checkpoint that contains them and their commit. */
class PendingCommitsTest {
  /** Commits into a set, and fails as often as it is told to. */
  private static final class Recording implements Committer<Object> {
    final List<Object> committed = new ArrayList<>();
    int calls;
    int failures;
    Exception failure = new IOException("not now");
    boolean closed;

    @Override
    public void commit(List<Object> committables) throws Exception {
      calls++;
      if (failures > 0) {
        failures--;
        throw failure;
      }
      committed.addAll(committables);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private final Recording committer = new Recording();
  private final OperatorList state =
      new OperatorStateBackend().list("committables", Redistribution.SPLIT);
  private final PendingCommits commits = new PendingCommits("sink", committer, state);

  /**
   * A sink that fails at any moment and starts again with any checkpoint that may be complete:
   * everything is committed at least once, and nothing that a later start does not contain.
   */
  @Test
  @Behaviour("H4: the output of a sink is committed with the checkpoint that contains it")
  void everythingIsCommittedWhateverCompletesAndWheneverItRestarts() throws Exception {
    for (long seed = 1; seed <= 300; seed++) {
      Random random = new Random(seed);
      Recording target = new Recording();
      Map<Long, List<Object>> stored = new LinkedHashMap<>();
      Map<Long, Integer> writtenAt = new LinkedHashMap<>();
      OperatorList list = new OperatorStateBackend().list("c", Redistribution.SPLIT);
      PendingCommits pending = new PendingCommits("sink", target, list);
      int written = 0;
      long checkpoint = 0;
      long completed = 0;
      for (int i = 0; i < 60; i++) {
        switch (random.nextInt(6)) {
          case 0, 1 -> {
            List<Object> some = new ArrayList<>();
            for (int n = random.nextInt(3); n > 0; n--) {
              some.add(written++);
            }
            pending.add(some);
          }
          case 2, 3 -> {
            pending.snapshot(++checkpoint);
            stored.put(checkpoint, List.copyOf(list.elements()));
            writtenAt.put(checkpoint, written);
          }
          case 4 -> {
            // Some checkpoints are aborted, so that the task hears only of a later one.
            if (checkpoint > completed && random.nextBoolean()) {
              completed = checkpoint;
              List<Object> now = pending.checkpointCompleted(completed);
              assertThat(target.committed).as("seed %s", seed).containsAll(now);
              assertAllCommitted(target, writtenAt.get(completed), seed);
            }
          }
          default -> {
            // The JobMaster may know that a checkpoint is complete before the task hears of it.
            if (checkpoint > 0 && random.nextInt(4) == 0) {
              completed = Math.max(completed, checkpoint - random.nextInt(2));
              if (completed > 0) {
                list = new OperatorStateBackend().list("c", Redistribution.SPLIT);
                list.update(stored.get(completed));
                pending = new PendingCommits("sink", target, list);
                List<Object> restored = pending.commitRestored();
                assertThat(restored).as("seed %s", seed).isEqualTo(stored.get(completed));
                assertThat(list.elements()).as("they are not committed again").isEmpty();
                written = writtenAt.get(completed);
                checkpoint = completed;
                assertAllCommitted(target, written, seed);
              }
            }
          }
        }
      }
      pending.snapshot(++checkpoint);
      pending.checkpointCompleted(checkpoint);
      assertThat(pending.isEmpty()).as("seed %s", seed).isTrue();
      assertAllCommitted(target, written, seed);
    }
  }

  private static void assertAllCommitted(Recording target, int written, long seed) {
    Set<Object> expected = new LinkedHashSet<>();
    for (int i = 0; i < written; i++) {
      expected.add(i);
    }
    assertThat(target.committed).as("seed %s", seed).containsAll(expected);
  }

  @Test
  void whatNoCheckpointContainsIsNotCommitted() throws Exception {
    commits.add(List.of("a"));
    commits.snapshot(1);
    commits.add(List.of("b"));
    commits.snapshot(2);
    commits.add(List.of("c"));
    assertThat(commits.checkpointCompleted(1)).containsExactly("a");
    assertThat(committer.committed).containsExactly("a");
    assertThat(commits.checkpointCompleted(1)).as("twice").isEmpty();
    assertThat(commits.checkpointCompleted(7)).as("2 is a part of it").containsExactly("b");
    assertThat(commits.isEmpty()).isFalse();
    assertThat(commits.commitAll()).containsExactly("c");
    assertThat(commits.isEmpty()).isTrue();
    assertThat(committer.calls).as("no call without committables").isEqualTo(3);
  }

  @Test
  void theOutputOfAnAbortedCheckpointStaysInTheStateOfTheNext() throws Exception {
    commits.add(List.of("a"));
    commits.snapshot(1);
    assertThat(state.elements()).isEqualTo(List.of("a"));
    commits.add(List.of("b"));
    commits.snapshot(2);
    assertThat(state.elements()).isEqualTo(List.of("a", "b"));
    commits.checkpointCompleted(2);
    commits.snapshot(3);
    assertThat(state.elements()).isEmpty();
  }

  @Test
  @Behaviour("H4: a commit is retried, then fails the task, whose restart commits again")
  void aCommitThatFailsIsRepeatedAndItsOutputKept() throws Exception {
    commits.add(List.of("a", "b"));
    commits.snapshot(1);
    committer.failures = 2;
    assertThat(commits.checkpointCompleted(1)).containsExactly("a", "b");
    assertThat(committer.calls).isEqualTo(3);

    commits.add(List.of("c"));
    commits.snapshot(2);
    committer.failures = 3;
    assertThatThrownBy(() -> commits.checkpointCompleted(2)).hasMessage("not now");
    assertThat(commits.isEmpty()).as("it is not lost").isFalse();
    assertThat(state.elements()).isEqualTo(List.of("c"));
    assertThat(commits.checkpointCompleted(2)).containsExactly("c");
  }

  @Test
  void whatCannotSucceedIsNotRepeated() {
    commits.add(List.of("a"));
    commits.snapshot(1);
    committer.failures = 9;
    committer.failure = new CommitFailedException("the transaction is gone");
    assertThatThrownBy(() -> commits.checkpointCompleted(1))
        .isInstanceOf(CommitFailedException.class);
    assertThat(committer.calls).isEqualTo(1);
    committer.failure = new InterruptedException();
    assertThatThrownBy(() -> commits.checkpointCompleted(1))
        .isInstanceOf(InterruptedException.class);
    assertThat(committer.calls).isEqualTo(2);
  }

  @Test
  void restoredOutputThatCannotBeCommittedStaysInTheState() {
    state.update(List.of("a"));
    committer.failures = 9;
    assertThatThrownBy(commits::commitRestored).hasMessage("not now");
    assertThat(state.elements()).isEqualTo(List.of("a"));
  }

  @Test
  void theCommitterIsClosed() throws Exception {
    commits.close();
    assertThat(committer.closed).isTrue();
  }
}
