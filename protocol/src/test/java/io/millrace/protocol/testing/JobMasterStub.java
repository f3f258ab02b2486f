package io.millrace.protocol.testing;

import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobMasterGateway;
import io.millrace.protocol.JobOverview;
import io.millrace.rpc.Acknowledge;
import java.util.concurrent.CompletableFuture;

/** A JobMaster that supports no call. A fake overrides what its tests need. */
public interface JobMasterStub extends JobMasterGateway {
  @Override
  default CompletableFuture<WorkerReply> registerWorker(RegisterAtJobMaster request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<OfferReply> offerSlots(OfferSlots offer) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> reportKeptTasks(KeptTasks report) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> updateTasks(TaskUpdates updates) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> collect(CollectedPart part) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> acknowledgeCheckpoint(AcknowledgeCheckpoint snapshots) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> declineCheckpoint(DeclineCheckpoint notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void backlogChanged(BacklogNotice notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<GroupWatermark> alignWatermark(WatermarkReport report) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void slotLost(SlotLost notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void disconnectWorker(WorkerLeaves notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void disconnectResourceManager(ResourceManagerForgets notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<JobMasterReport> heartbeatFromResourceManager(AskJobMaster question) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void requirementsPending(RequirementsPending notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void requirementsFailed(RequirementsFailed notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<JobDetails> describe(DescribeExecution request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<JobOverview> overview(OverviewExecution request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<DispatcherGateway.JobMetrics> readMetrics(ReadMetrics request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> cancel(CancelExecution request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> startCheckpoint(StartCheckpoint request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<CheckpointStatistics> listCheckpoints(ListCheckpoints request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<DispatcherGateway.CheckpointAnswer> describeCheckpoint(
      DescribeCheckpoint request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<DispatcherGateway.CollectedPage> fetchCollected(FetchBatches request) {
    throw new UnsupportedOperationException();
  }
}
