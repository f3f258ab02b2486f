package io.millrace.control.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.ResourceProfile;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredDeployment;
import io.millrace.protocol.StoredDeployment.StoredExecution;
import io.millrace.protocol.StoredDeployment.StoredSlot;
import io.millrace.protocol.TaskManagerGateway.CheckpointOutcomes;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeploymentStoreTest {
  private static final JobId JOB = new JobId(new Id128(1, 2));

  private final DeploymentStore store =
      new DeploymentStore(new MemoryHaStore(), RecordCodec.of(Messages.table()));

  private static StoredDeployment deployment(int attempt) {
    return new StoredDeployment(
        List.of(
            new StoredSlot(
                new AllocationId(new Id128(3, 1)),
                new WorkerId("one"),
                ResourceProfile.UNSPECIFIED)),
        List.of(
            new StoredExecution(
                new ExecutionId(new Id128(4, attempt)), attempt, 0, new CheckpointOutcomes(1, 2))));
  }

  @Test
  void nextLeaderGetsTheLastDeployment() {
    assertThat(store.begin(JOB, true, 1).isEmpty()).isTrue();
    store.put(JOB, deployment(0), 1);
    store.put(JOB, deployment(1), 1);
    store.put(JOB, deployment(1), 1);
    assertThat(store.begin(JOB, true, 2)).isEqualTo(deployment(1));
  }

  /** Else it would deploy tasks although its successor adopts others. */
  @Test
  void formerLeaderStoresNothingAfterItsSuccessorHasRead() {
    store.begin(JOB, true, 1);
    store.put(JOB, deployment(0), 1);
    store.begin(JOB, true, 2);
    assertThatThrownBy(() -> store.put(JOB, deployment(1), 1))
        .isInstanceOf(StaleWriteException.class);
    assertThat(store.begin(JOB, true, 3)).isEqualTo(deployment(0));
  }

  /** Else a later leader would adopt tasks although this one has deployed others. */
  @Test
  void leaderThatKeepsNoTasksRemovesTheDeployment() {
    store.begin(JOB, true, 1);
    store.put(JOB, deployment(0), 1);
    assertThat(store.begin(JOB, false, 2).isEmpty()).isTrue();
    assertThat(store.begin(JOB, true, 3).isEmpty()).isTrue();
  }

  @Test
  void deploymentOfAnEndedJobIsRemoved() {
    store.begin(JOB, true, 1);
    store.put(JOB, deployment(0), 1);
    store.remove(JOB);
    store.remove(JOB);
    assertThatThrownBy(() -> store.put(JOB, deployment(1), 1))
        .isInstanceOf(StaleWriteException.class);
  }
}
