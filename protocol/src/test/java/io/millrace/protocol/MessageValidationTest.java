package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.JobId;
import io.millrace.core.id.SlotId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.rest.Timeline;
import io.millrace.rpc.Address;
import io.millrace.task.ClusterPartition;
import io.millrace.task.Placement;
import io.millrace.task.TaskSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the constructors of message records refuse. */
class MessageValidationTest {
  private final RecordGenerator generator = RecordGenerator.filled();

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void requirementIsForAtLeastOneSlot(int slots) {
    refused(() -> new Requirement(ResourceProfile.UNSPECIFIED, slots), "at least one slot");
  }

  @Test
  void limitOfWorkersIsNotNegative() {
    refused(() -> new LimitWorkers(-1), "workers must be >= 0");
    assertThat(new LimitWorkers(0).most()).isZero();
  }

  @Test
  void blockNamesATargetAndATimeThatIsNotNegative() {
    refused(() -> new Block(" ", Duration.ZERO, "cause"), "target must not be blank");
    refused(() -> new Block("node", Duration.ofMillis(-1), "cause"), "duration must be >= 0");
    assertThat(new Block("node", Duration.ZERO, "cause").time()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = JobStatus.class,
      mode = EXCLUDE,
      names = {"FINISHED", "FAILED", "CANCELED"})
  void resultHasATerminalStatus(JobStatus status) {
    JobId job = JobId.random(new Random(1));
    refused(() -> new JobResult(job, status, 0, Optional.empty()), "has not ended: " + status);
  }

  @Test
  void endedJobHasOneIdAndOneStatus() {
    JobResult result = generator.record(EndedJob.class).result();
    EndedJob other = generator.record(EndedJob.class);
    refused(() -> new EndedJob(result, other.overview()), "is shown as");

    JobResult sameJob =
        new JobResult(
            other.job(), differentFrom(other.result().status()), 1, other.result().failure());
    refused(() -> new EndedJob(sameJob, other.overview()), "is shown as");
  }

  @Test
  void archivedJobHasDetailsOfItsOwn() {
    ArchivedJob archived = generator.record(ArchivedJob.class);
    EndedJob other = generator.record(EndedJob.class);
    refused(
        () -> new ArchivedJob(other, archived.details(), archived.history()),
        "has the details of job " + archived.job());
  }

  @Test
  void stepOfATimelineDoesNotEndBeforeItStarts() {
    refused(() -> new Timeline.Step(1, "Deploy", "jobmanager", 10, 9, 0, ""), "Deploy ends before");
    assertThat(new Timeline.Step(1, "Deploy", "jobmanager", 10, 10, 0, "").isOpen()).isFalse();
    assertThat(new Timeline.Step(1, "Deploy", "jobmanager", 10, -1, 0, "").isOpen()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"-1, 0, 0", "32768, 4, 5", "32768, 4, -1"})
  void freeNetworkBuffersArePartOfAll(int bytesEach, int buffers, int free) {
    refused(() -> new WorkerInfo.NetworkUse(bytesEach, buffers, free), "network buffers are free");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, (64 << 20) + 1})
  void packedTableHasABoundedSize(int size) {
    refused(() -> new PlacementTable.Packed(Bytes.EMPTY, size), "not " + size);
  }

  @ParameterizedTest
  @CsvSource({"-1, 1, 0", "0, 0, 0", "0, 1, -1", "2147483647, 1, 0"})
  void runOfSubtasksHasAHostAndFitsAnInt(int first, int count, int host) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Placement.Run(first, count, host));
  }

  @ParameterizedTest
  @CsvSource({"-1, 2", "2, 2", "0, 0"})
  void partitionIsOneOfTheTotal(int index, int total) {
    ClusterPartition partition = generator.record(ClusterPartition.class);
    refused(
        () -> new ClusterPartition(partition.dataSet(), partition.producer(), 1, index, total),
        "index must be in 0.." + (total - 1) + ", not " + index);
  }

  @Test
  void taskHasASubtaskAndAnAttempt() {
    TaskSpec task = generator.record(TaskSpec.class);
    refused(
        () -> new TaskSpec(task.vertex(), -1, 0, task.execution()), "must be >= 0, not -1 and 0");
    refused(
        () -> new TaskSpec(task.vertex(), 0, -1, task.execution()), "must be >= 0, not 0 and -1");
  }

  @Test
  void workersSlotsAndAddressesHaveNames() {
    refused(() -> new WorkerId(" "), "1 to 255 characters");
    refused(() -> new WorkerId("x".repeat(256)), "1 to 255 characters");
    refused(() -> new SlotId(new WorkerId("worker"), -1), "index must be >= 0");
    refused(() -> new Address("", "dispatcher"), "a process and an endpoint");
    refused(() -> new Address("host:1", " "), "a process and an endpoint");
  }

  @Test
  void contentOfATokenIsNotInItsText() {
    IssuedToken token = new IssuedToken("hadoopfs", Bytes.utf8("secret"));
    assertThat(token.toString()).isEqualTo("IssuedToken[hadoopfs]");
  }

  private static JobStatus differentFrom(JobStatus status) {
    return status == JobStatus.FINISHED ? JobStatus.FAILED : JobStatus.FINISHED;
  }

  private static void refused(Runnable constructor, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(constructor::run)
        .withMessageContaining(message);
  }
}
