package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.client.PackagedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JobManager of a standalone application cluster, as a process: it runs the program's {@code
 * main} itself, takes no other program's jobs, and ends when {@code main} and its jobs have ended.
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
    List<String> all = List.of(arguments);
    int end = all.indexOf("--");
    if (end < 0 || all.size() < end + 3) {
      System.err.println("Usage: [KEY=VALUE ...] -- MAIN_CLASS|- JAR [ARGUMENT ...]");
      System.exit(ExitCode.START_UP_FAILURE.code());
    }
    ApplicationProgram program =
        new ApplicationProgram(
            Path.of(all.get(end + 2)),
            Optional.of(all.get(end + 1)).filter(name -> !name.equals("-")),
            all.subList(end + 3, all.size()));
    try {
      System.exit(run(all.subList(0, end), program));
    } catch (MillraceException e) {
      System.err.println(JobManagerProcess.NAME + " could not start: " + Failure.sentence(e));
      System.exit(ExitCode.START_UP_FAILURE.code());
    }
  }

  /**
   * Runs to the end of the process; returns its exit code. A configuration or a program that cannot
   * be read is thrown, before any service has started: such a process must not look like a cluster
   * for a moment.
   */
  public static int run(List<String> overrides, ApplicationProgram program) {
    Configuration configuration =
        ConfigurationFile.load(System.getenv(), ConfigurationFile.home(), overrides);
    PackagedProgram packaged =
        PackagedProgram.open(program.jar(), program.mainClass(), configuration);
    return ServerProcess.run(
        JobManagerProcess.NAME,
        configuration,
        process -> {
          LOG.info("Application: {}", program);
          process.started("Program", () -> JobManagerProcess.done(packaged::close));
          start(configuration, process, packaged, program.arguments());
        });
  }

  private static void start(
      Configuration configuration,
      ServerProcess process,
      PackagedProgram program,
      List<String> arguments)
      throws Exception {
    JobManagerProcess.Services services =
        JobManagerProcess.start(
            configuration,
            process,
            new JobManagerProcess.Mode(
                Optional.of(REFUSAL),
                () ->
                    end(
                        process,
                        new ApplicationRun.Ending(
                            ExitCode.CANCELED, "A user shut the cluster down."))));
    ApplicationClient client =
        new ApplicationClient(services.rpc(), services.leaders(), services.blobs(), configuration);
    process.started("Client of the program", () -> JobManagerProcess.done(client::close));
    JobManagerProcess.announce(configuration, services);

    ApplicationRun run = new ApplicationRun(program, arguments, configuration, client);
    process.whenProgramExits(
        () -> {
          Optional<ApplicationRun.Ending> ending = run.exited();
          ending.ifPresent(ApplicationProcess::tell);
          return ending.map(ApplicationRun.Ending::code);
        });
    Thread main =
        new Thread(
            () -> {
              client.awaitRecovery();
              end(process, run.run());
            },
            "application");
    main.setUncaughtExceptionHandler((thread, failure) -> process.fatal(failure));
    // A main that is still busy when the cluster was shut down does not keep the process.
    main.setDaemon(true);
    main.start();
  }

  private static void end(ServerProcess process, ApplicationRun.Ending ending) {
    if (process.end(ending.code(), ending.reason())) {
      tell(ending);
    }
  }

  private static void tell(ApplicationRun.Ending ending) {
    if (ending.code() == ExitCode.SUCCEEDED) {
      LOG.info("The application has {}: {}", ending.code(), ending.reason());
    } else {
      LOG.error("The application has ended as {}: {}", ending.code(), ending.reason());
      System.err.println("The application has ended as " + ending.code() + ": " + ending.reason());
    }
  }
}
