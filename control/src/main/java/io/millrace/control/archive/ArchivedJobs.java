package io.millrace.control.archive;

import io.millrace.core.Bytes;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.EndedJob;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is told of ended jobs in full. In the store, where there is one, with a bounded number of
 * bytes of it in memory; what the store did not take stays in memory and is tried again with the
 * next job. Lives in one mailbox, off which it reads and writes.
 */
final class ArchivedJobs {
  private static final Logger LOG = LoggerFactory.getLogger(ArchivedJobs.class);

  private final Optional<ArchiveStore> store;
  private final Env env;
  private final Mailbox mailbox;
  private final ArchiveCache cache;

  /** In memory only. */
  private final Map<JobId, ArchivedJob> unwritten = new LinkedHashMap<>();

  /** Those of the unwritten that no attempt will change. */
  private final Set<JobId> unfit = new LinkedHashSet<>();

  private final Map<JobId, CompletableFuture<Void>> writing = new LinkedHashMap<>();
  private final Map<JobId, CompletableFuture<Optional<ArchivedJob>>> reading =
      new LinkedHashMap<>();
  private final Set<JobId> complainedOf = new LinkedHashSet<>();
  private boolean failing;
  private boolean stopping;

  ArchivedJobs(Optional<ArchiveStore> store, long cacheBytes, Env env, Mailbox mailbox) {
    this.store = store;
    this.cache = new ArchiveCache(cacheBytes);
    this.env = env;
    this.mailbox = mailbox;
  }

  /** Completes when the page is in the store, or the store did not take it. Never fails. */
  CompletableFuture<Void> keep(ArchivedJob page) {
    mailbox.checkInside();
    unwritten.put(page.job(), page);
    if (store.isEmpty() || stopping) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> written = write(page);
    List<ArchivedJob> others = new ArrayList<>(unwritten.values());
    others.removeIf(other -> writing.containsKey(other.job()) || unfit.contains(other.job()));
    others.forEach(this::write);
    return written;
  }

  /** Keeps a page of little content where there is none; one that cannot be read is left alone. */
  CompletableFuture<Void> keepUnlessKept(ArchivedJob page) {
    return find(page.ended())
        .thenCompose(
            found ->
                found.isPresent() || complainedOf.contains(page.job())
                    ? CompletableFuture.completedFuture(null)
                    : keep(page));
  }

  private CompletableFuture<Void> write(ArchivedJob page) {
    JobId job = page.job();
    ArchiveStore to = store.orElseThrow();
    CompletableFuture<Integer> put =
        env.io()
            .call(
                mailbox,
                () -> {
                  Bytes content = ArchiveFileFormat.encode(page);
                  to.put(job, content);
                  return content.length();
                });
    CompletableFuture<Void> written = new CompletableFuture<>();
    writing.put(job, written);
    put.whenComplete(
        (bytes, failure) -> {
          writing.remove(job, written);
          if (failure != null) {
            complain(job, to, Failure.unwrap(failure));
          } else if (unwritten.remove(job, page)) {
            cache.put(page, bytes);
            recovered();
          } else {
            // Forgotten while it was being written.
            remove(List.of(job));
          }
          written.complete(null);
        });
    return written;
  }

  /**
   * Completes when no page is being written; none is begun from now on. A page that is written
   * later would replace the one that the next term of this process has stored.
   */
  CompletableFuture<Void> stop() {
    stopping = true;
    return CompletableFuture.allOf(writing.values().toArray(CompletableFuture<?>[]::new));
  }

  private void complain(JobId job, ArchiveStore to, Throwable failure) {
    if (failure instanceof MillraceException) {
      unfit.add(job);
      LOG.warn(
          "What is known of job {} is gone with this JobManager: {}",
          job,
          Failure.sentence(failure));
    } else if (!failing) {
      failing = true;
      LOG.warn(
          "{} cannot be written, so that what is known of ended jobs is gone with this JobManager;"
              + " said once until it works again: {}",
          to.place(job),
          Failure.sentence(failure));
    }
  }

  private void recovered() {
    if (failing) {
      failing = false;
      LOG.info("Ended jobs can be written again");
    }
  }

  /**
   * The page of a job that ended in this way; nothing where there is none, it cannot be read, or it
   * tells of an earlier run of the job.
   */
  CompletableFuture<Optional<ArchivedJob>> find(EndedJob ended) {
    mailbox.checkInside();
    JobId job = ended.job();
    Optional<ArchivedJob> known = Optional.ofNullable(unwritten.get(job)).or(() -> cache.find(job));
    if (known.isPresent() || store.isEmpty()) {
      return CompletableFuture.completedFuture(known);
    }
    CompletableFuture<Optional<ArchivedJob>> underWay = reading.get(job);
    if (underWay != null) {
      return underWay;
    }
    CompletableFuture<Optional<ArchivedJob>> read = read(ended, store.get());
    reading.put(job, read);
    read.whenComplete((page, failure) -> reading.remove(job));
    return read;
  }

  private record Read(ArchivedJob page, int bytes) {}

  private CompletableFuture<Optional<ArchivedJob>> read(EndedJob ended, ArchiveStore from) {
    JobId job = ended.job();
    return env.io()
        .call(
            mailbox,
            () ->
                from.find(job, ArchiveFileFormat.MOST)
                    .map(
                        content ->
                            new Read(ArchiveFileFormat.decode(job, content), content.length())))
        .handle(
            (found, failure) -> {
              if (failure != null) {
                if (complainedOf.add(job)) {
                  LOG.warn(
                      "{} is passed over, and of job {} only its result is shown: {}",
                      from.place(job),
                      job,
                      Failure.sentence(Failure.unwrap(failure)));
                }
                return Optional.empty();
              }
              if (found.isEmpty() || !found.get().page().ended().equals(ended)) {
                return Optional.empty();
              }
              cache.put(found.get().page(), found.get().bytes());
              return Optional.of(found.get().page());
            });
  }

  void forget(JobId job) {
    mailbox.checkInside();
    unwritten.remove(job);
    unfit.remove(job);
    cache.remove(job);
    complainedOf.remove(job);
    if (!writing.containsKey(job)) {
      remove(List.of(job));
    }
  }

  /** Removes from the store what belongs to no job that is needed. */
  void clear(Predicate<JobId> needed) {
    store.ifPresent(
        from ->
            env.io()
                .call(mailbox, from::list)
                .whenComplete(
                    (kept, failure) -> {
                      if (failure != null) {
                        LOG.warn(
                            "The archive of ended jobs {} cannot be listed: {}",
                            from,
                            Failure.sentence(Failure.unwrap(failure)));
                      } else {
                        remove(kept.stream().filter(needed.negate()).toList());
                      }
                    }));
  }

  private void remove(Collection<JobId> jobs) {
    if (store.isEmpty() || jobs.isEmpty()) {
      return;
    }
    ArchiveStore from = store.get();
    env.io()
        .call(
            mailbox,
            () -> {
              for (JobId job : jobs) {
                remove(from, job);
              }
              return jobs.size();
            })
        .whenComplete(
            (count, failure) -> {
              if (failure != null) {
                LOG.warn("Of {} ended jobs not all files could be removed", jobs.size(), failure);
              }
            });
  }

  /** One that cannot be removed must not keep the others. */
  private static void remove(ArchiveStore from, JobId job) {
    try {
      from.remove(job);
    } catch (IOException e) {
      LOG.warn("{} could not be removed and may be deleted by hand: {}", from.place(job), e);
    }
  }
}
