package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.rest.JarRunner.JarRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs uploaded programs in client processes of their own, which submit to this JobManager over
 * REST: a JobManager never loads user classes. A few run at once, each for a limited time, and none
 * outlives this process. Any thread may call it.
 */
final class UploadedProgramRunner {
  private static final Logger LOG = LoggerFactory.getLogger(UploadedProgramRunner.class);
  private static final String COMMAND_LINE = "io.millrace.cli.Millrace";

  private final Path directory;
  private final Limits limits;
  private final String mainClass;
  private final Set<Process> running = new LinkedHashSet<>();
  private int starting;
  private boolean stopped;
  private volatile String restAddress = "";

  /**
   * @param programs how many may run at once
   * @param time how long each may take
   */
  record Limits(int programs, Duration time) {
    static Limits of(Configuration configuration) {
      return new Limits(
          configuration.get(RestOptions.MAX_PROGRAMS),
          configuration.get(RestOptions.PROGRAM_TIMEOUT));
    }
  }

  /**
   * @param directory of this process, where programs tell which jobs they have submitted
   */
  UploadedProgramRunner(Configuration configuration, Path directory) {
    this(directory, Limits.of(configuration), COMMAND_LINE);
  }

  /**
   * @param mainClass what stands for the command line
   */
  UploadedProgramRunner(Path directory, Limits limits, String mainClass) {
    this.directory = directory;
    this.limits = limits;
    this.mainClass = mainClass;
  }

  void submitTo(String address) {
    restAddress = address;
  }

  CompletableFuture<JobId> run(JarRun request) {
    if (request.job().isPresent()) {
      return failed(ErrorKind.USER, "A job's id cannot be chosen here. Leave out jobId.");
    }
    synchronized (this) {
      if (stopped) {
        return failed(ErrorKind.RESOURCE, "The JobManager stops and runs no more programs.");
      }
      if (running.size() + starting >= limits.programs()) {
        return failed(
            ErrorKind.RESOURCE,
            "As many programs run as may at once: "
                + limits.programs()
                + " ("
                + RestOptions.MAX_PROGRAMS.key()
                + "). Try again when one has ended.");
      }
      starting++;
    }
    try {
      Path jobs = Files.createTempFile(directory, "jobs-", ".ids");
      Process process =
          new ProcessBuilder(command(request, jobs)).redirectErrorStream(true).start();
      started(process);
      ProcessOutputTail output = ProcessOutputTail.read(process);
      return process
          .onExit()
          .orTimeout(limits.time().toMillis(), TimeUnit.MILLISECONDS)
          .handleAsync(
              (ended, late) -> {
                if (late != null) {
                  kill(process);
                }
                ended(process);
                return outcome(process, late == null, output, jobs);
              });
    } catch (IOException e) {
      notStarted();
      return failed(
          ErrorKind.EXTERNAL, "Cannot start a process for the program: " + e.getMessage());
    }
  }

  private static CompletableFuture<JobId> failed(ErrorKind kind, String sentence) {
    return CompletableFuture.failedFuture(new MillraceException(kind, sentence));
  }

  private synchronized void notStarted() {
    starting--;
  }

  private synchronized void started(Process process) {
    starting--;
    running.add(process);
    LOG.info("A program of an uploaded jar runs with pid {}", process.pid());
    if (stopped) {
      kill(process);
    }
  }

  private synchronized void ended(Process process) {
    running.remove(process);
  }

  /** Ends all programs. Those of a JobManager that is killed end by themselves. */
  CompletableFuture<Void> stop() {
    List<Process> left;
    synchronized (this) {
      stopped = true;
      left = List.copyOf(running);
    }
    left.forEach(UploadedProgramRunner::kill);
    return CompletableFuture.allOf(
        left.stream().map(Process::onExit).toArray(CompletableFuture<?>[]::new));
  }

  /** With all that it has started. */
  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private List<String> command(JarRun request, Path jobs) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add(ShutdownHooks.OPTION);
    command.add(ParentProcessWatcher.option());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    ConfigurationFile.home()
        .ifPresent(home -> command.add("-D" + ConfigurationFile.HOME_PROPERTY + "=" + home));
    command.add(mainClass);
    command.add("run");
    command.add("-d");
    command.add("--job-id-file");
    command.add(jobs.toString());
    command.add("-m");
    command.add(restAddress);
    request
        .configuration()
        .entries()
        .forEach(
            (key, value) -> {
              command.add("-D");
              command.add(key + "=" + value);
            });
    request
        .parallelism()
        .ifPresent(
            parallelism -> {
              command.add("-p");
              command.add(String.valueOf(parallelism));
            });
    request
        .entryClass()
        .ifPresent(
            entryClass -> {
              command.add("-c");
              command.add(entryClass);
            });
    command.add(request.jar().toString());
    command.addAll(request.arguments());
    return command;
  }

  private JobId outcome(Process process, boolean inTime, ProcessOutputTail output, Path jobs) {
    Optional<JobId> job = firstJob(jobs);
    if (!inTime) {
      throw new MillraceException(
          ErrorKind.USER,
          "The program took longer than "
              + limits.time().toMillis()
              + " ms ("
              + RestOptions.PROGRAM_TIMEOUT.key()
              + ") and was killed."
              + job.map(id -> " Job " + id + ", which it had submitted, runs on.").orElse(""));
    }
    if (process.exitValue() == 0 && job.isPresent()) {
      return job.get();
    }
    String complaint = output.complaint();
    throw new MillraceException(
        ErrorKind.USER,
        job.map(id -> "The program failed after it had submitted job " + id + ": " + complaint)
            .orElse(complaint));
  }

  /** What the program prints may look like anything, so that the ids come in a file. */
  private static Optional<JobId> firstJob(Path jobs) {
    try {
      Optional<JobId> first = Files.readAllLines(jobs).stream().findFirst().map(JobId::parse);
      Files.deleteIfExists(jobs);
      return first;
    } catch (IOException e) {
      throw new UncheckedIOException("The ids of the program's jobs cannot be read", e);
    }
  }
}
