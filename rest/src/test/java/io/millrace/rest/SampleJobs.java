package io.millrace.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.memory.TaskManagerMemory;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.JobDetails.StatusHistory;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.WorkerInfo.SlotInUse;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Address;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Jobs like the recorded one: a source and a keyed chain with two subtasks each. */
final class SampleJobs {
  static final JobId RUNNING = JobId.parse("4b7ff3e3d2b7d9b86e9f2a5fe41e8240");
  static final JobId CANCELED = JobId.parse("dcc596addbad5bea186941a073702609");
  static final JobId FAILED = JobId.parse("dcc596addbad5bea186941a073702610");
  static final WorkerId WORKER = new WorkerId("localhost:38945-223635");
  static final VertexId SOURCE = VertexId.parse("bc764cd8ddf7a0cff126f51c16239658");
  static final VertexId SINK = VertexId.parse("20ba6b65f97481d5570070de90e4e791");
  static final long STARTED = 1_794_780_261_474L;

  private SampleJobs() {}

  static JobGraph graph(JobId id) {
    return new JobGraph(
        id,
        "failover",
        JobType.STREAMING,
        List.of(
            new JobVertex(SOURCE, "Source: gen", 2, 128, "default", List.of(operator(-1, "gen"))),
            new JobVertex(
                SINK,
                "KeyedProcess -> Sink: Writer",
                2,
                128,
                "default",
                List.of(operator(-1, "KeyedProcess"), operator(0, "Sink: <b>Writer</b>")))),
        List.of(new JobEdge(0, SOURCE, 0, SINK, 0, Partitioning.HASH, Bytes.EMPTY)),
        List.of(),
        Configuration.EMPTY);
  }

  private static ChainedOperator operator(int input, String name) {
    return new ChainedOperator(new OperatorId(new Id128(1, input)), name, input, Bytes.EMPTY);
  }

  static JobDetails details(JobId id, JobStatus status) {
    return details(id, status, "");
  }

  /**
   * @param waitingFor the reason why the job waits; empty if it does not
   */
  static JobDetails details(JobId id, JobStatus status, String waitingFor) {
    boolean ended = status.isTerminal();
    TaskState tasks = ended ? TaskState.CANCELED : TaskState.RUNNING;
    Map<JobStatus, Long> timestamps = new LinkedHashMap<>();
    timestamps.put(JobStatus.INITIALIZING, STARTED);
    timestamps.put(JobStatus.CREATED, STARTED + 10);
    timestamps.put(JobStatus.RUNNING, STARTED + 20);
    List<RecordedFailure> failures =
        status == JobStatus.FAILED
            ? List.of(
                new RecordedFailure(
                    failure(), STARTED + 90, "Source: gen (2/2)", Optional.of(WORKER)),
                new RecordedFailure(failure(), STARTED + 80, "", Optional.empty()))
            : List.of();
    return new JobDetails(
        graph(id),
        new StatusHistory(status, STARTED, ended ? STARTED + 100 : -1, timestamps),
        JobSlots.NONE,
        reason(waitingFor),
        0,
        List.of(
            new VertexDetails(SOURCE, List.of(subtask(1, tasks), subtask(2, tasks))),
            new VertexDetails(SINK, List.of(subtask(3, tasks), subtask(4, tasks)))),
        failures);
  }

  static Failure failure() {
    return new Failure(
        ErrorKind.USER,
        "java.lang.IllegalStateException",
        "no more",
        "IllegalStateException\n\tat x");
  }

  private static SubtaskDetails subtask(int number, TaskState state) {
    long[] entered = new long[TaskState.values().length];
    Arrays.fill(entered, -1);
    for (TaskState passed :
        List.of(
            TaskState.CREATED,
            TaskState.SCHEDULED,
            TaskState.DEPLOYING,
            TaskState.INITIALIZING,
            TaskState.RUNNING,
            state)) {
      int position = List.of(TaskState.values()).indexOf(passed);
      entered[position] = STARTED + 10L * position;
    }
    ExecutionId execution = new ExecutionId(new Id128(2, number));
    return new SubtaskDetails(
        execution,
        0,
        state,
        Optional.of(WORKER),
        entered,
        Optional.of(new TaskCounters(execution, 100L * number, 200, 300, 400, 5, 6, 7)),
        Optional.empty(),
        "127.0.0.1:38553");
  }

  static JobOverview overview(JobId id, JobStatus status) {
    return overview(id, status, "");
  }

  /**
   * @param waitingFor the reason why the job waits; empty if it does not
   */
  static JobOverview overview(JobId id, JobStatus status, String waitingFor) {
    Map<TaskState, Integer> tasks = new LinkedHashMap<>();
    tasks.put(status.isTerminal() ? TaskState.CANCELED : TaskState.RUNNING, 4);
    long ended = status.isTerminal() ? STARTED + 100 : -1;
    return new JobOverview(
        id,
        "failover",
        JobType.STREAMING,
        status,
        STARTED,
        ended,
        STARTED + 20,
        tasks,
        reason(waitingFor));
  }

  private static Optional<Reason> reason(String waitingFor) {
    return waitingFor.isEmpty() ? Optional.empty() : Optional.of(new ErrorReason(waitingFor));
  }

  static JobResult result(JobId id, JobStatus status) {
    return new JobResult(
        id, status, 100, status == JobStatus.FAILED ? Optional.of(failure()) : Optional.empty());
  }

  static WorkerInfo worker() {
    ResourceProfile slot = new ResourceProfile(1, 191 << 20, 0, 256 << 20, 64 << 20);
    return new WorkerInfo(
        WORKER,
        new Address("127.0.0.1:38945", "taskmanager"),
        "127.0.0.1:38553",
        STARTED,
        STARTED + 50,
        new WorkerInfo.Hardware(
            2,
            25_274_793_984L,
            629_145_600,
            536_870_920,
            Optional.of(
                new TaskManagerMemory(
                    128 << 20,
                    128 << 20,
                    402_653_174,
                    0,
                    134_217_730,
                    536_870_920,
                    256 << 20,
                    192 << 20))),
        slot.times(2),
        ResourceProfile.UNSPECIFIED,
        2,
        0,
        List.of(
            new SlotInUse(RUNNING, new AllocationId(new Id128(0, 1)), slot),
            new SlotInUse(RUNNING, new AllocationId(new Id128(0, 2)), slot)),
        new WorkerInfo.ProcessMetrics(
            1,
            2,
            3,
            4,
            5,
            -1,
            6,
            7,
            8,
            new WorkerInfo.NetworkUse(100, 10, 4),
            List.of(new WorkerInfo.Collections("G1 Young", 19, 194))));
  }
}
