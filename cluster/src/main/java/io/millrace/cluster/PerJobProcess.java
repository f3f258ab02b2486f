package io.millrace.cluster;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import io.millrace.protocol.journal.ClientEvent.JobSent;
import io.millrace.rpc.journal.JournalEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of a JobManager of a cluster for one job. It runs the graph that its client has
 * staged, rejects other jobs, and ends when the job has ended. If it is restarted, it continues the
 * job, or serves the stored result.
 */
public final class PerJobProcess {
  private static final Logger LOG = LoggerFactory.getLogger(PerJobProcess.class);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

  /** A job has ended or is cancelled when its cluster is shut down: its result comes soon. */
  private static final Duration RESULT_PATIENCE = Duration.ofSeconds(10);

  private static final String REFUSAL =
      "This cluster runs the one job that it was started for and accepts no other jobs and"
          + " programs. Start a cluster for them, for example a session.";

  private PerJobProcess() {}

  /**
   * The files that a client has staged for the process.
   *
   * @param graph encoded with the codec of graphs
   * @param jars the jars of the program
   * @param grace how long the process stays after the end of the job, so that clients can fetch the
   *     result; zero if none waits
   * @param staging the time that the client needed before this process could start, which the
   *     timeline of the job includes; empty if this is not the first attempt
   */
  public record StagedJob(Path graph, List<Path> jars, Duration grace, Optional<Duration> staging) {
    public StagedJob {
      Objects.requireNonNull(graph);
      jars = OrderedCopies.list(jars);
      Objects.requireNonNull(grace);
      Objects.requireNonNull(staging);
    }

    private JobGraph read() {
      try {
        return Messages.graphCodec().decode(JobGraph.class, Bytes.wrap(Files.readAllBytes(graph)));
      } catch (IOException | MillraceException e) {
        throw new MillraceException(
            ErrorKind.USER, "The job graph " + graph + " cannot be read: " + e.getMessage(), e);
      }
    }
  }

  /**
   * Runs until the process ends; returns its exit code. Throws if the graph cannot be read, before
   * any service has started, so that no client finds a cluster that ends at once.
   */
  public static int run(Configuration configuration, StagedJob staged) {
    JobGraph graph = staged.read();
    return ServerProcess.run(
        JobManagerProcess.NAME,
        configuration,
        process -> {
          LOG.info("Job {} '{}' with jars {}", graph.id(), graph.name(), staged.jars());
          ShutdownGrace grace =
              new ShutdownGrace(ending -> ending.end(process), staged.grace(), RESULT_PATIENCE);
          JobManagerProcess.Services services =
              JobManagerProcess.start(
                  configuration,
                  process,
                  new JobManagerProcess.Mode(Optional.of(REFUSAL), grace::shutDown));
          ApplicationClient client =
              new ApplicationClient(
                  services.rpc(), services.leaders(), services.blobs(), configuration);
          process.started("Client of the job", () -> JobManagerProcess.done(client::close));
          JobManagerProcess.announce(configuration, services);
          process.inBackground(
              "job",
              () -> {
                client.awaitRecovery();
                Optional<ApplicationOutcome> ended = services.ended().get();
                if (ended.isPresent()) {
                  ended.get().end(process);
                  return;
                }
                staged.staging().ifPresent(took -> recordStaging(services, graph.id(), took));
                grace.end(run(client, graph, staged.jars()));
              });
        });
  }

  private static void recordStaging(JobManagerProcess.Services services, JobId job, Duration took) {
    services
        .rpc()
        .env()
        .journal()
        .append(JournalEntry.of(new JobSent(true)).forJob(job).taking(took.toMillis()));
  }

  /** Submits the job, unless it exists already, and waits until it has ended. */
  static ApplicationOutcome run(ApplicationClient client, JobGraph graph, List<Path> jars) {
    String name = "Job '" + graph.name() + "' (" + graph.id() + ")";
    boolean submitted = false;
    while (true) {
      try {
        if (!submitted) {
          client.submit(graph, jars);
          submitted = true;
        }
        Optional<JobResult> result = client.awaitResult(graph.id(), POLL_INTERVAL);
        if (result.isPresent()) {
          return ApplicationOutcome.of(name, result.get());
        }
      } catch (MillraceException e) {
        switch (e.kind()) {
          case RESOURCE -> LOG.info("{} waits for the Dispatcher: {}", name, e.getMessage());
          case USER -> {
            return new ApplicationOutcome(
                ExitCode.FAILED, name + " was rejected: " + e.getMessage());
          }
          // Another attempt may succeed.
          case EXTERNAL, BUG -> throw e;
        }
      }
    }
  }
}
