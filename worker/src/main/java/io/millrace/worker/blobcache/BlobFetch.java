package io.millrace.worker.blobcache;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.protocol.BlobGateway;
import io.millrace.protocol.BlobGateway.BlobPart;
import io.millrace.protocol.BlobGateway.ReadBlob;
import io.millrace.rpc.Address;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches one blob into the store, in parts and with retries. Confined to the mailbox of the cache.
 */
final class BlobFetch {
  private static final Logger LOG = LoggerFactory.getLogger(BlobFetch.class);
  private static final int MAX_ATTEMPTS = 4;
  private static final Duration INITIAL_DELAY = Duration.ofMillis(100);

  private final Rpc rpc;
  private final Mailbox mailbox;
  private final BlobCacheStore store;
  private final Supplier<Optional<Address>> server;
  private final BlobKey key;
  private final CompletableFuture<Void> fetched = new CompletableFuture<>();

  /**
   * @param server called for each attempt: the address changes with the JobManager
   */
  BlobFetch(
      Rpc rpc,
      Mailbox mailbox,
      BlobCacheStore store,
      Supplier<Optional<Address>> server,
      BlobKey key) {
    this.rpc = rpc;
    this.mailbox = mailbox;
    this.store = store;
    this.server = server;
    this.key = key;
  }

  CompletableFuture<Void> start() {
    attempt(1);
    return fetched;
  }

  private void attempt(int number) {
    Optional<Address> from = server.get();
    if (from.isEmpty()) {
      failed(number, "no blob server", new IllegalStateException("no JobManager is known yet"));
      return;
    }
    BlobGateway gateway = rpc.gateway(BlobGateway.class, from.get(), Optional.empty(), mailbox);
    io(() -> store.receive(key))
        .thenCompose(
            incoming ->
                parts(gateway, incoming, 0)
                    .exceptionallyCompose(
                        failure ->
                            io(() -> {
                                  incoming.abandon();
                                  return incoming;
                                })
                                .thenCompose(x -> CompletableFuture.failedFuture(failure))))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                fetched.complete(null);
              } else {
                failed(number, from.get().toString(), failure);
              }
            });
  }

  private CompletableFuture<Void> parts(
      BlobGateway gateway, BlobCacheStore.Incoming incoming, long offset) {
    return gateway
        .readBlob(new ReadBlob(key, offset))
        .thenCompose(part -> store(gateway, incoming, offset, part));
  }

  private CompletableFuture<Void> store(
      BlobGateway gateway, BlobCacheStore.Incoming incoming, long offset, BlobPart part) {
    Bytes content = part.content();
    long end = offset + content.length();
    boolean last = end >= part.total();
    if (content.isEmpty() && !last) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "the server stopped at byte " + offset + " of " + part.total()));
    }
    CompletableFuture<Boolean> stored =
        io(
            () -> {
              incoming.append(content);
              if (last) {
                incoming.complete();
              }
              return last;
            });
    return stored.thenCompose(
        complete ->
            complete ? CompletableFuture.completedFuture(null) : parts(gateway, incoming, end));
  }

  private void failed(int number, String from, Throwable failure) {
    String why = Failure.sentence(Failure.unwrap(failure));
    if (number == MAX_ATTEMPTS) {
      fetched.completeExceptionally(
          new MillraceException(
              ErrorKind.EXTERNAL,
              "Could not fetch blob "
                  + key
                  + " from "
                  + from
                  + " in "
                  + MAX_ATTEMPTS
                  + " attempts: "
                  + why
                  + ". Check that the JobManager runs and that this worker's disk has room.",
              Failure.unwrap(failure)));
      return;
    }
    LOG.info("Attempt {} to fetch blob {} from {} failed: {}", number, key, from, why);
    mailbox.after(INITIAL_DELAY.multipliedBy(1L << (number - 1)), () -> attempt(number + 1));
  }

  private <T> CompletableFuture<T> io(java.util.concurrent.Callable<T> work) {
    return rpc.env().io().call(mailbox, work);
  }
}
