package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.SecurityModule;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testplugin.MaskedFiles;
import io.millrace.core.testplugin.TestPlugin;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Plugins in real processes, and processes that refuse to start with a broken one. */
class PluginsIT {
  private static final int MASK = 3;

  private static final String GUARD =
      """
      package com.example;

      import io.millrace.core.config.Configuration;
      import io.millrace.core.security.KerberosLogin;
      import io.millrace.core.security.SecurityContext;
      import io.millrace.core.security.SecurityModule;
      import java.util.concurrent.Callable;

      public final class Guard implements SecurityModule {
        @Override
        public SecurityContext login(KerberosLogin login, Configuration configuration) {
          return new SecurityContext() {
            @Override
            public <T> T call(Callable<T> action) throws Exception {
              System.out.println("guard lets " + login.principal() + " in");
              return action.call();
            }

            @Override
            public void close() {
              System.out.println("guard sends " + login.principal() + " away");
            }

            @Override
            public String description() {
              return "guarded " + login.principal();
            }
          };
        }
      }
      """;

  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir Path directory;

  @Test
  @Behaviour("B2: file systems of plugins serve jobs")
  void taskManagersReadAndWriteThroughAPluginThatTheClientDoesNotHave() throws Exception {
    MaskedFiles.write(plugins(), "other", "other", 0);
    MaskedFiles.write(plugins(), "masked", "masked", MASK);
    Path input = masked("to mill or not to mill\nto be\n");
    Path output = directory.resolve("output");
    try (Cluster cluster =
        SHELL.startCluster(environment(plugins()), "--taskmanagers", "2", "--slots", "1")) {
      cluster
          .run(
              "-p",
              "2",
              Shell.example("word-count.jar").toString(),
              "--input",
              "masked://" + input,
              "--output",
              "masked://" + output)
          .succeeded();
      assertThat(countsIn(output))
          .containsExactlyInAnyOrder("to\t3", "mill\t2", "or\t1", "not\t1", "be\t1");
      assertThat(Files.readString(cluster.directory().resolve("log/taskmanager-1.log")))
          .containsSubsequence(
              "Fatal errors end the process",
              "Plugins in " + plugins() + ": [masked, other]",
              "File systems: [file, masked, other]",
              "Security context: no login",
              "RPC at");

      Outcome unknown =
          cluster.run(Shell.example("word-count.jar").toString(), "--input", "hdfs://host/words");
      assertThat(unknown.code()).isEqualTo(3);
      assertThat(String.join("\n", unknown.err()))
          .contains("scheme 'hdfs'", "known are file, masked, other", plugins().toString());
    }
  }

  @Test
  void addedTaskManagersHaveThePluginsOfTheirCluster() throws Exception {
    MaskedFiles.write(plugins(), "masked", "masked", MASK);
    try (Cluster cluster = SHELL.startCluster(environment(plugins()), "--taskmanagers", "1")) {
      cluster.millrace("cluster", "add").succeeded();
      assertThat(Files.readString(cluster.directory().resolve("log/taskmanager-2.log")))
          .contains("Plugins in " + plugins() + ": [masked]");

      // A TaskManager that cannot start is not part of the cluster.
      Path broken = Files.createDirectories(plugins().resolve("broken"));
      Files.writeString(broken.resolve("broken.jar"), "no jar");
      Outcome refused = cluster.millrace("cluster", "add");
      assertThat(refused.code()).as("%s", refused).isEqualTo(1);
      assertThat(String.join("\n", refused.err())).contains("Plugin 'broken' is broken");
      assertThat(cluster.millrace("cluster", "status").succeeded().out())
          .filteredOn(line -> line.startsWith("taskmanager-"))
          .hasSize(2)
          .allMatch(line -> line.contains("running"));
    }
  }

  @Test
  void embeddedClusterHasPlugins() throws Exception {
    MaskedFiles.write(plugins(), "masked", "masked", MASK);
    Path input = masked("to mill\n");
    assertThat(
            SHELL
                .millrace(
                    environment(plugins()),
                    "run",
                    Shell.example("word-count.jar").toString(),
                    "--input",
                    "masked://" + input)
                .succeeded()
                .out())
        .containsExactlyInAnyOrder("to\t1", "mill\t1");
  }

  @Test
  @Behaviour("B2: each plugin has its own class loader")
  @Behaviour("B2: processes read keytab and plugins before services start")
  void errorNamesBrokenPlugin() throws Exception {
    Path broken = Files.createDirectories(plugins().resolve("broken"));
    Files.writeString(broken.resolve("broken.jar"), "no jar");
    Outcome taskManager = SHELL.millrace(environment(plugins()), "taskmanager");
    assertThat(taskManager.code()).isEqualTo(1);
    assertThat(taskManager.err())
        .anyMatch(
            line ->
                line.startsWith("TaskManager could not start: Plugin 'broken' is broken: ")
                    && line.contains("remove the directory " + broken))
        .noneMatch(Outcome::isOfStackTrace);
    assertThat(
            SHELL
                .millrace(environment(plugins()), "run", Shell.example("word-count.jar").toString())
                .refusedInOneLine())
        .contains("Plugin 'broken' is broken");
  }

  @Test
  @Behaviour("B2: processes read keytab and plugins before services start")
  void keytabWithoutALoginPluginIsRejected() throws Exception {
    Path keytab = Files.writeString(directory.resolve("keytab"), "secret");
    Files.createDirectories(plugins());
    Outcome jobManager =
        SHELL.millrace(
            environment(plugins()),
            "jobmanager",
            "-D",
            "rest.port=0",
            "-D",
            "jobmanager.rpc.port=0",
            "-D",
            "security.kerberos.login.keytab=" + keytab,
            "-D",
            "security.kerberos.login.principal=miller");
    assertThat(jobManager.code()).isEqualTo(1);
    assertThat(jobManager.err())
        .anyMatch(
            line ->
                line.startsWith("JobManager could not start: ")
                    && line.contains("io.millrace.core.security.SecurityModule")
                    && line.contains(plugins().toString()))
        .noneMatch(line -> line.contains("RPC at"));
  }

  @Test
  @Behaviour("B2: services run inside the security context")
  void processRunsInsideTheLoginOfAPlugin() throws Exception {
    TestPlugin.in(plugins(), "guard")
        .source("com.example.Guard", GUARD)
        .service(SecurityModule.class, "com.example.Guard")
        .write();
    Path keytab = Files.writeString(directory.resolve("keytab"), "secret");
    Command jobManager =
        SHELL.start(
            environment(plugins()),
            "jobmanager",
            "-D",
            "rest.port=0",
            "-D",
            "jobmanager.rpc.port=0",
            "-D",
            "security.kerberos.login.keytab=" + keytab,
            "-D",
            "security.kerberos.login.principal=miller");
    jobManager.awaitLine(line -> line.startsWith("JobManager serves REST"));
    // Terminated through its handle: Process.destroy would close the streams.
    ProcessHandle.of(jobManager.pid()).orElseThrow().destroy();
    Outcome ended = jobManager.await();
    assertThat(ended.out())
        .containsSubsequence("guard lets miller in", "guard sends miller away")
        .anyMatch(line -> line.startsWith("JobManager serves REST"));
    assertThat(ended.out().indexOf("guard lets miller in")).isZero();
    assertThat(String.join("\n", ended.err()))
        .containsSubsequence(
            "Security context: guarded miller", "REST at", "REST at", "Process context stopped");
  }

  private Path plugins() {
    return directory.resolve("plugins");
  }

  private static Map<String, String> environment(Path plugins) {
    return Map.of(Plugins.DIRECTORY_VARIABLE, plugins.toString());
  }

  private Path masked(String text) throws Exception {
    return Files.write(directory.resolve("input"), MaskedFiles.masked(text, MASK));
  }

  private static List<String> countsIn(Path output) throws Exception {
    List<String> counts = new ArrayList<>();
    for (String part : List.of("part-0-0", "part-1-0")) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      for (byte value : Files.readAllBytes(output.resolve(part))) {
        text.write(value ^ MASK);
      }
      counts.addAll(text.toString(StandardCharsets.UTF_8).lines().toList());
    }
    return counts;
  }
}
