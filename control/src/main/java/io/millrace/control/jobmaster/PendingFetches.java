package io.millrace.control.jobmaster;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobMasterGateway.FetchBatches;
import io.millrace.rpc.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Clients' questions for collected records that wait for an answer. Lives in one mailbox. */
final class PendingFetches {
  private final Mailbox mailbox;
  private final CollectedRecordsBuffer collected;
  private final List<Open> open = new ArrayList<>();

  private record Open(FetchBatches request, CompletableFuture<CollectedPage> answer) {}

  PendingFetches(Mailbox mailbox, CollectedRecordsBuffer collected) {
    this.mailbox = mailbox;
    this.collected = collected;
  }

  CompletableFuture<CollectedPage> fetch(FetchBatches request) {
    // Asking acknowledges what is before, so that tasks waiting for room go on at once.
    CollectedPage now = collected.page(request.name(), request.next());
    if (!now.batches().isEmpty() || now.complete() || request.patience().isZero()) {
      return CompletableFuture.completedFuture(now);
    }
    Open waiting = new Open(request, new CompletableFuture<>());
    open.add(waiting);
    Mailbox.Timer timer = mailbox.after(request.patience(), () -> answer(waiting));
    waiting.answer().whenComplete((page, failure) -> timer.cancel());
    return waiting.answer();
  }

  /** Something has been collected, or nothing more will be. */
  void news() {
    for (Open waiting : new ArrayList<>(open)) {
      if (collected.hasNews(waiting.request().name(), waiting.request().next())) {
        answer(waiting);
      }
    }
  }

  /** This JobMaster answers no more. */
  void close() {
    for (Open waiting : new ArrayList<>(open)) {
      open.remove(waiting);
      waiting
          .answer()
          .completeExceptionally(
              new MillraceException(
                  ErrorKind.RESOURCE,
                  "The job changes its leader at the moment. Try again in a few seconds."));
    }
  }

  private void answer(Open waiting) {
    if (open.remove(waiting)) {
      try {
        waiting
            .answer()
            .complete(collected.page(waiting.request().name(), waiting.request().next()));
      } catch (MillraceException e) {
        waiting.answer().completeExceptionally(e);
      }
    }
  }
}
