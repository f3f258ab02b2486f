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
 * Writes ended jobs to the store of the archive and reads them back, with a cache of bounded size.
 * A job that could not be written stays in memory; writing is retried with the next job. Without a
 * store all jobs stay in memory. Confined to one mailbox; reads and writes run on I/O threads.
 */
final class ArchivedJobs {
  private static final Logger LOG = LoggerFactory.getLogger(ArchivedJobs.class);

  private final Optional<ArchiveStore> store;
  private final Env env;
  private final Mailbox mailbox;
  private final ArchiveCache cache;

  /** In memory and not in the store. */
  private final Map<JobId, ArchivedJob> unwritten = new LinkedHashMap<>();

  /** Unwritten jobs that cannot be encoded; writing them is not retried. */
  private final Set<JobId> notEncodable = new LinkedHashSet<>();

  private final Map<JobId, CompletableFuture<Void>> writing = new LinkedHashMap<>();
  private final Map<JobId, CompletableFuture<Optional<ArchivedJob>>> reading =
      new LinkedHashMap<>();
  private final Set<JobId> unreadable = new LinkedHashSet<>();
  private boolean failing;
  private boolean stopping;

  ArchivedJobs(ArchiveTargets targets, long cacheBytes, Env env, Mailbox mailbox) {
    this.store = targets.store();
    this.cache = new ArchiveCache(cacheBytes);
    this.env = env;
    this.mailbox = mailbox;
  }

  /** Completes when the job is written or writing has failed. Never fails. */
  CompletableFuture<Void> write(ArchivedJob archived) {
    mailbox.checkInside();
    unwritten.put(archived.job(), archived);
    if (store.isEmpty() || stopping) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> written = writeFile(archived);
    List<ArchivedJob> others = new ArrayList<>(unwritten.values());
    others.removeIf(
        other -> writing.containsKey(other.job()) || notEncodable.contains(other.job()));
    others.forEach(this::writeFile);
    return written;
  }

  /** Writes the job unless the store has it. An unreadable file is not overwritten. */
  CompletableFuture<Void> writeIfAbsent(ArchivedJob archived) {
    return find(archived.ended())
        .thenCompose(
            found ->
                found.isPresent() || unreadable.contains(archived.job())
                    ? CompletableFuture.completedFuture(null)
                    : write(archived));
  }

  private CompletableFuture<Void> writeFile(ArchivedJob archived) {
    JobId job = archived.job();
    ArchiveStore to = store.orElseThrow();
    CompletableFuture<Integer> put =
        env.io()
            .call(
                mailbox,
                () -> {
                  Bytes content = ArchiveFileFormat.encode(archived);
                  to.put(job, content);
                  return content.length();
                });
    CompletableFuture<Void> written = new CompletableFuture<>();
    writing.put(job, written);
    put.whenComplete(
        (bytes, failure) -> {
          writing.remove(job, written);
          if (failure != null) {
            writeFailed(job, to, Failure.unwrap(failure));
          } else if (unwritten.remove(job, archived)) {
            cache.put(archived, bytes);
            recovered();
          } else {
            // The job was removed during the write.
            remove(List.of(job));
          }
          written.complete(null);
        });
    return written;
  }

  /**
   * Completes when no job is being written; none is begun from now on. A job that is written later
   * would replace the one that the next term of this process has stored.
   */
  CompletableFuture<Void> stop() {
    stopping = true;
    return CompletableFuture.allOf(writing.values().toArray(CompletableFuture<?>[]::new));
  }

  private void writeFailed(JobId job, ArchiveStore to, Throwable failure) {
    if (failure instanceof MillraceException) {
      notEncodable.add(job);
      LOG.warn(
          "Job {} is not archived; its details are lost when this JobManager ends: {}",
          job,
          Failure.sentence(failure));
    } else if (!failing) {
      failing = true;
      LOG.warn(
          "{} cannot be written; details of ended jobs are lost when this JobManager ends."
              + " Further failures are not logged until a write succeeds: {}",
          to.place(job),
          Failure.sentence(failure));
    }
  }

  private void recovered() {
    if (failing) {
      failing = false;
      LOG.info("Writing to the archive of ended jobs succeeds again");
    }
  }

  /**
   * The archived job with this result. Empty if the store has none, the file cannot be read, or it
   * belongs to an earlier run of the job.
   */
  CompletableFuture<Optional<ArchivedJob>> find(EndedJob ended) {
    mailbox.checkInside();
    JobId job = ended.job();
    Optional<ArchivedJob> known = Optional.ofNullable(unwritten.get(job)).or(() -> cache.find(job));
    if (known.isPresent() || store.isEmpty()) {
      return CompletableFuture.completedFuture(known);
    }
    CompletableFuture<Optional<ArchivedJob>> pending = reading.get(job);
    if (pending != null) {
      return pending;
    }
    CompletableFuture<Optional<ArchivedJob>> read = read(ended, store.get());
    reading.put(job, read);
    read.whenComplete((archived, failure) -> reading.remove(job));
    return read;
  }

  private record DecodedFile(ArchivedJob archived, int bytes) {}

  private CompletableFuture<Optional<ArchivedJob>> read(EndedJob ended, ArchiveStore from) {
    JobId job = ended.job();
    return env.io()
        .call(
            mailbox,
            () ->
                from.find(job, ArchiveFileFormat.MAX_BYTES)
                    .map(
                        content ->
                            new DecodedFile(
                                ArchiveFileFormat.decode(job, content), content.length())))
        .handle(
            (found, failure) -> {
              if (failure != null) {
                if (unreadable.add(job)) {
                  LOG.warn(
                      "{} is ignored, and only the result of job {} is shown: {}",
                      from.place(job),
                      job,
                      Failure.sentence(Failure.unwrap(failure)));
                }
                return Optional.empty();
              }
              if (found.isEmpty() || !found.get().archived().ended().equals(ended)) {
                return Optional.empty();
              }
              cache.put(found.get().archived(), found.get().bytes());
              return Optional.of(found.get().archived());
            });
  }

  void forget(JobId job) {
    mailbox.checkInside();
    unwritten.remove(job);
    notEncodable.remove(job);
    cache.remove(job);
    unreadable.remove(job);
    if (!writing.containsKey(job)) {
      remove(List.of(job));
    }
  }

  /** Removes all other jobs from the store. */
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
                LOG.warn("Files of {} ended jobs could not all be removed", jobs.size(), failure);
              }
            });
  }

  /** A file that cannot be removed does not prevent the removal of the others. */
  private static void remove(ArchiveStore from, JobId job) {
    try {
      from.remove(job);
    } catch (IOException e) {
      LOG.warn("{} could not be removed and may be deleted by hand: {}", from.place(job), e);
    }
  }
}
