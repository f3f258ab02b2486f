package io.millrace.cli.run;

import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.ProgramContext;
import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ConsoleProgress;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.ProgramMixin;
import io.millrace.cli.common.SingleLine;
import io.millrace.cli.common.StatePath;
import io.millrace.cli.common.StyledCommand;
import io.millrace.cli.common.UsageException;
import io.millrace.cli.deployment.ClusterMixin;
import io.millrace.client.ClientHeartbeat;
import io.millrace.client.ClusterClient;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.CommandLineStyle;
import io.millrace.client.PackagedProgram;
import io.millrace.client.ProgramTarget;
import io.millrace.client.RecordDecoder;
import io.millrace.client.SubmittedJob;
import io.millrace.client.Target;
import io.millrace.client.TargetRequest;
import io.millrace.client.Targets;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a program and its jobs. */
@Command(
    name = "run",
    description = {
      "Runs a program: calls its main, and submits the jobs that it executes to the target.",
      "The exit code is 0 if all jobs succeeded, 3 if one failed, 4 if one was cancelled."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace run examples/word-count.jar",
      "  millrace run -p 4 examples/word-count.jar --input book.txt --output counts",
      "  millrace run -m 127.0.0.1:8081 -d examples/rate-counter.jar",
      "  millrace run -s /data/savepoints/savepoint-5e20cb-0123456789ab examples/rate-counter.jar",
      "  millrace run -s /data/savepoints/savepoint-5e20cb-0123456789ab --dry-run new-version.jar"
    })
public final class RunCommand implements Callable<Integer>, StyledCommand {
  private final Console console;
  private final CommonMixin common;

  @Option(
      names = {"-t", "--target", "-e"},
      paramLabel = "TARGET",
      description =
          "Where jobs run: local (a cluster in this process), remote, or a target of a plugin."
              + " Default: execution.target, else as -m and the options of plugins say, else"
              + " local.")
  private Optional<String> target = Optional.empty();

  @Option(
      names = {"-d", "--detached"},
      description = "Return when the job is accepted, without waiting for its end.")
  private boolean detached;

  @Option(
      names = "--job-id-file",
      paramLabel = "FILE",
      description = "Append the id of each accepted job to this file, one per line.")
  private Optional<Path> jobIdFile = Optional.empty();

  @Option(
      names = {"-sae", "--shutdownOnAttachedExit"},
      description =
          "Cancel the jobs when this command ends before them: at once on Ctrl-C, after"
              + " client.heartbeat.timeout if it or its machine dies.")
  private boolean shutdownOnExit;

  @Option(
      names = {"-s", "--fromSavepoint"},
      paramLabel = "PATH",
      description = "Start with the state of this savepoint or retained checkpoint.")
  private Optional<String> savepoint = Optional.empty();

  @Option(
      names = {"-n", "--allowNonRestoredState"},
      description = "Drop state of operators that the program no longer has. Needs -s.")
  private boolean dropUnclaimedState;

  @Option(
      names = {"-rm", "--claimMode"},
      paramLabel = "MODE",
      description =
          "Whom the savepoint belongs to: NO_CLAIM (you, the default) or CLAIM (the job, which"
              + " deletes it after its first checkpoint). Needs -s.")
  private Optional<String> claimMode = Optional.empty();

  @Option(
      names = "--dry-run",
      description =
          "Only check whether the program can start with the savepoint: path, files, operators,"
              + " max parallelism and classes of state. Main runs, its jobs do not; no cluster is"
              + " asked. The exit code is 0 if it can, else 1. Needs -s.")
  private boolean dryRun;

  @Mixin private ProgramMixin program;
  @Mixin private ClusterMixin cluster;

  public RunCommand(Console console, CommonMixin common) {
    this.console = console;
    this.common = common;
  }

  @Override
  public Integer call() {
    Configuration configuration = program.in(decide());
    if (detached) {
      configuration = configuration.with(DeploymentOptions.ATTACHED, false);
    }
    if (shutdownOnExit) {
      configuration = configuration.with(DeploymentOptions.SHUTDOWN_IF_ATTACHED, true);
    }
    configuration = withSavepoint(configuration);
    if (dryRun) {
      return new SavepointDryRun(console).check(program, configuration);
    }
    boolean attached = configuration.get(DeploymentOptions.ATTACHED);
    String name = configuration.get(DeploymentOptions.TARGET);
    Targets targets = Targets.of(configuration);
    Optional<ProgramTarget> ofPrograms = targets.ofPrograms(name);
    if (ofPrograms.isPresent()) {
      return new ApplicationSubmission(console, common.isVerbose())
          .run(ofPrograms.get(), program.shipped(console, configuration), configuration);
    }
    Target chosen = UsageException.reading(() -> targets.named(name));
    if (!chosen.startsCluster()) {
      warnAboutClusterOptions(configuration);
    }
    if (!attached && !chosen.outlivesClient()) {
      throw new UsageException(
          "A job on target '"
              + chosen.name()
              + "' ends with this command, so it cannot be detached. Omit -d, or start a cluster"
              + " with `millrace cluster start` and run the job there with -t remote.");
    }
    try (PackagedProgram packaged = program.open(console, configuration);
        ClusterClient connected =
            LazyClusterClient.of(chosen, configuration, new ConsoleProgress(console))) {
      RunProgress progress =
          jobIdFile
              .map(file -> new RunProgress(console, attached, file))
              .orElseGet(() -> new RunProgress(console, attached));
      Optional<ClientHeartbeat> heartbeat =
          chosen.outlivesClient() ? ClientHeartbeat.of(connected, configuration) : Optional.empty();
      List<Path> jars = packaged.jars();
      ClusterJobExecutor executor =
          heartbeat
              .map(
                  beat ->
                      new ClusterJobExecutor(
                          connected, jars, RecordDecoder::onClassPath, progress, beat))
              .orElseGet(
                  () ->
                      new ClusterJobExecutor(
                          connected, jars, RecordDecoder::onClassPath, progress));
      try (InterruptHandler interruptHandler =
          new InterruptHandler(
              console,
              connected,
              packaged,
              executor,
              configuration.get(DeploymentOptions.SHUTDOWN_IF_ATTACHED))) {
        if (attached) {
          interruptHandler.watch();
        }
        try {
          return run(packaged, executor, progress, configuration, interruptHandler);
        } finally {
          heartbeat.ifPresent(ClientHeartbeat::close);
          if (attached) {
            release(executor);
          }
        }
      }
    }
  }

  @Override
  public CommandLineStyle.Use styleUse() {
    return CommandLineStyle.Use.RUN;
  }

  private Configuration withSavepoint(Configuration configuration) {
    Configuration full =
        savepoint
            .map(given -> configuration.with(StateRecoveryOptions.PATH, StatePath.absolute(given)))
            .orElse(configuration);
    if ((dropUnclaimedState || dryRun || claimMode.isPresent())
        && !full.contains(StateRecoveryOptions.PATH)) {
      throw new UsageException(
          (dryRun ? "--dry-run" : dropUnclaimedState ? "-n" : "-rm")
              + " applies only to a job that starts with a savepoint. Add -s.");
    }
    if (claimMode.isPresent()) {
      full =
          full.with(
              StateRecoveryOptions.CLAIM_MODE,
              UsageException.reading(() -> StateRecoveryOptions.CLAIM_MODE.parse(claimMode.get())));
    }
    return dropUnclaimedState ? full.with(StateRecoveryOptions.IGNORE_UNCLAIMED_STATE, true) : full;
  }

  private Configuration decide() {
    TargetRequest request =
        target
            .map(name -> cluster.request(console, name))
            .orElseGet(() -> cluster.request(console));
    return UsageException.reading(() -> request.decide(console.err()::println));
  }

  private void warnAboutClusterOptions(Configuration configuration) {
    List<String> fixed = cluster.fixedByClusters(console, configuration);
    if (!fixed.isEmpty()) {
      console
          .err()
          .println(
              "-D "
                  + String.join(", ", fixed)
                  + " has no effect because the cluster is already running and reads "
                  + (fixed.size() == 1 ? "this option" : "these options")
                  + " only at its start.");
    }
  }

  /** Releases the cached data sets of the program, which other programs cannot use. */
  private void release(ClusterJobExecutor executor) {
    try {
      executor.releaseAll();
    } catch (MillraceException e) {
      console
          .err()
          .println(
              "Cached data sets of the program may still be in the cluster: "
                  + SingleLine.of(e.getMessage()));
    }
  }

  private int run(
      PackagedProgram packaged,
      ClusterJobExecutor executor,
      RunProgress progress,
      Configuration configuration,
      InterruptHandler interruptHandler) {
    try {
      packaged.run(new ProgramContext(executor, configuration), program.arguments());
    } catch (MillraceException e) {
      interruptHandler.leaveOpenJobs();
      return firstUnsuccessful(executor)
          .map(end -> progress.report(end, common.isVerbose()))
          .orElseThrow(() -> e);
    }
    if (executor.jobs().isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The program ended without running a job. Call execute() on its StreamEnvironment.");
    }
    return configuration.get(DeploymentOptions.ATTACHED)
        ? awaitAll(executor, progress)
        : ExitCodes.OK;
  }

  /** The result of the first job that did not finish, which made main throw. */
  private static Optional<JobExecutionResult> firstUnsuccessful(ClusterJobExecutor executor) {
    return executor.jobs().stream()
        .flatMap(job -> job.ended().stream())
        .filter(result -> RunProgress.code(result) != ExitCodes.OK)
        .findFirst();
  }

  /** Waits for all jobs, also for those that main did not wait for. */
  private int awaitAll(ClusterJobExecutor executor, RunProgress progress) {
    int worst = ExitCodes.OK;
    for (SubmittedJob job : executor.jobs()) {
      JobExecutionResult result = job.await();
      int code = progress.report(result, common.isVerbose());
      boolean intended = job.cancelledByProgram() && code == ExitCodes.JOB_CANCELED;
      if (worst == ExitCodes.OK && !intended) {
        worst = code;
      }
    }
    return worst;
  }
}
