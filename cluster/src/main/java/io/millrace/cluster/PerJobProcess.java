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
import io.millrace.rpc.Env;
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
 * The JobManager of a cluster for one job, as a process: it runs the graph that its client has left
 * for it, takes no other job, and ends when that has ended. One that is started again goes on with
 * the job, or only tells how it ended.
 */
public final class PerJobProcess {
  private static final Logger LOG = LoggerFactory.getLogger(PerJobProcess.class);
  private static final Duration POLL = Duration.ofSeconds(5);

  private static final String REFUSAL =
      "This cluster runs the one job that it was started for and takes no other jobs and programs."
          + " Start a cluster for them, such as a session.";

  private PerJobProcess() {}

  /**
   * What a client has left for the process.
   *
   * @param graph in the codec of graphs
   * @param jars of the job's program
   * @param grace how long the process stays when the job has ended, for clients to ask how; zero
   *     where none waits
   * @param staging how long the client was busy before this process could start, which is part of
   *     the job's life; nothing where this is not its first attempt
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
   * Runs to the end of the process; returns its exit code. A graph that cannot be read is thrown,
   * before any service has started: such a process must not look like a cluster for a moment.
   */
  public static int run(Configuration configuration, StagedJob work) {
    JobGraph graph = work.read();
    return ServerProcess.run(
        JobManagerProcess.NAME,
        configuration,
        process -> {
          LOG.info("Job {} '{}' with jars {}", graph.id(), graph.name(), work.jars());
          ShutdownGrace grace = new ShutdownGrace(ending -> ending.end(process), work.grace());
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
                work.staging().ifPresent(took -> tell(services.rpc().env(), graph.id(), took));
                grace.end(run(client, graph, work.jars()));
              });
        });
  }

  private static void tell(Env env, JobId job, Duration took) {
    env.journal().append(JournalEntry.of(new JobSent(true)).forJob(job).taking(took.toMillis()));
  }

  /** Submits the job, unless it is here already, and waits for its end. */
  static ApplicationOutcome run(ApplicationClient client, JobGraph graph, List<Path> jars) {
    String name = "Job '" + graph.name() + "' (" + graph.id() + ")";
    boolean submitted = false;
    while (true) {
      try {
        if (!submitted) {
          client.submit(graph, jars);
          submitted = true;
        }
        Optional<JobResult> result = client.awaitResult(graph.id(), POLL);
        if (result.isPresent()) {
          return ApplicationOutcome.of(name, result.get());
        }
      } catch (MillraceException e) {
        switch (e.kind()) {
          case RESOURCE -> LOG.info("{} waits for the Dispatcher: {}", name, e.getMessage());
          case USER -> {
            return new ApplicationOutcome(
                ExitCode.FAILED, name + " was not taken: " + e.getMessage());
          }
          // Another attempt may have more luck.
          case EXTERNAL, BUG -> throw e;
        }
      }
    }
  }
}
