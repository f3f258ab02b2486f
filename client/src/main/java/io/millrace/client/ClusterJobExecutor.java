package io.millrace.client;

import io.millrace.api.execution.JobExecutor;
import io.millrace.api.program.Program;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.graph.CachedDataSet;
import io.millrace.graph.Graphs;
import io.millrace.graph.JobGraph;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Function;
import java.util.function.Supplier;

/** Executes the jobs of a program on a cluster and keeps the list of them. */
public final class ClusterJobExecutor implements JobExecutor {
  private final ClusterClient cluster;
  private final List<Path> jars;
  private final Supplier<RecordDecoder> decoder;
  private final JobListener listener;
  private final Function<String, JobId> ids;
  private Optional<ClientHeartbeat> heartbeat = Optional.empty();
  private final List<SubmittedJob> jobs = new CopyOnWriteArrayList<>();

  /** Data sets that its jobs may have cached in the cluster. */
  private final Set<DataSetId> cached = new CopyOnWriteArraySet<>();

  /**
   * @param jars the jars that each job needs
   * @param decoder called when collected records of a job are read for the first time
   */
  public ClusterJobExecutor(
      ClusterClient cluster,
      List<Path> jars,
      Supplier<RecordDecoder> decoder,
      JobListener listener) {
    // Ids must be unique, also between two clients that start at the same moment.
    this(cluster, jars, decoder, listener, name -> JobId.random(new SecureRandom()));
  }

  /**
   * @param heartbeat the heartbeat of jobs that end with this client
   */
  public ClusterJobExecutor(
      ClusterClient cluster,
      List<Path> jars,
      Supplier<RecordDecoder> decoder,
      JobListener listener,
      ClientHeartbeat heartbeat) {
    this(cluster, jars, decoder, listener);
    this.heartbeat = Optional.of(heartbeat);
  }

  /**
   * @param ids draws the id of the next job from its name
   */
  public ClusterJobExecutor(
      ClusterClient cluster,
      List<Path> jars,
      Supplier<RecordDecoder> decoder,
      JobListener listener,
      Function<String, JobId> ids) {
    this.cluster = cluster;
    this.jars = OrderedCopies.list(jars);
    this.decoder = decoder;
    this.listener = listener;
    this.ids = ids;
  }

  @Override
  public SubmittedJob execute(Program program) {
    program.requireSink();
    List<CachedDataSet> known = new ArrayList<>();
    for (DataSetId id : program.dataSets()) {
      cluster.dataSet(id).ifPresent(known::add);
    }
    JobGraph graph = Graphs.jobGraph(Graphs.reusing(program, known), ids.apply(program.name()));
    cached.addAll(program.dataSets());
    try (CachedFileUploads uploads = new CachedFileUploads(program, graph)) {
      List<Path> all = new ArrayList<>(jars);
      all.addAll(uploads.files());
      cluster.submit(heartbeat.map(beat -> beat.withTimeout(graph)).orElse(graph), all);
    }
    heartbeat.ifPresent(beat -> beat.begin(graph.id()));
    // Records are decoded with the classes of the program that runs in this thread.
    SubmittedJob job =
        new SubmittedJob(
            cluster, graph, decoder, Thread.currentThread().getContextClassLoader(), listener);
    jobs.add(job);
    listener.submitted(graph.id(), graph.name());
    return job;
  }

  @Override
  public void release(List<DataSetId> dataSets) {
    dataSets.forEach(
        id -> {
          cluster.releaseDataSet(id);
          cached.remove(id);
        });
  }

  /**
   * Releases all data sets that the jobs of the program have cached. Called when the program has
   * ended, because no other program can use them.
   */
  public void releaseAll() {
    release(new ArrayList<>(cached));
  }

  /** The accepted jobs, in the order of their submission. */
  public List<SubmittedJob> jobs() {
    return OrderedCopies.list(jobs);
  }
}
