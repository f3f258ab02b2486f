package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Controls the {@link SecureDaemons} of a test over their standard input. */
final class SecureHadoop implements AutoCloseable {
  private final Path directory;
  private final Process process;
  private final BufferedReader out;
  private final Writer in;
  private final String realm;

  private SecureHadoop(Path directory, Process process) throws IOException {
    this.directory = directory;
    this.process = process;
    out = process.inputReader(StandardCharsets.UTF_8);
    in = process.outputWriter(StandardCharsets.UTF_8);
    String ready = ready();
    assertThat(ready)
        .as(() -> "The daemons' log is in " + directory.resolve("daemons.log"))
        .startsWith("Ready ");
    realm = ready.substring("Ready ".length());
  }

  /** Returns when all daemons are up. */
  static SecureHadoop start(Path directory) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SecureDaemons.class.getName(),
                directory.toString())
            .directory(directory.toFile())
            .redirectError(directory.resolve("daemons.log").toFile())
            .start();
    try {
      return new SecureHadoop(directory, process);
    } catch (IOException | RuntimeException | AssertionError e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private String ready() throws IOException {
    CompletableFuture<Process> late = new CompletableFuture<>();
    late.completeOnTimeout(process, 3, TimeUnit.MINUTES).thenAccept(Process::destroyForcibly);
    String line = out.readLine();
    late.cancel(false);
    return line;
  }

  /** The value of {@code HADOOP_CONF_DIR}. */
  Path configurationDirectory() {
    return directory.resolve("conf");
  }

  Path krb5Conf() {
    return directory.resolve("krb5.conf");
  }

  String principal() {
    return "miller@" + realm;
  }

  Path keytab() {
    return directory.resolve("miller.keytab");
  }

  Path ticket() {
    return directory.resolve("miller.ticket");
  }

  Path expiredTicket() {
    return directory.resolve("expired.ticket");
  }

  /** The directory of the node, with the directories and logs of containers. */
  Path node() {
    return directory.resolve("target");
  }

  /** The lines of all files in a directory of HDFS. */
  List<String> lines(String place) {
    return ask("lines " + place);
  }

  /** The names in a directory of HDFS. */
  List<String> names(String place) {
    return ask("names " + place);
  }

  /** Applications with user, state and final status. */
  List<String> applications() {
    return ask("applications");
  }

  private List<String> ask(String question) {
    try {
      in.write(question + "\n");
      in.flush();
      List<String> answer = new ArrayList<>();
      for (String line = out.readLine(); !"--".equals(line); line = out.readLine()) {
        assertThat(line).as("%s: the daemons have ended", question).isNotNull();
        answer.add(line);
      }
      return answer;
    } catch (IOException e) {
      throw new AssertionError("The daemons do not answer " + question, e);
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
    try {
      process.onExit().get(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("The daemons did not end", e);
    } finally {
      process.destroyForcibly();
      out.close();
      // Containers of a failed test would retry to reach their YARN for long.
      containers().forEach(ProcessHandle::destroyForcibly);
    }
  }

  private List<ProcessHandle> containers() {
    return ProcessHandle.allProcesses()
        .filter(
            process -> {
              try {
                Path cwd = Path.of("/proc", String.valueOf(process.pid()), "cwd");
                return Files.readSymbolicLink(cwd).startsWith(directory);
              } catch (IOException gone) {
                // The process is not readable or has ended.
                return false;
              }
            })
        .toList();
  }
}
