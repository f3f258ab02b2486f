package io.millrace.control.resourcemanager;

import static io.millrace.control.Reasons.words;

import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.PartitionReport;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerRegistered;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerReply;
import io.millrace.protocol.SlotReport;
import io.millrace.protocol.SlotReport.CarvedSlot;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.SlotReport.SlotStatus;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.NetworkUse;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.testing.TaskManagerStub;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.Leader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A TaskManager that records messages and answers as the test configures. */
final class FakeTaskManager extends Endpoint implements TaskManagerStub {
  static final ResourceProfile SLOT = new ResourceProfile(1, 100 << 20, 0, 0, 0);
  static final ProcessMetrics METRICS =
      new ProcessMetrics(1, 2, 3, 4, 5, 6, 7, 8, 9, NetworkUse.NONE, List.of());

  /** The answer to slot requests. */
  enum SlotAnswer {
    GRANT,
    REFUSE,
    /** The worker has given up its registration. */
    UNREGISTERED,
    NONE
  }

  final WorkerId id;
  final int slots;
  final Map<Integer, Occupant> occupants = new TreeMap<>();
  final List<CarvedSlot> carved = new ArrayList<>();
  final List<RequestSlot> requests = new ArrayList<>();
  final List<ResourceManagerDrops> drops = new ArrayList<>();
  final List<JobEnded> ended = new ArrayList<>();
  final List<UpdateTokens> updates = new ArrayList<>();
  boolean takesTokens = true;
  final List<ReleasePartitions> releases = new ArrayList<>();
  PartitionReport partitions = PartitionReport.NOTHING;
  boolean answersReleases = true;
  SlotAnswer slotAnswer = SlotAnswer.GRANT;
  boolean answersHeartbeats = true;
  Duration heartbeatDelay = Duration.ZERO;
  Optional<InstanceId> instance = Optional.empty();

  FakeTaskManager(Rpc rpc, String id, int slots) {
    super(rpc, "taskmanager", Optional.empty());
    this.id = new WorkerId(id);
    this.slots = slots;
    start();
  }

  ResourceManagerGateway at(Leader leader) {
    return rpc.gateway(
        ResourceManagerGateway.class, leader.address(), Optional.of(leader.token()), mailbox);
  }

  CompletableFuture<TaskManagerReply> register(Leader leader, long attempt) {
    CompletableFuture<TaskManagerReply> answer = new CompletableFuture<>();
    mailbox.post(
        () ->
            at(leader)
                .registerTaskManager(
                    new RegisterTaskManager(
                        id,
                        attempt,
                        address(),
                        "host:1",
                        new Hardware(4, 8, 2, 1),
                        SLOT,
                        SLOT.times(slots)))
                .whenComplete(
                    (reply, failure) -> {
                      if (failure != null) {
                        answer.completeExceptionally(failure);
                        return;
                      }
                      if (reply.success().isPresent()) {
                        instance = reply.success().map(TaskManagerRegistered::instance);
                      }
                      answer.complete(reply);
                    }));
    return answer;
  }

  CompletableFuture<Acknowledge> report(Leader leader) {
    return report(leader, instance.orElseThrow());
  }

  CompletableFuture<Acknowledge> report(Leader leader, InstanceId registration) {
    return at(leader).reportSlots(new ReportSlots(id, registration, slotReport()));
  }

  private SlotReport slotReport() {
    List<SlotStatus> statuses = new ArrayList<>();
    for (int i = 0; i < slots; i++) {
      statuses.add(new SlotStatus(i, SLOT, Optional.ofNullable(occupants.get(i))));
    }
    return new SlotReport(statuses, carved);
  }

  @Override
  public CompletableFuture<SlotReply> requestSlot(RequestSlot request) {
    requests.add(request);
    return switch (slotAnswer) {
      case GRANT -> {
        Occupant occupant = new Occupant(request.allocation(), request.job());
        request
            .slot()
            .ifPresentOrElse(
                index -> occupants.put(index, occupant),
                () -> carved.add(new CarvedSlot(request.profile(), occupant)));
        yield CompletableFuture.completedFuture(SlotReply.allocated());
      }
      case REFUSE ->
          CompletableFuture.completedFuture(SlotReply.refused(words("there is no room")));
      case UNREGISTERED ->
          CompletableFuture.completedFuture(
              SlotReply.unregistered(words("The worker is not registered.")));
      case NONE -> new CompletableFuture<>();
    };
  }

  @Override
  public CompletableFuture<WorkerReport> heartbeatFromResourceManager(AskWorker question) {
    if (!answersHeartbeats) {
      return new CompletableFuture<>();
    }
    if (!instance.equals(Optional.of(question.instance()))) {
      throw new IllegalStateException("not registered");
    }
    CompletableFuture<WorkerReport> answer = new CompletableFuture<>();
    mailbox.after(
        heartbeatDelay, () -> answer.complete(new WorkerReport(slotReport(), partitions, METRICS)));
    return answer;
  }

  @Override
  public void jobEnded(JobEnded notice) {
    ended.add(notice);
  }

  @Override
  public CompletableFuture<Acknowledge> updateTokens(UpdateTokens update) {
    updates.add(update);
    return takesTokens
        ? CompletableFuture.completedFuture(Acknowledge.INSTANCE)
        : CompletableFuture.failedFuture(new IllegalStateException("the receiver failed"));
  }

  @Override
  public void disconnectResourceManager(ResourceManagerDrops notice) {
    drops.add(notice);
  }

  static AllocationId allocation(long number) {
    return new AllocationId(new Id128(3, number));
  }

  @Override
  public CompletableFuture<Acknowledge> releasePartitions(ReleasePartitions request) {
    releases.add(request);
    return answersReleases
        ? CompletableFuture.completedFuture(Acknowledge.INSTANCE)
        : new CompletableFuture<>();
  }
}
