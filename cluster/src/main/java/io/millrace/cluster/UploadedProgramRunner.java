package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.rest.JarRunner;
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
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs programs of uploaded jars in client processes, which submit to this JobManager over REST: a
 * JobManager never loads user classes. The number of programs and their time are limited, and they
 * end with this process. Methods may be called from any thread.
 */
final class UploadedProgramRunner implements JarRunner {
  private static final Logger LOG = LoggerFactory.getLogger(UploadedProgramRunner.class);

  /** A graph of 10,000 vertices has some megabytes. */
  private static final long MAX_RESULT = 64 << 20;

  private static final String COMMAND_LINE = "io.millrace.cli.Millrace";

  private final Path directory;
  private final Limits limits;
  private final String mainClass;
  private final Set<Process> running = new LinkedHashSet<>();
  private int starting;
  private boolean stopped;
  private volatile String restAddress = "";

  /**
   * @param programs the maximum number of programs at a time
   * @param time the maximum time of a program
   */
  record Limits(int programs, Duration time) {
    static Limits of(Configuration configuration) {
      return new Limits(
          configuration.get(RestOptions.MAX_PROGRAMS),
          configuration.get(RestOptions.PROGRAM_TIMEOUT));
    }
  }

  /**
   * @param directory the directory of this process; programs write the ids of their jobs there
   */
  UploadedProgramRunner(Configuration configuration, Path directory) {
    this(directory, Limits.of(configuration), COMMAND_LINE);
  }

  /**
   * @param mainClass the main class of the command line
   */
  UploadedProgramRunner(Path directory, Limits limits, String mainClass) {
    this.directory = directory;
    this.limits = limits;
    this.mainClass = mainClass;
  }

  void submitTo(String address) {
    restAddress = address;
  }

  @Override
  public CompletableFuture<JobId> run(JarRun request) {
    if (request.job().isPresent()) {
      return failed(ErrorKind.USER, "The id of a job cannot be chosen here. Leave out jobId.");
    }
    return start(
        "jobs-",
        file -> command(request, "run", "-d", "--job-id-file", file.toString(), "-m", restAddress),
        UploadedProgramRunner::outcome);
  }

  @Override
  public CompletableFuture<String> plan(JarRun request) {
    return start(
        "plan-",
        file -> command(request, "info", "--plan-file", file.toString()),
        UploadedProgramRunner::planned);
  }

  /**
   * Starts a process.
   *
   * @param prefix of the name of the file in which the process leaves its result, because its
   *     output can contain anything
   * @param command for such a file
   * @param result of a process that has ended in time
   */
  private <T> CompletableFuture<T> start(
      String prefix, Function<Path, List<String>> command, Function<EndedProgram, T> result) {
    synchronized (this) {
      if (stopped) {
        return failed(ErrorKind.RESOURCE, "The JobManager is stopping and starts no programs.");
      }
      if (running.size() + starting >= limits.programs()) {
        return failed(
            ErrorKind.RESOURCE,
            "The maximum number of programs is running: "
                + limits.programs()
                + " ("
                + RestOptions.MAX_PROGRAMS.key()
                + "). Try again when one has ended.");
      }
      starting++;
    }
    try {
      Path file = Files.createTempFile(directory, prefix, ".out");
      Process process = new ProcessBuilder(command.apply(file)).redirectErrorStream(true).start();
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
                try {
                  return result.apply(
                      new EndedProgram(process, late == null, output, read(file), limits.time()));
                } finally {
                  delete(file);
                }
              });
    } catch (IOException e) {
      notStarted();
      return failed(
          ErrorKind.EXTERNAL, "Cannot start a process for the program: " + e.getMessage());
    }
  }

  /**
   * A process that has ended.
   *
   * @param inTime whether it ended by itself
   * @param written its result
   * @param limit the maximum time of a program
   */
  private record EndedProgram(
      Process process, boolean inTime, ProcessOutputTail output, String written, Duration limit) {}

  private static <T> CompletableFuture<T> failed(ErrorKind kind, String sentence) {
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

  /** Kills all programs. If the JobManager is killed, they end with it. */
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

  /** Kills the process and its descendants. */
  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private List<String> command(JarRun request, String... commandLine) {
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
    command.addAll(List.of(commandLine));
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

  private static JobId outcome(EndedProgram program) {
    Optional<JobId> job = program.written().lines().findFirst().map(JobId::parse);
    if (!program.inTime()) {
      throw tookTooLong(
          program, job.map(id -> " Job " + id + ", which it had submitted, runs on.").orElse(""));
    }
    if (program.process().exitValue() == 0 && job.isPresent()) {
      return job.get();
    }
    String error = program.output().error();
    throw new MillraceException(
        ErrorKind.USER,
        job.map(id -> "The program failed after it had submitted job " + id + ": " + error)
            .orElse(error));
  }

  private static String planned(EndedProgram program) {
    if (!program.inTime()) {
      throw tookTooLong(program, "");
    }
    if (program.process().exitValue() == 0 && !program.written().isEmpty()) {
      return program.written();
    }
    throw new MillraceException(ErrorKind.USER, program.output().error());
  }

  private static MillraceException tookTooLong(EndedProgram program, String consequence) {
    return new MillraceException(
        ErrorKind.USER,
        "The program took longer than "
            + program.limit().toMillis()
            + " ms ("
            + RestOptions.PROGRAM_TIMEOUT.key()
            + ") and was killed."
            + consequence);
  }

  private static String read(Path file) {
    try {
      if (Files.size(file) > MAX_RESULT) {
        throw new MillraceException(
            ErrorKind.USER, "The graph of the program has more than " + MAX_RESULT + " bytes.");
      }
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("The result of the program cannot be read", e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("The result of a program cannot be deleted: {}", e.toString());
    }
  }
}
