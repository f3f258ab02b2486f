package io.millrace.worker.blobcache;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.rpc.Address;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Caches the blobs that the jobs of this worker use. A blob is fetched once for all users and
 * deleted when its last lease ends. Has its own mailbox; its methods may be called from any
 * mailbox.
 */
public final class BlobCache {
  private static final Logger LOG = LoggerFactory.getLogger(BlobCache.class);

  private final Rpc rpc;
  private final BlobCacheStore store;
  private final Mailbox mailbox;
  private final Map<BlobKey, Entry> entries = new LinkedHashMap<>();

  /** Deletions in progress: a blob is fetched again only after its file is deleted. */
  private final Map<BlobKey, CompletableFuture<Void>> deletions = new LinkedHashMap<>();

  private Optional<Address> server = Optional.empty();

  private record Entry(CompletableFuture<Void> fetched, Set<Lease> users) {}

  public BlobCache(Rpc rpc, BlobCacheStore store) {
    this.rpc = rpc;
    this.store = store;
    this.mailbox = rpc.env().mailbox("blob-cache");
  }

  /** Sets the address from which blobs are fetched. */
  public void fetchFrom(Address server) {
    mailbox.post(() -> this.server = Optional.of(server));
  }

  /** A lease for any number of blobs. */
  public Lease lease() {
    return new Lease();
  }

  /** Deletes all blobs; completes in the given mailbox. */
  public CompletableFuture<Void> close(Mailbox replyTo) {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    mailbox.post(
        () -> {
          entries.clear();
          io(() -> {
                store.close();
                return true;
              })
              .whenComplete((done, failure) -> answer(replyTo, closed, null, failure));
        });
    return closed;
  }

  /** Keeps the blobs that were fetched through it until it ends. */
  public final class Lease {
    private boolean ended;

    private Lease() {}

    /** Completes in the given mailbox when the blob is stored and its hash is verified. */
    public CompletableFuture<Void> fetch(BlobKey key, Mailbox replyTo) {
      CompletableFuture<Void> answer = new CompletableFuture<>();
      mailbox.post(
          () -> {
            if (ended) {
              answer(
                  replyTo,
                  answer,
                  null,
                  new MillraceException(
                      ErrorKind.EXTERNAL, "The job was removed from this worker in the meantime."));
              return;
            }
            entry(key, this)
                .fetched()
                .whenComplete((done, failure) -> answer(replyTo, answer, null, failure));
          });
      return answer;
    }

    /** The content of a fetched blob. Blocks. */
    public Bytes read(BlobKey key) throws IOException {
      return store.read(key);
    }

    /** The URL of a fetched blob for class loaders; empty if blobs are in memory. */
    public Optional<URL> location(BlobKey key) {
      return store.location(key);
    }

    /** Releases all blobs of this lease. Blobs without another user are deleted. */
    public void end() {
      mailbox.post(
          () -> {
            ended = true;
            List<BlobKey> unused = new ArrayList<>();
            entries.forEach(
                (key, entry) -> {
                  if (entry.users().remove(this) && entry.users().isEmpty()) {
                    unused.add(key);
                  }
                });
            unused.forEach(BlobCache.this::dropIfFetched);
          });
    }
  }

  private Entry entry(BlobKey key, Lease user) {
    Entry known = entries.get(key);
    if (known != null) {
      known.users().add(user);
      return known;
    }
    CompletableFuture<Void> fetched =
        deletions
            .getOrDefault(key, CompletableFuture.completedFuture(null))
            .thenCompose(x -> new BlobFetch(rpc, mailbox, store, () -> server, key).start());
    Entry entry = new Entry(fetched, new LinkedHashSet<>());
    entry.users().add(user);
    entries.put(key, entry);
    fetched.whenComplete(
        (done, failure) -> {
          if (failure != null) {
            entries.remove(key, entry);
          } else if (entry.users().isEmpty()) {
            dropIfFetched(key);
          }
        });
    return entry;
  }

  /** A fetch without users is not interrupted; its blob is deleted when it completes. */
  private void dropIfFetched(BlobKey key) {
    Entry entry = entries.get(key);
    if (entry == null || !entry.fetched().isDone()) {
      return;
    }
    entries.remove(key);
    CompletableFuture<Void> deleted = new CompletableFuture<>();
    deletions.put(key, deleted);
    io(() -> {
          store.delete(key);
          return true;
        })
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.warn("Could not delete blob {}", key, failure);
              }
              deletions.remove(key);
              deleted.complete(null);
            });
  }

  private <T> CompletableFuture<T> io(java.util.concurrent.Callable<T> work) {
    return rpc.env().io().call(mailbox, work);
  }

  private static <T> void answer(
      Mailbox replyTo, CompletableFuture<T> answer, T value, Throwable failure) {
    replyTo.post(
        () -> {
          if (failure == null) {
            answer.complete(value);
          } else {
            answer.completeExceptionally(failure);
          }
        });
  }
}
