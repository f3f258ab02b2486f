package io.millrace.control.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.Id128;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.task.checkpoint.CheckpointRequest;
import org.junit.jupiter.api.Test;

class CheckpointOperationsTest {
  private final CheckpointOperations operations = new CheckpointOperations();

  private static Id128 id(long number) {
    return new Id128(1, number);
  }

  private static CompletedCheckpoint stored(CheckpointRequest.Type type) {
    return new CompletedCheckpoint(3, 5, type, "/savepoints/one", 7);
  }

  @Test
  void repeatedRequestIsNotNew() {
    assertThat(operations.start(id(1), CheckpointRequest.Type.SAVEPOINT)).isTrue();
    assertThat(operations.start(id(1), CheckpointRequest.Type.SAVEPOINT)).isFalse();
    assertThat(operations.all()).hasSize(1).noneMatch(CheckpointOperation::isDone);
  }

  @Test
  void savepointSucceedsWhenItIsStored() {
    operations.start(id(1), CheckpointRequest.Type.SAVEPOINT);
    operations.stored(id(1), stored(CheckpointRequest.Type.SAVEPOINT));
    assertThat(operations.all().get(0).completed())
        .contains(stored(CheckpointRequest.Type.SAVEPOINT));
  }

  @Test
  void stopSucceedsWhenTheJobHasFinished() {
    operations.start(id(1), CheckpointRequest.Type.SAVEPOINT_SUSPEND);
    operations.stored(id(1), stored(CheckpointRequest.Type.SAVEPOINT_SUSPEND));
    assertThat(operations.all().get(0).isDone()).isFalse();
    operations.jobFinished();
    assertThat(operations.all().get(0).completed()).isPresent();
  }

  @Test
  void stopFailsWithThePathOfItsSavepointIfTasksFailBeforeTheEnd() {
    operations.start(id(1), CheckpointRequest.Type.SAVEPOINT_DRAIN);
    operations.stored(id(1), stored(CheckpointRequest.Type.SAVEPOINT_DRAIN));
    operations.tasksFailed();
    operations.jobFinished();
    assertThat(operations.all().get(0).failure().orElseThrow().message())
        .contains("/savepoints/one");
  }

  @Test
  void oldestEndedOperationsAreDropped() {
    operations.start(id(0), CheckpointRequest.Type.SAVEPOINT);
    for (int i = 1; i <= 100; i++) {
      operations.start(id(i), CheckpointRequest.Type.CHECKPOINT);
      operations.failed(id(i), Failure.of(ErrorKind.EXTERNAL, "no"));
    }
    assertThat(operations.all()).hasSize(50);
    assertThat(operations.all().get(0).id()).isEqualTo(id(100));
    assertThat(operations.all().get(49).id()).as("in progress").isEqualTo(id(0));
  }
}
