package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.rest.JarRunner.JarRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs uploaded programs in client processes of their own, which submit to this JobManager over
 * REST: a JobManager never loads user classes.
 */
final class ChildPrograms {
  private static final String COMMAND_LINE = "io.millrace.cli.Millrace";
  private static final Pattern JOB_ID = Pattern.compile("\\b([0-9a-f]{32})\\b");

  private volatile String restAddress = "";

  void submitTo(String address) {
    restAddress = address;
  }

  CompletableFuture<JobId> run(JarRun request) {
    CompletableFuture<JobId> submitted = new CompletableFuture<>();
    if (request.job().isPresent()) {
      submitted.completeExceptionally(
          new MillraceException(
              ErrorKind.USER, "A job's id cannot be chosen here. Leave out jobId."));
      return submitted;
    }
    try {
      Process process = new ProcessBuilder(command(request)).redirectErrorStream(true).start();
      process.getOutputStream().close();
      Thread reader =
          new Thread(() -> submitted.complete(jobOf(process)), "program-" + process.pid());
      reader.setUncaughtExceptionHandler((x, failure) -> submitted.completeExceptionally(failure));
      reader.setDaemon(true);
      reader.start();
    } catch (IOException e) {
      submitted.completeExceptionally(
          new MillraceException(
              ErrorKind.EXTERNAL, "Cannot start a process for the program: " + e.getMessage(), e));
    }
    return submitted;
  }

  private List<String> command(JarRun request) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    ConfigurationFile.home()
        .ifPresent(home -> command.add("-D" + ConfigurationFile.HOME_PROPERTY + "=" + home));
    command.add(COMMAND_LINE);
    command.add("run");
    command.add("-d");
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

  /** What the command line said was wrong, or all it said where it did not put it that way. */
  private static String complaint(String output) {
    String prefix = "millrace: ";
    return output
        .lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .findFirst()
        .orElse(output.isBlank() ? "The program submitted no job." : output.strip());
  }

  private static JobId jobOf(Process process) {
    String output;
    try {
      output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      Matcher id = JOB_ID.matcher(output);
      if (code == 0 && id.find()) {
        return JobId.parse(id.group(1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorKind.EXTERNAL, "Interrupted while the program ran", e);
    }
    throw new MillraceException(ErrorKind.USER, complaint(output));
  }
}
