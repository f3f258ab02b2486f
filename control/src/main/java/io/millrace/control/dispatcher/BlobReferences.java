package io.millrace.control.dispatcher;

import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The blobs that the jobs of one leader need: those of submissions, and those of jobs that are
 * stored or may be stored. A job whose storing failed may be stored, and so may an ended job until
 * it is removed. Confined to the Dispatcher's mailbox.
 *
 * <table>
 * <caption>The references of a job</caption>
 * <tr><th>event</th><th>before</th><th>after</th></tr>
 * <tr><td>submitted</td><td>any</td><td>the same and its graph, as submitted</td></tr>
 * <tr><td>refused</td><td>submitted</td><td>as before the submission</td></tr>
 * <tr><td>storing</td><td>submitted</td><td>the same and its jars, as perhaps stored</td></tr>
 * <tr><td>stored</td><td>any</td><td>its graph and its jars</td></tr>
 * <tr><td>not stored, removed</td><td>any</td><td>none, unless it is submitted again</td></tr>
 * </table>
 */
final class BlobReferences {
  private final Map<JobId, BlobKey> submitted = new LinkedHashMap<>();
  private final Map<JobId, Set<BlobKey>> stored = new LinkedHashMap<>();

  /** The job is submitted and waits to be stored. */
  void submitted(SubmitJob submission) {
    submitted.put(submission.job(), submission.graph());
  }

  /** The submission has been answered. */
  void answered(JobId job) {
    submitted.remove(job);
  }

  boolean isSubmitted(JobId job) {
    return submitted.containsKey(job);
  }

  /** The job may be stored with these blobs from now on. */
  void storing(JobId job, Set<BlobKey> blobs) {
    stored.computeIfAbsent(job, id -> new LinkedHashSet<>()).addAll(blobs);
  }

  /** The job is stored with these blobs. */
  void stored(JobId job, Set<BlobKey> blobs) {
    stored.put(job, new LinkedHashSet<>(blobs));
  }

  /** The job is not stored. Returns the blobs that no job needs any more. */
  Set<BlobKey> removed(JobId job) {
    return unused(Optional.ofNullable(stored.remove(job)).orElseGet(LinkedHashSet::new));
  }

  /** The blobs that no other job needs. */
  Set<BlobKey> onlyOf(JobId job) {
    Set<BlobKey> blobs = new LinkedHashSet<>(stored.getOrDefault(job, new LinkedHashSet<>()));
    blobs.removeAll(submitted.values());
    stored.forEach(
        (other, needed) -> {
          if (!other.equals(job)) {
            blobs.removeAll(needed);
          }
        });
    return blobs;
  }

  /** Those of the blobs that no job needs. */
  Set<BlobKey> unused(Collection<BlobKey> blobs) {
    Set<BlobKey> unused = new LinkedHashSet<>(blobs);
    unused.removeAll(all());
    return unused;
  }

  /** The blobs that any job needs. */
  Set<BlobKey> all() {
    Set<BlobKey> all = new LinkedHashSet<>(submitted.values());
    stored.values().forEach(all::addAll);
    return all;
  }
}
