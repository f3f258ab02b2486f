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
 * The process of a JobManager of an application cluster. It runs the {@code main} of the program,
 * rejects jobs of other programs, and ends when {@code main} and its jobs have ended.
 */
public final class ApplicationProcess {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationProcess.class);

  private static final String REFUSAL =
      "This cluster runs one application and accepts no other jobs. Start a cluster for them with"
          + " `millrace cluster start`, or run them with `millrace run` without -m.";

  private ApplicationProcess() {}

  /**
   * Arguments are {@code key=value} pairs that override the configuration file, then {@code --},
   * the main class ({@code -} for the one of the manifest), the jar and the arguments of the
   * program.
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
   * The arguments of the process.
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
   * Runs until the process ends; returns its exit code. Throws if the configuration or the program
   * cannot be read, before any service has started, so that no client finds a cluster that ends at
   * once.
   */
  public static int run(List<String> overrides, ApplicationProgram program) {
    return run(ProcessConfiguration.load(overrides), program, Client.NONE);
  }

  /**
   * The client that has started the application and waits for it.
   *
   * @param grace how long the process stays after the end of the application, so that the client
   *     can fetch the result; zero if the client does not wait
   * @param timeout how long the client may send no heartbeat before the jobs are cancelled; empty
   *     if the jobs run without it
   */
  public record Client(Duration grace, Optional<Duration> timeout) {
    static final Client NONE = new Client(Duration.ZERO, Optional.empty());

    public Client {
      Objects.requireNonNull(grace);
      Objects.requireNonNull(timeout);
    }
  }

  /** Like the other {@code run}, with a configuration that is already loaded. */
  public static int run(Configuration configuration, ApplicationProgram program, Client starter) {
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
          // A program may go on for any time after its jobs were cancelled.
          ShutdownGrace grace =
              new ShutdownGrace(ending -> ending.end(process), starter.grace(), Duration.ZERO);
          JobManagerProcess.Services services =
              JobManagerProcess.start(
                  configuration,
                  process,
                  new JobManagerProcess.Mode(Optional.of(REFUSAL), grace::shutDown));
          ApplicationClient client =
              new ApplicationClient(
                  services.rpc(), services.leaders(), services.blobs(), configuration, starter);
          process.started("Client of the program", () -> JobManagerProcess.done(client::close));
          JobManagerProcess.announce(configuration, services);

          ApplicationRunner run =
              new ApplicationRunner(packaged, program.arguments(), configuration, client);
          process.whenProgramExits(
              () -> {
                Optional<ApplicationOutcome> outcome = run.exited();
                outcome.ifPresent(ApplicationOutcome::log);
                return outcome;
              });
          process.inBackground(
              "application",
              () -> {
                client.awaitRecovery();
                Optional<ApplicationOutcome> ended = services.ended().get();
                if (ended.isPresent()) {
                  ended.get().end(process);
                  return;
                }
                grace.end(run.run());
              });
        });
  }
}
