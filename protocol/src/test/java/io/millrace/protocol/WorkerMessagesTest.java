package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.AllocationId;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.BlobGateway.ReadBlob;
import io.millrace.protocol.ResourceManagerGateway.AwaitWorkerEnd;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.rpc.leader.LeaderDirectoryGateway.AwaitLeader;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WorkerMessagesTest {
  private static final WorkerId OWN = new WorkerId("taskmanager-1");
  private static final WorkerId OTHER = new WorkerId("taskmanager-2");

  @Test
  @Behaviour("I4: a TaskManager cannot pose as another one, nor send what only JobManagers send")
  void taskManagerReportsOnlyAboutItself() {
    assertThat(WorkerMessages.refusal(slotAvailable(OWN), OWN::equals)).isEmpty();
    assertThat(WorkerMessages.refusal(slotAvailable(OTHER), OWN::equals))
        .contains("it sent SlotAvailable as TaskManager taskmanager-2");
  }

  @Test
  void anyTaskManagerReadsBlobsAndLooksUpLeaders() {
    assertThat(WorkerMessages.refusal(new AwaitLeader("dispatcher", Optional.empty()), id -> false))
        .isEmpty();
    assertThat(WorkerMessages.refusal(new ReadBlob(new BlobKey("0".repeat(64)), 0), id -> false))
        .isEmpty();
  }

  @Test
  @Behaviour("I4: a TaskManager cannot pose as another one, nor send what only JobManagers send")
  void nothingElseIsAcceptedFromATaskManager() {
    // It has a worker, which is not the sender.
    assertThat(WorkerMessages.refusal(new AwaitWorkerEnd(OWN, Duration.ofSeconds(1)), OWN::equals))
        .contains("a TaskManager does not send AwaitWorkerEnd");
    assertThat(WorkerMessages.refusal(new DispatcherGateway.ShutDown(), OWN::equals))
        .contains("a TaskManager does not send ShutDown");
    assertThat(WorkerMessages.refusal(new JobMasterGateway.OverviewExecution(), OWN::equals))
        .isPresent();
  }

  private static SlotAvailable slotAvailable(WorkerId worker) {
    return new SlotAvailable(
        worker, new InstanceId(new Id128(1, 1)), new AllocationId(new Id128(2, 2)));
  }
}
