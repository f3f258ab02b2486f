package io.millrace.protocol.testing;

import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.rpc.Acknowledge;
import java.util.concurrent.CompletableFuture;

/** A ResourceManager that supports no call. A fake overrides what its tests need. */
public interface ResourceManagerStub extends ResourceManagerGateway {
  @Override
  default CompletableFuture<JobMasterReply> registerJobMaster(RegisterJobMaster request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<TaskManagerReply> registerTaskManager(RegisterTaskManager request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> reportSlots(ReportSlots report) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> reportPartitions(ReportPartitions report) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> declareRequirements(DeclareRequirements declaration) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void slotAvailable(SlotAvailable notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void disconnectTaskManager(TaskManagerLeaves notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> disconnectJobMaster(JobMasterLeaves notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> deregisterApplication(DeregisterApplication request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> limitWorkers(LimitWorkers limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<WorkerEnd> awaitWorkerEnd(AwaitWorkerEnd request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> block(Block block) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> unblock(Unblock request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Blocks> listBlocks(ListBlocks request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Workers> listWorkers(ListWorkers request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<DataSets> listDataSets(ListDataSets request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<DataSetAnswer> describeDataSet(DescribeDataSet request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> releaseDataSet(ReleaseDataSet request) {
    throw new UnsupportedOperationException();
  }
}
