package io.millrace.control.dispatcher;

import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.ha.NewestTerm;
import io.millrace.control.jobmaster.JobStores;
import io.millrace.core.OrderedCopies;
import io.millrace.core.codec.CodecException;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.StoredJob;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads and writes stored jobs, results and blobs for the Dispatcher. All methods block; call them
 * through {@code env.io()}.
 */
public final class JobStorage {
  private final BlobStore blobs;
  private final RecordCodec codec;
  private final JobStore jobs;
  private final JobResultStore results;
  private final NewestTerm newest;
  private final ArchiveTargets archives;
  private final JobStores ofJobs;

  /**
   * A stored job that a new leader has found. If it has ended, only its stored data has to be
   * removed.
   */
  record Recovered(StoredJob job, Optional<JobGraph> graph, Optional<EndedJob> ended) {
    Set<BlobKey> blobs() {
      return graph
          .map(known -> JobStorage.blobs(job.submission(), known))
          .orElseGet(() -> JobStorage.blobs(job.submission()));
    }
  }

  /**
   * What a new leader starts with.
   *
   * @param ended jobs whose stored data is removed, in the order in which they ended
   */
  record Recovery(List<Recovered> jobs, List<EndedJob> ended) {
    Recovery {
      jobs = OrderedCopies.list(jobs);
      ended = OrderedCopies.list(ended);
    }
  }

  /**
   * @param codec for all stored values; limits the size of graphs
   */
  public JobStorage(
      BlobStore blobs,
      HaStore store,
      CheckpointStorage checkpoints,
      ArchiveTargets archives,
      RecordCodec codec) {
    this.blobs = blobs;
    this.archives = archives;
    this.codec = codec;
    this.jobs = new JobStore(store, codec);
    this.ofJobs = new JobStores(store, codec, checkpoints);
    this.results = ofJobs.results();
    this.newest = new NewestTerm(store);
  }

  /** What the leaders of jobs store. */
  JobStores ofJobs() {
    return ofJobs;
  }

  JobResultStore results() {
    return results;
  }

  ArchiveTargets archives() {
    return archives;
  }

  /** A stored job. It may be cancelled already if an earlier submission was reported as failed. */
  record Accepted(JobGraph graph, boolean cancelled) {}

  /** Checks a submitted job and returns its graph. Changes nothing. */
  JobGraph check(SubmitJob submission) throws IOException {
    JobId id = submission.job();
    Optional<EndedJob> ended = results.find(id);
    if (ended.isPresent()) {
      throw endedBefore(ended.get().result());
    }
    JobGraph graph = graph(submission);
    if (!graph.id().equals(id)) {
      throw new MillraceException(
          ErrorKind.USER, "The graph submitted for job " + id + " belongs to job " + graph.id());
    }
    ResourceDeclarationCheck.check(graph);
    for (JarFile jar : graph.jars()) {
      if (!blobs.contains(jar.blob())) {
        throw new MillraceException(
            ErrorKind.USER,
            "Jar '"
                + jar.name()
                + "' of job "
                + id
                + " is not stored. Upload it and submit again.");
      }
    }
    return graph;
  }

  /** Stores a checked job. If this fails, the job may be stored. */
  Accepted store(SubmitJob submission, JobGraph graph, long term) {
    // A successor may have removed the graph, and a stored job without its graph cannot be
    // recovered.
    newest.check(term);
    StoredJob kept = jobs.put(submission, term);
    newest.check(term);
    return new Accepted(graph, kept.cancelled());
  }

  boolean isStored(JobId job) {
    return jobs.contains(job);
  }

  static MillraceException endedBefore(JobResult result) {
    return new MillraceException(
        ErrorKind.USER,
        "Job "
            + result.job()
            + " has already ended as "
            + result.status()
            + " and does not run again. Submit it under a new id.");
  }

  /** Begins a term, the first step of a recovery, and returns all stored jobs without graphs. */
  Recovery begin(long term) {
    newest.begin(term);
    Map<JobId, EndedJob> ended = new LinkedHashMap<>();
    results.all().forEach(job -> ended.put(job.job(), job));
    List<Recovered> found = new ArrayList<>();
    for (StoredJob job : jobs.all()) {
      found.add(new Recovered(job, Optional.empty(), Optional.ofNullable(ended.remove(job.job()))));
    }
    return new Recovery(found, new ArrayList<>(ended.values()));
  }

  /** Reads the graph of a stored job. That of an ended job is optional. */
  Recovered withGraph(Recovered found) throws IOException {
    SubmitJob submission = found.job().submission();
    boolean readable = found.ended().isEmpty() || blobs.contains(submission.graph());
    return readable
        ? new Recovered(found.job(), Optional.of(graph(submission)), found.ended())
        : found;
  }

  /** Removes blobs that no stored job needs, the last step of a recovery. */
  void clearRemains(Recovery recovery) throws IOException {
    Set<BlobKey> needed = new LinkedHashSet<>();
    recovery.jobs().forEach(found -> needed.addAll(found.blobs()));
    blobs.clearRemains(needed);
  }

  /** Stores that a job is cancelled. Returns whether the job is stored. */
  boolean cancel(JobId job, long term) {
    newest.check(term);
    boolean stored = jobs.cancel(job, term);
    newest.check(term);
    return stored;
  }

  /** Stores the result of a job unless it has one. Returns the stored result. */
  EndedJob putResult(EndedJob ended, long term) {
    // A former leader must not end a job that its successor runs.
    newest.check(term);
    return results.put(ended, term);
  }

  /** The blobs of a stored job: its graph and its jars. */
  static Set<BlobKey> blobs(SubmitJob job, JobGraph graph) {
    Set<BlobKey> keys = blobs(job);
    graph.jars().stream().map(JarFile::blob).forEach(keys::add);
    return keys;
  }

  /** The blobs of a stored job whose graph is not readable, so that its jars are unknown. */
  static Set<BlobKey> blobs(SubmitJob job) {
    Set<BlobKey> keys = new LinkedHashSet<>();
    keys.add(job.graph());
    return keys;
  }

  /** Removes a stored job and its unused blobs. Idempotent. */
  void forget(JobId job, Collection<BlobKey> unused, long term) throws IOException {
    newest.check(term);
    // Before the job itself: what is left of a job is found through its entry.
    results
        .find(job)
        .ifPresent(ended -> ofJobs.checkpoints().cleanUp(job, ended.result().status()));
    ofJobs.deployments().remove(job);
    // The entry is removed first: a stored job always has its graph.
    jobs.remove(job, term);
    delete(unused, term);
  }

  /**
   * Deletes blobs that no job of this leader needs. A former leader must not delete: its successor
   * may need them.
   */
  void delete(Collection<BlobKey> unused, long term) throws IOException {
    newest.check(term);
    for (BlobKey key : unused) {
      blobs.delete(key);
    }
  }

  /**
   * Leaves blobs of a job that was not stored to {@link #clearUnused}, because the client may
   * submit the job again.
   */
  void abandon(Collection<BlobKey> unused) throws IOException {
    for (BlobKey key : unused) {
      // A queried blob counts as one that a client uploaded.
      blobs.contains(key);
    }
  }

  /** Deletes blobs that clients uploaded without submitting a job. */
  void clearUnused(Collection<BlobKey> needed, long term) throws IOException {
    newest.check(term);
    blobs.clearUnused(needed);
  }

  private JobGraph graph(SubmitJob job) throws IOException {
    try {
      return codec.decode(JobGraph.class, blobs.readAll(job.graph()));
    } catch (CodecException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The graph of job "
              + job.job()
              + " cannot be read: "
              + e.getMessage()
              + ". Submit it with a client of the same release as the cluster.",
          e);
    }
  }
}
