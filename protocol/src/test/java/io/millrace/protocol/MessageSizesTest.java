package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.ResourceManagerGateway.DeclareRequirements;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.TaskManagerGateway.CancelTasks;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.TaskManagerGateway.TaskReport;
import io.millrace.protocol.TaskManagerGateway.TriggerCheckpoint;
import io.millrace.protocol.TaskManagerGateway.WorkerReport;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.RpcError;
import io.millrace.task.InputSubtask;
import io.millrace.task.Placement;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskEventTime;
import io.millrace.task.TaskSpec;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Messages that grow with a TaskManager or a cluster fit into the limit of a message, with the
 * numbers that large installations have and random ids, which do not get shorter on the wire.
 */
class MessageSizesTest {
  private static final Random RANDOM = new Random(1);
  private static final WorkerId WORKER = new WorkerId("container_e17_1700000000000_0042_01_001234");
  private static final JobId JOB = JobId.random(RANDOM);
  private static final LeaderToken LEADER =
      new LeaderToken(1_700_000_000_000L, Id128.random(RANDOM));
  private static final VertexId VERTEX = VertexId.random(RANDOM);
  private static final ResourceProfile PROFILE =
      new ResourceProfile(1.25, 123_456_789, 12_345_678, 1_234_567_890, 98_765_432);

  private static <T> List<T> times(int count, Function<Integer, T> element) {
    return IntStream.range(0, count).boxed().map(element).toList();
  }

  private static List<ExecutionId> executions(int count) {
    return times(count, i -> ExecutionId.random(RANDOM));
  }

  private static TaskCounters counters() {
    long large = 123_456_789_012L;
    return new TaskCounters(
            ExecutionId.random(RANDOM), large, large, large, large, large, large, large)
        .at(
            new TaskEventTime(
                large, large, large, large, 1000, 10, Optional.of(new InputSubtask(VERTEX, 999))));
  }

  private static Placement spread(int hosts) {
    return new Placement(
        times(hosts, i -> "worker-%05d.cluster.example.org:%d".formatted(i, 40_000 + i % 1000)),
        Map.of(VERTEX, times(hosts, i -> new Placement.Run(4 * i, 4, i))));
  }

  private static SlotReport slots(int count) {
    return new SlotReport(
        times(
            count,
            i ->
                new SlotStatus(
                    i, PROFILE, Optional.of(new Occupant(AllocationId.random(RANDOM), JOB)))),
        List.of());
  }

  static Stream<Arguments> messages() {
    return Stream.of(
        arguments(
            "report of a TaskManager with 3000 tasks of a job",
            new TaskReport(
                times(500, i -> AllocationId.random(RANDOM)),
                executions(3000),
                times(3000, i -> counters()))),
        arguments(
            "report of a TaskManager with 2000 slots",
            new WorkerReport(slots(2000), PartitionReport.NOTHING, WorkerInfo.ProcessMetrics.NONE)),
        arguments(
            "deployment of 2000 tasks in a region of 10000 workers",
            new DeployTasks(
                JOB,
                LEADER,
                BlobKey.of(Bytes.utf8("graph")),
                7,
                times(
                    2000,
                    i ->
                        new TaskInSlot(
                            new TaskSpec(VERTEX, i, 3, ExecutionId.random(RANDOM)),
                            AllocationId.random(RANDOM))),
                List.of(PlacementTable.of(spread(10_000))),
                Optional.of(
                    new RestoredCheckpoint(99, "s3://bucket/checkpoints/chk-99", "s3://shared")))),
        arguments("cancellation of 10000 tasks", new CancelTasks(JOB, LEADER, executions(10_000))),
        arguments(
            "checkpoint of 10000 tasks",
            new TriggerCheckpoint(
                JOB,
                LEADER,
                new CheckpointRequest(
                    7,
                    1_700_000_000_000L,
                    CheckpointRequest.Type.CHECKPOINT,
                    CheckpointRequest.Barriers.ALIGNED,
                    "hdfs://nameservice/checkpoints/chk-7",
                    "hdfs://nameservice/checkpoints/shared",
                    20_480),
                executions(10_000),
                executions(2000))),
        arguments(
            "offer of 5000 slots",
            new OfferSlots(
                WORKER, 1, times(5000, i -> new SlotOffer(AllocationId.random(RANDOM), PROFILE)))),
        arguments(
            "requirements of 1000 sizes",
            new DeclareRequirements(
                JOB,
                LEADER,
                times(1000, i -> new Requirement(new ResourceProfile(1, 1 << 20, 0, 0, i), 30_000)),
                Duration.ofMinutes(5))),
        arguments(
            "updates of 10000 tasks that have ended",
            new TaskUpdates(
                WORKER,
                times(
                    10_000, i -> TaskUpdate.of(ExecutionId.random(RANDOM), TaskState.FINISHED)))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("messages")
  @Behaviour("Scale: messages of large TaskManagers and clusters fit into the limit of a message")
  void fits(String name, Record message) {
    Envelope.Call call =
        new Envelope.Call("taskmanager", Optional.of(LEADER), 1, 10_000, 1, message);
    byte[] bytes = Messages.codec().encode(call);

    assertThat(bytes.length).as(name).isLessThan(RecordCodec.DEFAULT_MAX_BYTES);
    assertThat(Messages.codec().decode(bytes)).as(name).isEqualTo(call);
  }

  /** Failures have a bounded size, in which no character takes more than three bytes. */
  @Test
  void failureOfAnySizeFitsIntoAMessage() {
    String text = "\u4e2d".repeat(1_000_000);
    Failure failure = new Failure(ErrorKind.USER, "java.lang.Error", text, text);
    Envelope.Failed failed = new Envelope.Failed(1, new RpcError(RpcError.Code.FAILED, failure));
    byte[] one = Messages.codec().encode(failed);
    byte[] updates =
        Messages.codec()
            .encode(
                new TaskUpdates(
                    WORKER,
                    times(10, i -> TaskUpdate.failed(ExecutionId.random(RANDOM), failure))));

    assertThat(one.length).isLessThan(100_000);
    assertThat(Messages.codec().decode(one)).isEqualTo(failed);
    assertThat(updates.length).isLessThan(RecordCodec.DEFAULT_MAX_BYTES);
  }

  /** A bound in the middle of a character must not make a failure unreadable. */
  @Test
  void boundedMessageOfAFailureTravels() {
    for (int length = 4_090; length < 4_100; length++) {
      Failure failure = Failure.of(ErrorKind.USER, "x".repeat(length) + "\ud83d\ude00".repeat(10));
      Envelope.Failed failed = new Envelope.Failed(1, new RpcError(RpcError.Code.FAILED, failure));
      Envelope.Failed read =
          (Envelope.Failed) Messages.codec().decode(Messages.codec().encode(failed));

      assertThat(read.error().failure().message()).startsWith("x".repeat(4_000)).endsWith("…");
    }
  }

  @Test
  void largestInstanceIdsAndTermsAreKept() {
    LeaderToken last = new LeaderToken(Long.MAX_VALUE, new Id128(-1, -1));
    TaskManagerGateway.AskWorker question =
        new TaskManagerGateway.AskWorker(last, new InstanceId(new Id128(-1, 0)));

    assertThat(Messages.codec().decode(Messages.codec().encode(question))).isEqualTo(question);
  }
}
