package io.millrace.control.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.Messages;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckpointStoreTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));
  private static final CheckpointRetention DELETED =
      CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS;

  private final CheckpointStore store =
      new CheckpointStore(new MemoryHaStore(), RecordCodec.of(Messages.table()));

  /** It would complete a checkpoint that its successor does not restore. */
  @Test
  void formerLeaderCompletesNothingAfterItsSuccessorHasRead() {
    store.begin(JOB, true, 1);
    store.reserve(JOB, 1, "/c", DELETED, 1);
    store.complete(JOB, List.of(checkpoint(1)), List.of(), 1);
    store.reserve(JOB, 2, "/c", DELETED, 1);

    assertThat(store.begin(JOB, true, 2).completed()).containsExactly(checkpoint(1));
    assertThatThrownBy(() -> store.complete(JOB, List.of(checkpoint(2)), List.of(), 1))
        .isInstanceOf(StaleWriteException.class);
    assertThat(store.read(JOB).completed()).containsExactly(checkpoint(1));
  }

  @Test
  void firstCheckpointOfAFormerLeaderDoesNotCompleteEither() {
    store.begin(JOB, true, 2);
    assertThatThrownBy(() -> store.reserve(JOB, 1, "/c", DELETED, 1))
        .isInstanceOf(StaleWriteException.class);
  }

  /** Else it would delete the directory of its successor's checkpoint when it gives up its own. */
  @Test
  void formerLeaderDoesNotReserveANumberOfItsSuccessor() {
    store.begin(JOB, true, 1);
    store.begin(JOB, true, 2);
    store.reserve(JOB, 1, "/c", DELETED, 2);
    assertThatThrownBy(() -> store.reserve(JOB, 1, "/c", DELETED, 1))
        .isInstanceOf(StaleWriteException.class);
  }

  @Test
  void jobWithoutCheckpointsHasNoEntry() {
    assertThat(store.begin(JOB, false, 1).completed()).isEmpty();
    assertThatThrownBy(() -> store.complete(JOB, List.of(checkpoint(1)), List.of(), 1))
        .isInstanceOf(StaleWriteException.class);
  }

  /** The Dispatcher, which removes it, has terms of its own. */
  @Test
  void removesWhatLeadersOfAnyTermHaveWritten() {
    store.begin(JOB, true, 7);
    store.reserve(JOB, 3, "/c", DELETED, 7);
    store.remove(JOB);
    assertThat(store.read(JOB).lastNumber()).isZero();
    assertThatThrownBy(() -> store.complete(JOB, List.of(checkpoint(3)), List.of(), 7))
        .as("a write that was on its way leaves nothing")
        .isInstanceOf(StaleWriteException.class);
  }

  private static CompletedCheckpoint checkpoint(long number) {
    return new CompletedCheckpoint(
        number, 5, CheckpointRequest.Type.CHECKPOINT, "/c/chk-" + number, 1);
  }
}
