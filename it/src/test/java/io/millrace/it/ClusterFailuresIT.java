package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processes that do not start, crash or are terminated, and their messages. */
class ClusterFailuresIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  @Behaviour("A2: a cluster that cannot start names its reason and leaves no process")
  void failedStartEndsWithTheReason() throws Exception {
    Path directory = SHELL.directory().resolve("failed");
    for (Map.Entry<String, String> wrong :
        Map.of(
                "env.java.opts.jobmanager=-XX:NoSuchFlag",
                "jobmanager ended while it started: Unrecognized VM option 'NoSuchFlag'",
                "jobmanager.bind-host=0.0.0.0",
                "jobmanager ended while it started: Cannot listen on '0.0.0.0'")
            .entrySet()) {
      Outcome failed =
          SHELL.millrace(
              "cluster",
              "start",
              "--rest-port",
              "0",
              "--dir",
              directory.toString(),
              "-D",
              wrong.getKey());
      assertThat(failed.code()).as("%s", failed).isNotZero();
      assertThat(failed.err().get(failed.err().size() - 1)).contains(wrong.getValue());
      assertThat(directory).doesNotExist();
    }
  }

  @Test
  void crashReportOfAProcessIsInTheLogDirectory() throws Exception {
    Cluster cluster = SHELL.startCluster("--taskmanagers", "1");
    Path logs = cluster.directory().resolve("log");
    long pid = cluster.process("taskmanager-1").pid();
    assertThat(Files.readSymbolicLink(Path.of("/proc", "" + pid, "cwd")))
        .isEqualTo(cluster.directory().resolve("work").resolve("taskmanager-1"));

    assertThat(new ProcessBuilder("kill", "-SEGV", "" + pid).start().waitFor()).isZero();
    Path report = logs.resolve("hs_err_pid" + pid + ".log");
    Wait.untilTrue(
        "the process is gone", () -> ProcessHandle.of(pid).filter(Shell::isRunning).isEmpty());
    assertThat(report).exists();

    Outcome stopped =
        SHELL.millrace("cluster", "stop", "--dir", cluster.directory().toString()).succeeded();
    assertThat(String.join("\n", stopped.err()))
        .contains("taskmanager-1 had died before", logs.toString());
    assertThat(report).exists();
    assertThat(cluster.directory().resolve("secret")).doesNotExist();
  }

  @Test
  @Behaviour("B1: a process logs the signal that ends it and halts if a shutdown hook hangs")
  void foregroundServersHaveALogFileThatNamesTheSignal() throws Exception {
    Path archives = Files.createDirectories(SHELL.directory().resolve("archives"));
    for (List<String> server :
        List.of(
            List.of("jobmanager", "-D", "jobmanager.rpc.port=0", "-D", "rest.port=0"),
            List.of("history", "--dir", archives.toString(), "--port", "0"))) {
      Command command =
          SHELL.start(
              Map.of(),
              Stream.concat(
                      server.stream(), Stream.of("-D", "io.tmp.dirs=" + SHELL.temporaryFiles()))
                  .toArray(String[]::new));
      command.awaitLine(line -> line.contains(" at http://"));
      command.terminate();
      command.await();
      assertThat(SHELL.directory().resolve("log").resolve(server.get(0) + ".log"))
          .content()
          .contains(" on host ", "received SIGTERM and shuts down");
    }
  }
}
