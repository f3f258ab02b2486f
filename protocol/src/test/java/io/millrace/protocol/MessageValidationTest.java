package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.SlotId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.WorkerReply;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.JobMasterReply;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.rest.Timeline;
import io.millrace.rpc.Address;
import io.millrace.rpc.registration.RegistrationStatus;
import io.millrace.task.ClusterPartition;
import io.millrace.task.Placement;
import io.millrace.task.TaskSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the validation in constructors of message records. */
class MessageValidationTest {
  private final RecordGenerator generator = RecordGenerator.filled();

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void requirementIsForAtLeastOneSlot(int slots) {
    assertRejected(() -> new Requirement(ResourceProfile.UNSPECIFIED, slots), "at least one slot");
  }

  @Test
  void limitOfWorkersIsNotNegative() {
    assertRejected(() -> new LimitWorkers(-1), "workers must be >= 0");
    assertThat(new LimitWorkers(0).most()).isZero();
  }

  @Test
  void blockNamesATargetAndATimeThatIsNotNegative() {
    assertRejected(() -> new Block(" ", Duration.ZERO, "cause"), "target must not be blank");
    assertRejected(
        () -> new Block("node", Duration.ofMillis(-1), "cause"), "duration must be >= 0");
    assertThat(new Block("node", Duration.ZERO, "cause").time()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = JobStatus.class,
      mode = EXCLUDE,
      names = {"FINISHED", "FAILED", "CANCELED"})
  void resultHasATerminalStatus(JobStatus status) {
    JobId job = JobId.random(new Random(1));
    assertRejected(
        () -> new JobResult(job, status, 0, Optional.empty()), "has not ended: " + status);
  }

  @ParameterizedTest
  @EnumSource(
      value = JobStatus.class,
      names = {"FINISHED", "FAILED", "CANCELED"})
  void resultHasAFailureExactlyIfItIsFailed(JobStatus status) {
    JobId job = JobId.random(new Random(1));
    Optional<Failure> wrong =
        status == JobStatus.FAILED
            ? Optional.empty()
            : Optional.of(Failure.of(ErrorKind.USER, "broken"));
    assertRejected(
        () -> new JobResult(job, status, 0, wrong),
        "is " + status + (wrong.isPresent() ? " and has a failure" : " and has no failure"));
  }

  @Test
  void registrationReplyHasASuccessOrAReason() {
    for (RegistrationStatus verdict : RegistrationStatus.values()) {
      assertRejected(
          () -> new WorkerReply(verdict, Optional.empty(), Optional.empty()),
          verdict + " without a success or a reason");
      assertRejected(
          () -> new JobMasterReply(verdict, Optional.empty(), Optional.empty()),
          verdict + " without a success or a reason");
      assertRejected(
          () -> new TaskManagerReply(verdict, Optional.empty(), Optional.empty()),
          verdict + " without a success or a reason");
    }
  }

  @Test
  void placementCopiesTheRunsOfItsVertices() {
    List<Placement.Run> runs = new ArrayList<>(List.of(new Placement.Run(0, 1, 0)));
    Map<VertexId, List<Placement.Run>> given = new LinkedHashMap<>();
    VertexId vertex = new VertexId(new Id128(1, 1));
    given.put(vertex, runs);
    Placement placement = new Placement(List.of("host:1"), given);
    runs.clear();
    assertThat(placement.runs().get(vertex)).hasSize(1);
  }

  @Test
  void endedJobHasOneIdAndOneStatus() {
    JobResult result = generator.record(EndedJob.class).result();
    EndedJob other = generator.record(EndedJob.class);
    assertRejected(() -> new EndedJob(result, other.overview()), "is shown as");

    JobResult sameJob = resultWithOtherStatus(other.job(), other.result().status());
    assertRejected(() -> new EndedJob(sameJob, other.overview()), "is shown as");
  }

  @Test
  void archivedJobHasDetailsOfItsOwn() {
    ArchivedJob archived = generator.record(ArchivedJob.class);
    EndedJob other = generator.record(EndedJob.class);
    assertRejected(
        () -> new ArchivedJob(other, archived.details(), archived.history()),
        "has the details of job " + archived.job());
  }

  @Test
  void stepOfATimelineDoesNotEndBeforeItStarts() {
    assertRejected(
        () -> new Timeline.Step(1, "Deploy", "jobmanager", 10, 9, 0, ""), "Deploy ends before");
    assertThat(new Timeline.Step(1, "Deploy", "jobmanager", 10, 10, 0, "").isOpen()).isFalse();
    assertThat(new Timeline.Step(1, "Deploy", "jobmanager", 10, -1, 0, "").isOpen()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"-1, 0, 0", "32768, 4, 5", "32768, 4, -1"})
  void freeNetworkBuffersArePartOfAll(int bytesEach, int buffers, int free) {
    assertRejected(
        () -> new WorkerInfo.NetworkUse(bytesEach, buffers, free), "network buffers are free");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, (64 << 20) + 1})
  void packedTableHasABoundedSize(int size) {
    assertRejected(() -> new PlacementTable.Packed(Bytes.EMPTY, size), "not " + size);
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
    assertRejected(
        () -> new ClusterPartition(partition.dataSet(), partition.producer(), 1, index, total),
        "index must be in 0.." + (total - 1) + ", not " + index);
  }

  @Test
  void taskHasASubtaskAndAnAttempt() {
    TaskSpec task = generator.record(TaskSpec.class);
    assertRejected(
        () -> new TaskSpec(task.vertex(), -1, 0, task.execution()), "must be >= 0, not -1 and 0");
    assertRejected(
        () -> new TaskSpec(task.vertex(), 0, -1, task.execution()), "must be >= 0, not 0 and -1");
  }

  @Test
  void workersSlotsAndAddressesHaveNames() {
    assertRejected(() -> new WorkerId(" "), "1 to 255 characters");
    assertRejected(() -> new WorkerId("x".repeat(256)), "1 to 255 characters");
    assertRejected(() -> new SlotId(new WorkerId("worker"), -1), "index must be >= 0");
    assertRejected(() -> new Address("", "dispatcher"), "a process and an endpoint");
    assertRejected(() -> new Address("host:1", " "), "a process and an endpoint");
  }

  @Test
  void contentOfATokenIsNotInItsText() {
    IssuedToken token = new IssuedToken("hadoopfs", Bytes.utf8("secret"));
    assertThat(token.toString()).isEqualTo("IssuedToken[hadoopfs]");
  }

  private static JobResult resultWithOtherStatus(JobId job, JobStatus status) {
    return status == JobStatus.FINISHED
        ? new JobResult(job, JobStatus.CANCELED, 1, Optional.empty())
        : new JobResult(job, JobStatus.FINISHED, 1, Optional.empty());
  }

  private static void assertRejected(Runnable constructor, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(constructor::run)
        .withMessageContaining(message);
  }
}
