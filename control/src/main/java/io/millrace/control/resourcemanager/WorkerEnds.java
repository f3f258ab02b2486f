package io.millrace.control.resourcemanager;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.ResourceManagerGateway.AwaitWorkerEnd;
import io.millrace.protocol.ResourceManagerGateway.WorkerEnd;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Why workers ended or were released, for JobMasters that have lost them. Lives in the mailbox of
 * the ResourceManager.
 */
final class WorkerEnds {
  /** How long an end is remembered: JobMasters ask at once when they lose a worker. */
  private static final Duration KEPT = Duration.ofMinutes(1);

  private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(10);

  private final ResourceManagerContext context;
  private final Map<WorkerId, WorkerEnd> known = new TreeMap<>();
  private final Map<WorkerId, List<CompletableFuture<WorkerEnd>>> waiting = new TreeMap<>();

  WorkerEnds(ResourceManagerContext context) {
    this.context = context;
  }

  /** The driver has reported the end of a worker, or the ResourceManager releases it. */
  void ended(WorkerId worker, Reason reason) {
    WorkerEnd end = new WorkerEnd(Optional.of(reason).filter(WorkerEnds::isCause));
    // The first reason counts: what the driver reports of a released worker follows from it.
    if (known.putIfAbsent(worker, end) == null) {
      context.mailbox().after(KEPT, () -> known.remove(worker));
    }
    Optional.ofNullable(waiting.remove(worker))
        .ifPresent(answers -> answers.forEach(answer -> answer.complete(end)));
  }

  /** A driver that ends a worker on request repeats the reason of the request. */
  private static boolean isCause(Reason reason) {
    return !(reason instanceof WorkerReason.WorkerReleased)
        && !(reason instanceof WorkerReason.ReleaseTimeout);
  }

  CompletableFuture<WorkerEnd> await(AwaitWorkerEnd request) {
    WorkerEnd end = known.get(request.worker());
    CompletableFuture<WorkerEnd> answer = new CompletableFuture<>();
    if (end != null) {
      answer.complete(end);
      return answer;
    }
    waiting.computeIfAbsent(request.worker(), worker -> new ArrayList<>()).add(answer);
    Duration patience =
        request.patience().compareTo(LONGEST_PATIENCE) < 0 ? request.patience() : LONGEST_PATIENCE;
    context.mailbox().after(patience, () -> giveUp(request.worker(), answer));
    return answer;
  }

  private void giveUp(WorkerId worker, CompletableFuture<WorkerEnd> answer) {
    List<CompletableFuture<WorkerEnd>> answers = waiting.get(worker);
    if (answers != null && answers.removeIf(each -> each == answer)) {
      if (answers.isEmpty()) {
        waiting.remove(worker);
      }
      answer.complete(new WorkerEnd(Optional.empty()));
    }
  }
}
