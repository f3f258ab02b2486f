package io.millrace.protocol.testing;

import io.millrace.protocol.TaskManagerGateway;
import io.millrace.rpc.Acknowledge;
import java.util.concurrent.CompletableFuture;

/** A TaskManager that supports no call. A fake overrides what its tests need. */
public interface TaskManagerStub extends TaskManagerGateway {
  @Override
  default CompletableFuture<SlotReply> requestSlot(RequestSlot request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> freeSlot(FreeSlot request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> deployTasks(DeployTasks deployment) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> adoptTasks(AdoptTasks request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> cancelTasks(CancelTasks request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> triggerCheckpoint(TriggerCheckpoint request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> checkpointCompleted(CheckpointCompleted notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> checkpointAborted(CheckpointAborted notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> keepPartitions(KeepPartitions request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> releasePartitions(ReleasePartitions request) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<WorkerReport> heartbeatFromResourceManager(AskWorker question) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<TaskReport> heartbeatFromJobMaster(AskTasks question) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<TaskMetricsReport> readTaskMetrics(ReadTaskMetrics question) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void jobEnded(JobEnded notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<Acknowledge> updateTokens(UpdateTokens update) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void disconnectResourceManager(ResourceManagerDrops notice) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void disconnectJobMaster(JobMasterDrops notice) {
    throw new UnsupportedOperationException();
  }
}
