package io.millrace.cluster;

import io.millrace.client.PackagedProgram;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JobManager of an application cluster, as a process: it runs the program's {@code main}
 * itself, takes no other program's jobs, and ends when {@code main} and its jobs have ended.
 */
public final class ApplicationProcess {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationProcess.class);

  private static final String REFUSAL =
      "This cluster runs one application and takes no other jobs. Start a cluster for them with"
          + " `millrace cluster start`, or run them with `millrace run` without -m.";

  private ApplicationProcess() {}

  /**
   * Takes {@code key=value} pairs that override the configuration file, then {@code --}, the main
   * class ({@code -} for the one that the manifest names), the jar and the program's arguments.
   */
  public static void main(String[] arguments) {
    try {
      Arguments parsed = Arguments.parse(List.of(arguments));
      System.exit(run(parsed.overrides(), parsed.program()));
    } catch (MillraceException e) {
      System.err.println(JobManagerProcess.NAME + " could not start: " + Failure.sentence(e));
      System.exit(ExitCode.START_UP_FAILURE.code());
    }
  }

  /**
   * What the process is started with.
   *
   * @param overrides {@code key=value} pairs
   */
  public record Arguments(List<String> overrides, ApplicationProgram program) {
    public Arguments {
      overrides = OrderedCopies.list(overrides);
      Objects.requireNonNull(program);
    }

    public static Arguments parse(List<String> all) {
      int end = all.indexOf("--");
      if (end < 0 || all.size() < end + 3) {
        throw new MillraceException(
            ErrorKind.USER, "Usage: [KEY=VALUE ...] -- MAIN_CLASS|- JAR [ARGUMENT ...]");
      }
      return new Arguments(
          all.subList(0, end),
          new ApplicationProgram(
              Path.of(all.get(end + 2)),
              Optional.of(all.get(end + 1)).filter(name -> !name.equals("-")),
              all.subList(end + 3, all.size())));
    }
  }

  /**
   * Runs to the end of the process; returns its exit code. A configuration or a program that cannot
   * be read is thrown, before any service has started: such a process must not look like a cluster
   * for a moment.
   */
  public static int run(List<String> overrides, ApplicationProgram program) {
    return run(ProcessConfiguration.load(overrides), program, Client.NONE);
  }

  /**
   * Who started the application and follows it from elsewhere.
   *
   * @param grace how long the process stays when the application has ended, for the client to ask
   *     how; zero where it does not
   * @param timeout for how long the client may be silent before jobs are cancelled; nothing where
   *     they go on without it
   */
  public record Client(Duration grace, Optional<Duration> timeout) {
    static final Client NONE = new Client(Duration.ZERO, Optional.empty());

    public Client {
      Objects.requireNonNull(grace);
      Objects.requireNonNull(timeout);
    }
  }

  /** The same with a configuration that is at hand. */
  public static int run(Configuration configuration, ApplicationProgram program, Client started) {
    PackagedProgram packaged =
        program
            .mainClass()
            .map(name -> PackagedProgram.open(program.jar(), name, configuration))
            .orElseGet(() -> PackagedProgram.open(program.jar(), configuration));
    return ServerProcess.run(
        JobManagerProcess.NAME,
        configuration,
        process -> {
          LOG.info("Application: {}", program);
          process.started("Program", () -> JobManagerProcess.done(packaged::close));
          ShutdownGrace grace = new ShutdownGrace(ending -> ending.end(process), started.grace());
          JobManagerProcess.Services services =
              JobManagerProcess.start(
                  configuration,
                  process,
                  new JobManagerProcess.Mode(Optional.of(REFUSAL), grace::shutDown));
          ApplicationClient client =
              new ApplicationClient(
                  services.rpc(),
                  services.leaders(),
                  services.blobs(),
                  configuration,
                  started.timeout());
          process.started("Client of the program", () -> JobManagerProcess.done(client::close));
          JobManagerProcess.announce(configuration, services);

          ApplicationRunner run =
              new ApplicationRunner(packaged, program.arguments(), configuration, client);
          process.whenProgramExits(
              () -> {
                Optional<ApplicationOutcome> ending = run.exited();
                ending.ifPresent(ApplicationOutcome::tell);
                return ending;
              });
          process.inBackground(
              "application",
              () -> {
                client.awaitRecovery();
                grace.end(run.run());
              });
        });
  }
}
