package io.millrace.sim.check;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.VertexId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway.OfferReply;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.RequestSlot;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.RpcError;
import io.millrace.task.Placement;
import io.millrace.task.TaskSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Ids, jobs and messages with numbers in place of random values. */
final class Samples {
  static final JobId JOB = job(1);
  static final String JOB_MANAGER = "jobmanager-1";
  static final String OTHER_JOB_MANAGER = "jobmanager-2";
  static final String WORKER = "worker-1";
  static final String OTHER_WORKER = "worker-2";
  static final SimulatedWorld.ClusterReport EMPTY_REPORT =
      new SimulatedWorld.ClusterReport(List.of(), Map.of(), List.of());

  private static final int NUMBER_BITS = 20;

  private Samples() {}

  static JobId job(int number) {
    return new JobId(new Id128(1, number));
  }

  static AllocationId slot(int number) {
    return new AllocationId(new Id128(2, number));
  }

  static ExecutionId execution(int number) {
    return new ExecutionId(new Id128(3, number));
  }

  static VertexId vertex(int number) {
    return new VertexId(new Id128(4, number));
  }

  static InstanceId instance(int number) {
    return new InstanceId(new Id128(5, number));
  }

  static LeaderToken token(long term) {
    return new LeaderToken(term, new Id128(6, term));
  }

  /** The number of a deployment of the leader of a term. */
  static long deployment(long term, int count) {
    return term << NUMBER_BITS | count;
  }

  /** Vertices with one operator each. */
  static JobVertex vertex(int number, int parallelism) {
    return new JobVertex(
        vertex(number),
        "v" + number,
        parallelism,
        128,
        "default",
        List.of(
            new ChainedOperator(
                new OperatorId(new Id128(7, number)), "o" + number, -1, Bytes.EMPTY)),
        List.of());
  }

  static JobEdge edge(int source, int target, Partitioning partitioning) {
    return new JobEdge(source, vertex(source), 0, vertex(target), 0, partitioning, Bytes.EMPTY);
  }

  /** A job of one vertex. */
  static JobGraph graph(int number, int parallelism) {
    return graph(job(number), List.of(vertex(1, parallelism)), List.of());
  }

  static JobGraph graph(JobId id, List<JobVertex> vertices, List<JobEdge> edges) {
    return new JobGraph(
        id, "job", JobType.STREAMING, vertices, edges, List.of(), Configuration.EMPTY);
  }

  /** An attempt of a subtask of the first vertex. */
  static TaskSpec task(int subtask, int attempt, int execution) {
    return new TaskSpec(vertex(1), subtask, attempt, execution(execution));
  }

  static TaskSpec task(int vertex, int subtask, int attempt, int execution) {
    return new TaskSpec(vertex(vertex), subtask, attempt, execution(execution));
  }

  /** All tasks run on one host. */
  static Placement placement(String host, TaskSpec... tasks) {
    Map<VertexId, List<Placement.Run>> runs = new LinkedHashMap<>();
    for (TaskSpec task : tasks) {
      runs.computeIfAbsent(task.vertex(), x -> new ArrayList<>())
          .add(new Placement.Run(task.subtask(), 1, 0));
    }
    return new Placement(List.of(host), runs);
  }

  /** Tasks in slots with the numbers of their executions. */
  static DeployTasks deployTasks(JobId job, LeaderToken jobMaster, long number, TaskSpec... tasks) {
    return new DeployTasks(
        job,
        jobMaster,
        BlobKey.of(Bytes.utf8("graph")),
        number,
        List.of(tasks).stream()
            .map(task -> new TaskInSlot(task, slot((int) task.execution().value().low())))
            .toList(),
        List.of(),
        Optional.empty());
  }

  static RequestSlot requestSlot(LeaderToken resourceManager, JobId job, int slot) {
    return new RequestSlot(
        resourceManager, instance(1), Optional.of(0), job, slot(slot), ResourceProfile.UNSPECIFIED);
  }

  static OfferSlots offer(String worker, long incarnation, int... slots) {
    List<SlotOffer> offers = new ArrayList<>();
    for (int slot : slots) {
      offers.add(new SlotOffer(slot(slot), ResourceProfile.UNSPECIFIED));
    }
    return new OfferSlots(new WorkerId(worker), incarnation, offers);
  }

  static OfferReply accepts(int... slots) {
    List<AllocationId> accepted = new ArrayList<>();
    for (int slot : slots) {
      accepted.add(slot(slot));
    }
    return new OfferReply(true, accepted);
  }

  static Envelope.Failed failed(Envelope.Call call) {
    return failed(call, ErrorKind.EXTERNAL, "refused");
  }

  static Envelope.Failed failed(Envelope.Call call, ErrorKind kind, String message) {
    return new Envelope.Failed(
        call.correlation(), new RpcError(RpcError.Code.FAILED, Failure.of(kind, message)));
  }

  static JobResult result(JobId job, JobStatus status) {
    return new JobResult(
        job,
        status,
        1,
        status == JobStatus.FAILED
            ? Optional.of(Failure.of(ErrorKind.USER, "gave up"))
            : Optional.empty());
  }

  static EndedJob ended(JobId job, JobStatus status) {
    return new EndedJob(result(job, status), overview(job, status, 10));
  }

  static JobOverview overview(JobId job, JobStatus status, long endedAt) {
    return new JobOverview(
        job,
        "job",
        JobType.STREAMING,
        status,
        1,
        endedAt,
        endedAt,
        new LinkedHashMap<>(),
        Optional.empty());
  }

  /** A job that has all slots that it needs, on these workers. */
  static JobDetails details(JobGraph graph, JobStatus status, JobSlots slots) {
    return new JobDetails(
        graph,
        new JobDetails.StatusHistory(
            status, 1, status.isTerminal() ? 2 : -1, new LinkedHashMap<>()),
        slots,
        Optional.empty(),
        0,
        List.of(),
        List.of());
  }

  static JobSlots slots(int required, int missing, JobSlots.Held... held) {
    return new JobSlots(List.of(new JobSlots.Need("1 core", required, missing)), List.of(held));
  }

  static JobSlots.Held held(String worker, int slots) {
    return new JobSlots.Held(new WorkerId(worker), slots);
  }

  static SimulatedWorld.ClusterReport report(JobDetails... jobs) {
    Map<JobId, JobDetails> byId = new LinkedHashMap<>();
    for (JobDetails job : jobs) {
      byId.put(job.id(), job);
    }
    return new SimulatedWorld.ClusterReport(List.of(), byId, List.of());
  }
}
