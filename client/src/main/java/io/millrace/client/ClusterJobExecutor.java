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

/** Runs programs' jobs on a cluster, and remembers which it ran. */
public final class ClusterJobExecutor implements JobExecutor {
  private final ClusterClient cluster;
  private final List<Path> jars;
  private final Supplier<RecordDecoder> decoder;
  private final JobListener listener;
  private final Function<String, JobId> ids;
  private final Optional<ClientHeartbeat> heartbeat;
  private final List<SubmittedJob> jobs = new CopyOnWriteArrayList<>();

  /** What its jobs may have left in the cluster. */
  private final Set<DataSetId> kept = new CopyOnWriteArraySet<>();

  /**
   * @param jars what every job needs besides the engine
   * @param decoder asked for when a job's collected records are first read
   */
  public ClusterJobExecutor(
      ClusterClient cluster,
      List<Path> jars,
      Supplier<RecordDecoder> decoder,
      JobListener listener) {
    this(cluster, jars, decoder, listener, Optional.empty());
  }

  /**
   * @param heartbeat what the jobs are tied to; nothing where they go on without their client
   */
  public ClusterJobExecutor(
      ClusterClient cluster,
      List<Path> jars,
      Supplier<RecordDecoder> decoder,
      JobListener listener,
      Optional<ClientHeartbeat> heartbeat) {
    // Only uniqueness matters, but ids of two clients that start at the same moment must differ.
    this(cluster, jars, decoder, listener, name -> JobId.random(new SecureRandom()), heartbeat);
  }

  /**
   * @param ids the id of the next job, which has this name
   */
  public ClusterJobExecutor(
      ClusterClient cluster,
      List<Path> jars,
      Supplier<RecordDecoder> decoder,
      JobListener listener,
      Function<String, JobId> ids) {
    this(cluster, jars, decoder, listener, ids, Optional.empty());
  }

  private ClusterJobExecutor(
      ClusterClient cluster,
      List<Path> jars,
      Supplier<RecordDecoder> decoder,
      JobListener listener,
      Function<String, JobId> ids,
      Optional<ClientHeartbeat> heartbeat) {
    this.cluster = cluster;
    this.jars = OrderedCopies.list(jars);
    this.decoder = decoder;
    this.listener = listener;
    this.ids = ids;
    this.heartbeat = heartbeat;
  }

  @Override
  public SubmittedJob execute(Program program) {
    program.requireSink();
    List<CachedDataSet> known = new ArrayList<>();
    for (DataSetId id : program.dataSets()) {
      cluster.dataSet(id).ifPresent(known::add);
    }
    JobGraph graph = Graphs.jobGraph(Graphs.reusing(program, known), ids.apply(program.name()));
    kept.addAll(program.dataSets());
    cluster.submit(heartbeat.map(tie -> tie.tie(graph)).orElse(graph), jars);
    heartbeat.ifPresent(tie -> tie.begin(graph.id()));
    // Records were written with the classes that this thread's program sees.
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
          kept.remove(id);
        });
  }

  /**
   * The program has ended, and its jobs with it: nobody can ask for the results that it left in the
   * cluster.
   */
  public void releaseAll() {
    release(new ArrayList<>(kept));
  }

  /** The jobs accepted so far, in that order. */
  public List<SubmittedJob> jobs() {
    return OrderedCopies.list(jobs);
  }
}
