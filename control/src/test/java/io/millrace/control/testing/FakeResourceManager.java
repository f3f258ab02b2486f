package io.millrace.control.testing;

import static io.millrace.control.Reasons.words;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.testing.ResourceManagerStub;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.registration.RegistrationStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Accepts every JobMaster and records calls. */
public final class FakeResourceManager extends Endpoint implements ResourceManagerStub {
  public final List<RegisterJobMaster> registrations = new ArrayList<>();
  public final List<DeclareRequirements> declarations = new ArrayList<>();
  public final List<JobMasterLeaves> departures = new ArrayList<>();
  public RegistrationStatus verdict = RegistrationStatus.ACCEPTED;

  /** Whether it acknowledges that a JobMaster has left. */
  public boolean acknowledgesDepartures = true;

  /** Whether it acknowledges declared requirements. */
  public boolean acknowledgesDeclarations = true;

  /** Why lost workers have ended. */
  public final Map<WorkerId, CompletableFuture<WorkerEnd>> workerEnds = new TreeMap<>();

  /** The leader token in its answers. */
  public LeaderToken leader;

  public FakeResourceManager(Rpc rpc, LeaderToken token) {
    super(rpc, ComponentNames.RESOURCE_MANAGER, Optional.of(token));
    this.leader = token;
  }

  @Override
  public CompletableFuture<JobMasterReply> registerJobMaster(RegisterJobMaster request) {
    registrations.add(request);
    return CompletableFuture.completedFuture(
        new JobMasterReply(
            verdict,
            Optional.of(words("set by the test")),
            verdict == RegistrationStatus.ACCEPTED
                ? Optional.of(new JobMasterRegistered(leader))
                : Optional.empty()));
  }

  @Override
  public CompletableFuture<TaskManagerReply> registerTaskManager(RegisterTaskManager request) {
    return CompletableFuture.completedFuture(
        new TaskManagerReply(
            RegistrationStatus.REJECTED,
            Optional.of(words("not supported by the fake")),
            Optional.empty()));
  }

  @Override
  public CompletableFuture<Acknowledge> reportSlots(ReportSlots report) {
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> declareRequirements(DeclareRequirements declaration) {
    declarations.add(declaration);
    return acknowledgesDeclarations
        ? CompletableFuture.completedFuture(Acknowledge.INSTANCE)
        : new CompletableFuture<>();
  }

  @Override
  public void slotAvailable(SlotAvailable notice) {}

  @Override
  public void disconnectTaskManager(TaskManagerLeaves notice) {}

  @Override
  public CompletableFuture<Acknowledge> disconnectJobMaster(JobMasterLeaves notice) {
    departures.add(notice);
    return acknowledgesDepartures
        ? CompletableFuture.completedFuture(Acknowledge.INSTANCE)
        : new CompletableFuture<>();
  }

  @Override
  public CompletableFuture<Workers> listWorkers(ListWorkers request) {
    return CompletableFuture.completedFuture(new Workers(List.of()));
  }

  @Override
  public CompletableFuture<WorkerEnd> awaitWorkerEnd(AwaitWorkerEnd request) {
    return workerEnds.computeIfAbsent(
        request.worker(),
        worker -> CompletableFuture.completedFuture(new WorkerEnd(Optional.empty())));
  }

  /** The number of slots in the last declaration. */
  public int required() {
    return declarations.isEmpty()
        ? 0
        : declarations.get(declarations.size() - 1).requirements().stream()
            .mapToInt(Requirement::slots)
            .sum();
  }
}
