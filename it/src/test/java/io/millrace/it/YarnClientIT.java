package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.ExitsAfterItsJob;
import com.example.ExitsAtOnce;
import com.example.ReadsCachedFiles;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Commands against YARN and HDFS with real containers. */
class YarnClientIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @RegisterExtension static final OnYarn YARN = new OnYarn(SHELL);

  @TempDir private Path directory;

  @Test
  @Behaviour("B3: the exit code of a program decides the outcome that cluster managers get")
  void exitCodeOfProgramDecidesTheOutcome() throws Exception {
    Path afterJob = ProgramJar.of(directory, ExitsAfterItsJob.class);
    Outcome failed = YARN.millrace("run -t yarn-application " + afterJob + " 5");
    assertThat(failed.code()).as("%s", failed).isEqualTo(3);
    assertThat(String.join("\n", failed.err())).contains("System.exit(5)");
    ApplicationReport report = OnYarn.ended(OnYarn.applicationOf(failed));
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    assertThat(report.getDiagnostics())
        .isEqualTo("The program called System.exit(5) after its jobs had succeeded.");

    Outcome succeeded = YARN.millrace("run -t yarn-application " + afterJob + " 0").succeeded();
    report = OnYarn.ended(OnYarn.applicationOf(succeeded));
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.SUCCEEDED);
    assertThat(report.getDiagnostics()).contains("System.exit(0)");

    Outcome withoutJob =
        YARN.millrace("run -t yarn-application " + ProgramJar.of(directory, ExitsAtOnce.class));
    assertThat(withoutJob.code()).as("%s", withoutJob).isEqualTo(3);
    report = OnYarn.ended(OnYarn.applicationOf(withoutJob));
    assertThat(report.getFinalApplicationStatus()).isEqualTo(FinalApplicationStatus.FAILED);
    assertThat(report.getDiagnostics()).contains("System.exit", "without running a job");
    OnYarn.nothingIsStaged();
  }

  @Test
  @Behaviour("A2: a user lists and stops only own sessions unless others are asked for")
  @Behaviour("A8: each command on YARN removes files and tokens of ended applications of its user")
  void sessionBelongsToItsUser() throws Exception {
    Map<String, String> owner = Map.of("HOME", directory.toString());
    Outcome started = YARN.start(owner, "session start -t yarn-session -d").await().succeeded();
    ApplicationId session = OnYarn.applicationOf(started);
    Path token = directory.resolve(".millrace/yarn/" + session + "/rest.token");
    assertThat(token).exists();

    Map<String, String> other =
        Map.of(
            "HOME",
            Files.createDirectory(directory.resolve("mallory")).toString(),
            "HADOOP_USER_NAME",
            "mallory");
    Outcome refused = YARN.start(other, "session stop --force " + session).await();
    assertThat(refused.refusedInOneLine())
        .contains(session + " belongs to user " + OnYarn.report(session).getUser(), "token");
    assertThat(OnYarn.report(session).getYarnApplicationState())
        .isEqualTo(YarnApplicationState.RUNNING);
    assertThat(String.join("\n", YARN.start(other, "session list").await().succeeded().out()))
        .contains("no sessions");
    assertThat(String.join("\n", YARN.start(other, "session list --all").await().succeeded().out()))
        .contains(session + " ", OnYarn.report(session).getUser());

    OnYarn.hadoop().client().killApplication(session);
    OnYarn.ended(session);
    assertThat(token).exists();
    Wait.untilTrue(
        "a command has removed the token",
        () -> {
          try {
            YARN.start(owner, "session list").await().succeeded();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return !Files.exists(token);
        });
    OnYarn.nothingIsStaged();
  }

  @Test
  @Behaviour("B2: options set keys of Hadoop's configuration in each process")
  void taskManagersWriteWithHadoopSettingsOfTheCommand() throws Exception {
    String output = OnYarn.output();
    YARN.wordCount("-t yarn-per-job -D flink.hadoop.dfs.blocksize=2097152", output).succeeded();
    for (FileStatus part : OnYarn.hadoop().files().listStatus(OnYarn.path(output))) {
      assertThat(part.getBlockSize()).as("%s", part).isEqualTo(2 << 20);
    }
  }

  @Test
  @Behaviour(
      "H1: on YARN local cached files travel with the job, and those in HDFS are read in place")
  void tasksInContainersReadCachedFiles() throws Exception {
    Path script = Files.writeString(directory.resolve("script.sh"), "#!/bin/sh\necho hello\n");
    FileSystem hdfs = OnYarn.hadoop().files();
    String remote = "hdfs://" + OnYarn.output();
    try (OutputStream greeting = hdfs.create(OnYarn.path(remote + "/tree/sub/greeting"))) {
      greeting.write("good day".getBytes(StandardCharsets.UTF_8));
    }
    try (ZipOutputStream zip =
        new ZipOutputStream(hdfs.create(OnYarn.path(remote + "/archive.zip")))) {
      zip.putNextEntry(new ZipEntry("sub/greeting"));
      zip.write("good night".getBytes(StandardCharsets.UTF_8));
    }
    Outcome ran =
        YARN.millrace(
                String.join(
                    " ",
                    "run -p 2 -t yarn-per-job",
                    ProgramJar.of(directory, ReadsCachedFiles.class).toString(),
                    script.toString(),
                    remote + "/tree",
                    remote + "/archive.zip"))
            .succeeded();
    // The last word is the path of the copy that a TaskManager has in its container.
    String containers = OnYarn.applicationOf(ran).toString().replace("application_", "container_");
    assertThat(ran.out().stream().filter(line -> line.startsWith("said ")).toList())
        .isNotEmpty()
        .allSatisfy(
            line ->
                assertThat(line)
                    .startsWith("said hello, good day, good night, ")
                    .contains(containers));
    assertThat(hdfs.exists(OnYarn.path(remote + "/tree/sub/greeting"))).isTrue();
    assertThat(hdfs.exists(OnYarn.path(remote + "/archive.zip"))).isTrue();
    OnYarn.nothingIsStaged();
  }
}
