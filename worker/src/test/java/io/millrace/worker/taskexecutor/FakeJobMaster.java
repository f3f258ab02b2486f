package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.words;

import io.millrace.core.id.AllocationId;
import io.millrace.core.id.JobId;
import io.millrace.protocol.testing.JobMasterStub;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.RegistrationStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Records calls and answers as the test sets. */
final class FakeJobMaster extends Endpoint implements JobMasterStub {
  final List<AcknowledgeCheckpoint> acknowledged = new ArrayList<>();
  final List<DeclineCheckpoint> declined = new ArrayList<>();
  final List<RegisterAtJobMaster> registrations = new ArrayList<>();
  final List<OfferSlots> offers = new ArrayList<>();
  final List<TaskUpdates> updates = new ArrayList<>();
  final List<CollectedPart> collected = new ArrayList<>();
  final List<SlotLost> lost = new ArrayList<>();
  final List<WorkerLeaves> left = new ArrayList<>();
  final Set<AllocationId> refused = new LinkedHashSet<>();
  final List<KeptTasks> kept = new ArrayList<>();
  RegistrationStatus verdict = RegistrationStatus.ACCEPTED;

  /** Whether workers keep the tasks of this leader. */
  boolean keepsTasks;

  /** Whether this leader awaits reports of tasks that workers have kept. */
  boolean adoptsTasks;

  /** The number of reports of kept tasks that fail. */
  int failingReports;

  /** The number of offers that get no answer. */
  int unansweredOffers;

  /** The number of offers that fail. */
  int failingOffers;

  /** The number of offers that are answered as if the worker were not registered. */
  int unknownOffers;

  /** The number of acknowledgements of checkpoints that fail. */
  int failingAcknowledgements;

  boolean holdUpdates;
  final Deque<CompletableFuture<Acknowledge>> heldUpdates = new ArrayDeque<>();
  boolean holdCollected;
  final Deque<CompletableFuture<Acknowledge>> heldCollected = new ArrayDeque<>();

  FakeJobMaster(Rpc rpc, JobId job, LeaderToken token) {
    super(rpc, "jobmaster-" + job + "-" + token.term(), Optional.of(token));
  }

  LeaderToken leaderToken() {
    return token().orElseThrow();
  }

  Leader leader() {
    return new Leader(address(), leaderToken());
  }

  /** All updates so far, in order. */
  List<TaskUpdate> allUpdates() {
    return updates.stream().flatMap(batch -> batch.updates().stream()).toList();
  }

  @Override
  public CompletableFuture<WorkerReply> registerWorker(RegisterAtJobMaster request) {
    registrations.add(request);
    return CompletableFuture.completedFuture(
        new WorkerReply(
            verdict,
            Optional.of(words("set by the test")),
            verdict == RegistrationStatus.ACCEPTED
                ? Optional.of(new WorkerRegistered(leaderToken(), keepsTasks, adoptsTasks))
                : Optional.empty()));
  }

  @Override
  public CompletableFuture<OfferReply> offerSlots(OfferSlots offer) {
    offers.add(offer);
    if (unansweredOffers > 0) {
      unansweredOffers--;
      return new CompletableFuture<>();
    }
    if (failingOffers > 0) {
      failingOffers--;
      throw new IllegalStateException("this offer fails");
    }
    if (unknownOffers > 0) {
      unknownOffers--;
      return CompletableFuture.completedFuture(new OfferReply(false, List.of()));
    }
    List<AllocationId> accepted =
        offer.offers().stream()
            .map(SlotOffer::allocation)
            .filter(allocation -> !refused.contains(allocation))
            .toList();
    return CompletableFuture.completedFuture(new OfferReply(true, accepted));
  }

  @Override
  public CompletableFuture<Acknowledge> reportKeptTasks(KeptTasks report) {
    kept.add(report);
    if (failingReports > 0) {
      failingReports--;
      throw new IllegalStateException("this report fails");
    }
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> updateTasks(TaskUpdates batch) {
    updates.add(batch);
    return answer(holdUpdates, heldUpdates);
  }

  @Override
  public CompletableFuture<Acknowledge> collect(CollectedPart part) {
    collected.add(part);
    return answer(holdCollected, heldCollected);
  }

  private static CompletableFuture<Acknowledge> answer(
      boolean hold, Deque<CompletableFuture<Acknowledge>> held) {
    if (!hold) {
      return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
    }
    CompletableFuture<Acknowledge> later = new CompletableFuture<>();
    held.add(later);
    return later;
  }

  @Override
  public CompletableFuture<Acknowledge> acknowledgeCheckpoint(AcknowledgeCheckpoint snapshots) {
    if (failingAcknowledgements > 0) {
      failingAcknowledgements--;
      throw new IllegalStateException("this acknowledgement fails");
    }
    acknowledged.add(snapshots);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public CompletableFuture<Acknowledge> declineCheckpoint(DeclineCheckpoint notice) {
    if (failingAcknowledgements > 0) {
      failingAcknowledgements--;
      return CompletableFuture.failedFuture(new IllegalStateException("lost"));
    }
    declined.add(notice);
    return CompletableFuture.completedFuture(Acknowledge.INSTANCE);
  }

  @Override
  public void slotLost(SlotLost notice) {
    lost.add(notice);
  }

  @Override
  public void disconnectWorker(WorkerLeaves notice) {
    left.add(notice);
  }
}
