package io.millrace.worker.taskexecutor;

import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.rpc.Acknowledge;
import io.millrace.task.checkpoint.StateAssignment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A deployment that waits for the code of the job and for the metadata of its state. */
final class PendingDeployment {
  final DeployTasks request;
  final List<HostedTask> tasks;
  final JobMasterSession session;
  final CompletableFuture<Acknowledge> answer = new CompletableFuture<>();

  /** The state that the tasks start with; empty if they start without or while it is read. */
  Optional<StateAssignment> state = Optional.empty();

  Optional<Throwable> unreadable = Optional.empty();

  PendingDeployment(DeployTasks request, List<HostedTask> tasks, JobMasterSession session) {
    this.request = request;
    this.tasks = tasks;
    this.session = session;
  }

  /**
   * Whether it has to be known what state the tasks start with. A repeated deployment starts no
   * task, and the checkpoint from which the first one started its tasks may have been deleted.
   */
  boolean needsState() {
    return request.restore().isPresent() && !tasks.isEmpty();
  }

  boolean isReady() {
    return !needsState() || state.isPresent() || unreadable.isPresent();
  }
}
