package io.millrace.control.dispatcher;

import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads all stored jobs at the beginning of a term. Graphs are read in parallel, because each may
 * be a request to a remote file system. If one cannot be read, the recovery fails as a whole, so
 * that another process can try and nothing is lost. Confined to one mailbox.
 */
final class JobRecovery {
  /** Leaves threads for other blocking work. */
  private static final int PARALLEL_READS = 16;

  private final JobStorage storage;
  private final Env env;
  private final Mailbox mailbox;
  private final CompletableFuture<JobStorage.Recovery> done = new CompletableFuture<>();
  private final List<JobStorage.Recovered> jobs = new ArrayList<>();
  private JobStorage.Recovery stored = new JobStorage.Recovery(List.of(), List.of());
  private int next;
  private int read;

  JobRecovery(JobStorage storage, Env env, Mailbox mailbox) {
    this.storage = storage;
    this.env = env;
    this.mailbox = mailbox;
  }

  /** Reads the jobs, once. The future completes in the mailbox. */
  CompletableFuture<JobStorage.Recovery> run(long term) {
    env.io()
        .call(mailbox, () -> storage.begin(term))
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                done.completeExceptionally(failure);
              } else {
                stored = found;
                jobs.addAll(found.jobs());
                readGraphs();
              }
            });
    return done;
  }

  private void readGraphs() {
    if (read == jobs.size()) {
      clearRemains();
    }
    while (next < jobs.size() && next - read < PARALLEL_READS) {
      readGraph(next++);
    }
  }

  private void readGraph(int job) {
    JobStorage.Recovered found = jobs.get(job);
    env.io()
        .call(mailbox, () -> storage.withGraph(found))
        .whenComplete(
            (complete, failure) -> {
              if (done.isDone()) {
                return; // another one could not be read
              }
              if (failure != null) {
                done.completeExceptionally(failure);
              } else {
                jobs.set(job, complete);
                read++;
                readGraphs();
              }
            });
  }

  private void clearRemains() {
    JobStorage.Recovery recovery = new JobStorage.Recovery(jobs, stored.ended());
    env.io()
        .call(
            mailbox,
            () -> {
              storage.clearRemains(recovery);
              return recovery;
            })
        .whenComplete(
            (complete, failure) -> {
              if (failure != null) {
                done.completeExceptionally(failure);
              } else {
                done.complete(complete);
              }
            });
  }
}
