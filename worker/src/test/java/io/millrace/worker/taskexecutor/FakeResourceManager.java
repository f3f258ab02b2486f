package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.words;

import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.testing.ResourceManagerStub;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.registration.RegistrationStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Records calls and answers as the test sets. */
final class FakeResourceManager extends Endpoint implements ResourceManagerStub {
  final List<ReportPartitions> partitionReports = new ArrayList<>();
  final List<RegisterTaskManager> registrations = new ArrayList<>();
  final List<ReportSlots> reports = new ArrayList<>();
  final List<SlotAvailable> available = new ArrayList<>();
  final List<TaskManagerLeaves> left = new ArrayList<>();
  final List<IssuedToken> tokens = new ArrayList<>();
  RegistrationStatus verdict = RegistrationStatus.ACCEPTED;
  boolean mute;

  /** Pending answers to registrations that arrived while it was mute. */
  final List<CompletableFuture<TaskManagerReply>> pendingReplies = new ArrayList<>();

  int failingReports;
  private final Address blobs;
  private long instances;

  FakeResourceManager(Rpc rpc, LeaderToken token, Address blobs) {
    super(rpc, "resourcemanager-" + token.term(), Optional.of(token));
    this.blobs = blobs;
  }

  LeaderToken leaderToken() {
    return token().orElseThrow();
  }

  InstanceId instance() {
    return new InstanceId(new Id128(leaderToken().term(), instances));
  }

  @Override
  public CompletableFuture<TaskManagerReply> registerTaskManager(RegisterTaskManager request) {
    registrations.add(request);
    if (mute) {
      CompletableFuture<TaskManagerReply> later = new CompletableFuture<>();
      pendingReplies.add(later);
      return later;
    }
    return CompletableFuture.completedFuture(reply());
  }

  /** Answers the oldest pending registration. */
  void answerLate() {
    pendingReplies.remove(0).complete(reply());
  }

  private TaskManagerReply reply() {
    instances++;
    return new TaskManagerReply(
        verdict,
        Optional.of(words("set by the test")),
        verdict == RegistrationStatus.ACCEPTED
            ? Optional.of(new TaskManagerRegistered(instance(), leaderToken(), blobs, tokens))
            : Optional.empty());
  }

  @Override
  public CompletableFuture<Acknowledge> reportSlots(ReportSlots report) {
    if (failingReports > 0) {
      failingReports--;
      throw new IllegalStateException("this report is refused");
    }
    reports.add(report);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public void slotAvailable(SlotAvailable notice) {
    available.add(notice);
  }

  @Override
  public void disconnectTaskManager(TaskManagerLeaves notice) {
    left.add(notice);
  }

  @Override
  public CompletableFuture<Acknowledge> reportPartitions(ReportPartitions report) {
    partitionReports.add(report);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }
}
