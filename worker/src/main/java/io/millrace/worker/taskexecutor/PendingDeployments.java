package io.millrace.worker.taskexecutor;

import io.millrace.core.error.Failure;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.worker.task.JobCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Loads the code of a job and the metadata of the state that its tasks start with, and keeps
 * deployments until both are there. Deployments of the same code are handed over in the order in
 * which they arrived.
 */
final class PendingDeployments {
  private final TaskExecutorContext worker;
  private final JobId job;
  private final Recipient recipient;
  private final Map<BlobKey, Program> programs = new LinkedHashMap<>();

  /** Gets each deployment once. */
  interface Recipient {
    void handOver(PendingDeployment deployment, JobCode.Loaded code);

    /** The code or the state cannot be loaded. */
    void reject(PendingDeployment deployment, Throwable cause);
  }

  /** Code that is being loaded or is loaded, with the deployments that wait for it, in order. */
  private static final class Program {
    private final JobCode code;
    private final Deque<PendingDeployment> pending = new ArrayDeque<>();
    private Optional<JobCode.Loaded> loaded = Optional.empty();

    Program(JobCode code) {
      this.code = code;
    }
  }

  PendingDeployments(TaskExecutorContext worker, JobId job, Recipient recipient) {
    this.worker = worker;
    this.job = job;
    this.recipient = recipient;
  }

  void add(PendingDeployment deployment) {
    BlobKey graph = deployment.request.graph();
    Program known = programs.get(graph);
    Program program = known == null ? load(graph) : known;
    program.pending.add(deployment);
    if (deployment.needsState()) {
      readState(program, deployment, deployment.request.restore().orElseThrow());
    }
    handOver(program);
  }

  /** The graphs whose code is loaded. */
  Stream<JobGraph> graphs() {
    return programs.values().stream()
        .flatMap(program -> program.loaded.stream())
        .map(JobCode.Loaded::graph);
  }

  /** Whether no code is loaded or being loaded. */
  boolean isEmpty() {
    return programs.isEmpty();
  }

  /** Rejects all deployments and releases the code. */
  void close(Throwable cause) {
    for (Program program : new ArrayList<>(programs.values())) {
      rejectAll(program, cause);
      program.code.close();
    }
    programs.clear();
  }

  private Program load(BlobKey graph) {
    Program program =
        new Program(
            new JobCode(
                worker.rpc().env(),
                worker.mailbox(),
                worker.blobs(),
                worker.settings().classes(),
                worker.cachedFiles(),
                job,
                graph));
    programs.put(graph, program);
    worker.then(
        program.code.loaded(),
        (loaded, failure) -> {
          if (programs.get(graph) != program) {
            return;
          }
          if (failure == null) {
            program.loaded = Optional.of(loaded);
            handOver(program);
          } else {
            // Removed, so that the next deployment loads it again.
            programs.remove(graph);
            program.code.close();
            rejectAll(program, Failure.unwrap(failure));
          }
        });
    return program;
  }

  private void readState(
      Program program, PendingDeployment deployment, RestoredCheckpoint checkpoint) {
    worker.then(
        worker
            .rpc()
            .env()
            .io()
            .call(
                worker.mailbox(),
                () ->
                    new StateAssignment(
                        worker.checkpoints().readMetadata(checkpoint.directory()).metadata(),
                        checkpoint.directory(),
                        checkpoint.sharedDirectory())),
        (state, failure) -> {
          deployment.state = Optional.ofNullable(state);
          deployment.unreadable = Optional.ofNullable(failure).map(Failure::unwrap);
          handOver(program);
        });
  }

  private void handOver(Program program) {
    while (program.loaded.isPresent()
        && !program.pending.isEmpty()
        && program.pending.peek().isReady()) {
      PendingDeployment next = program.pending.remove();
      if (next.unreadable.isPresent()) {
        recipient.reject(next, next.unreadable.get());
      } else {
        recipient.handOver(next, program.loaded.get());
      }
    }
  }

  private void rejectAll(Program program, Throwable cause) {
    while (!program.pending.isEmpty()) {
      recipient.reject(program.pending.remove(), cause);
    }
  }
}
