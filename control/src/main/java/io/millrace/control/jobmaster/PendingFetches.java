package io.millrace.control.jobmaster;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobMasterGateway.FetchBatches;
import io.millrace.rpc.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Pending requests for collected records. Confined to one mailbox. */
final class PendingFetches {
  private final Mailbox mailbox;
  private final CollectedRecordsBuffer collected;
  private final List<PendingFetch> pending = new ArrayList<>();

  private record PendingFetch(FetchBatches request, CompletableFuture<CollectedPage> answer) {}

  PendingFetches(Mailbox mailbox, CollectedRecordsBuffer collected) {
    this.mailbox = mailbox;
    this.collected = collected;
  }

  CompletableFuture<CollectedPage> fetch(FetchBatches request) {
    // The request acknowledges earlier batches, so that tasks that wait for room continue at once.
    CollectedPage page = collected.page(request.name(), request.next());
    if (!page.batches().isEmpty() || page.complete() || request.patience().isZero()) {
      return CompletableFuture.completedFuture(page);
    }
    PendingFetch fetch = new PendingFetch(request, new CompletableFuture<>());
    pending.add(fetch);
    Mailbox.Timer timer = mailbox.after(request.patience(), () -> answer(fetch));
    fetch.answer().whenComplete((answered, failure) -> timer.cancel());
    return fetch.answer();
  }

  /** Records were added, or no more will be. */
  void recordsAdded() {
    for (PendingFetch fetch : new ArrayList<>(pending)) {
      if (collected.hasNews(fetch.request().name(), fetch.request().next())) {
        answer(fetch);
      }
    }
  }

  /** Fails all pending requests: the JobMaster stops. */
  void close() {
    for (PendingFetch fetch : new ArrayList<>(pending)) {
      pending.remove(fetch);
      fetch
          .answer()
          .completeExceptionally(
              new MillraceException(
                  ErrorKind.RESOURCE,
                  "The leader of the job is changing. Try again in a few seconds."));
    }
  }

  private void answer(PendingFetch fetch) {
    if (pending.remove(fetch)) {
      try {
        fetch.answer().complete(collected.page(fetch.request().name(), fetch.request().next()));
      } catch (MillraceException e) {
        fetch.answer().completeExceptionally(e);
      }
    }
  }
}
