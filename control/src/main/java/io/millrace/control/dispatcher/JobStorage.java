package io.millrace.control.dispatcher;

import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.ha.CheckpointStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.JobResultStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.ha.NewestTerm;
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

/** What the Dispatcher reads and writes. Every method blocks: call it through {@code env.io()}. */
public final class JobStorage {
  private final BlobStore blobs;
  private final RecordCodec codec;
  private final JobStore jobs;
  private final JobResultStore results;
  private final NewestTerm newest;
  private final ArchiveTargets archives;
  private final CheckpointServices checkpoints;

  /** A job found in the store by a new leader; an ended one only has to be cleaned up after. */
  record Recovered(StoredJob job, Optional<JobGraph> graph, Optional<EndedJob> ended) {}

  /**
   * What a new leader begins with.
   *
   * @param ended the jobs after which nothing is left to be done, in the order of their ends
   */
  record Recovery(List<Recovered> jobs, List<EndedJob> ended) {
    Recovery {
      jobs = OrderedCopies.list(jobs);
      ended = OrderedCopies.list(ended);
    }
  }

  /**
   * @param codec for everything stored; reads graphs of any size it allows
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
    this.results = new JobResultStore(store, codec);
    this.newest = new NewestTerm(store);
    this.checkpoints = new CheckpointServices(new CheckpointStore(store, codec), checkpoints);
  }

  CheckpointServices checkpoints() {
    return checkpoints;
  }

  JobResultStore results() {
    return results;
  }

  ArchiveTargets archives() {
    return archives;
  }

  /** A job that is kept; one whose first submission seemed to fail may be cancelled already. */
  record Accepted(JobGraph graph, boolean cancelled) {}

  /** Checks a submitted job and keeps it, in this order. */
  Accepted accept(SubmitJob submission, long term) throws IOException {
    JobId id = submission.job();
    Optional<EndedJob> ended = results.find(id);
    if (ended.isPresent()) {
      throw endedBefore(ended.get().result());
    }
    JobGraph graph = graph(submission);
    if (!graph.id().equals(id)) {
      throw new MillraceException(
          ErrorKind.USER, "The graph submitted for job " + id + " is that of job " + graph.id());
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
    // A successor may have removed the graph, and nobody could recover with a job without it.
    newest.check(term);
    StoredJob kept = jobs.put(submission, term);
    newest.check(term);
    return new Accepted(graph, kept.cancelled());
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

  /**
   * Begins a term with all jobs of the store. One that cannot be read fails the whole, so that
   * another process may try and nothing is lost, except where the job has ended and its graph is no
   * longer needed.
   */
  Recovery recover(long term) throws IOException {
    newest.begin(term);
    Map<JobId, EndedJob> ended = new LinkedHashMap<>();
    results.all().forEach(job -> ended.put(job.job(), job));
    List<Recovered> recovered = new ArrayList<>();
    Set<BlobKey> needed = new LinkedHashSet<>();
    for (StoredJob job : jobs.all()) {
      Optional<EndedJob> end = Optional.ofNullable(ended.remove(job.job()));
      boolean readable = end.isEmpty() || blobs.contains(job.submission().graph());
      Optional<JobGraph> graph = readable ? Optional.of(graph(job.submission())) : Optional.empty();
      recovered.add(new Recovered(job, graph, end));
      needed.addAll(blobs(job.submission(), graph));
    }
    blobs.clearRemains(needed);
    return new Recovery(recovered, new ArrayList<>(ended.values()));
  }

  /** Keeps that a job has to end; returns whether it is stored at all. */
  boolean cancel(JobId job, long term) {
    newest.check(term);
    boolean stored = jobs.cancel(job, term);
    newest.check(term);
    return stored;
  }

  /** Keeps how a job ended, unless that is kept already; returns what is. */
  EndedJob putResult(EndedJob ended, long term) {
    // One that leads no more must not end a job that its successor runs.
    newest.check(term);
    return results.put(ended, term);
  }

  /** Everything that is stored to run a job. */
  static Set<BlobKey> blobs(SubmitJob job, Optional<JobGraph> graph) {
    Set<BlobKey> keys = new LinkedHashSet<>();
    keys.add(job.graph());
    graph.ifPresent(known -> known.jars().stream().map(JarFile::blob).forEach(keys::add));
    return keys;
  }

  /** Removes what was kept to run a job. Repeating it is fine. */
  void forget(JobId job, Collection<BlobKey> unused, long term) throws IOException {
    newest.check(term);
    // Before the job itself: what is left of a job is found through its entry.
    results
        .find(job)
        .ifPresent(ended -> checkpoints.cleanUp(job, ended.result().status(), term));
    // The pointer goes first: a job in the store must always find its graph.
    jobs.remove(job, term);
    delete(unused, term);
  }

  /** Removes blobs that no job of this leader needs: only a successor knows what its own need. */
  void delete(Collection<BlobKey> unused, long term) throws IOException {
    newest.check(term);
    for (BlobKey key : unused) {
      blobs.delete(key);
    }
  }

  /** Removes blobs that clients left without a job. */
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
