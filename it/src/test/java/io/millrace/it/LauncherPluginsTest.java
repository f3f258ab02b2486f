package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which commands the launcher prepares for a plugin, by the plugin's {@code launcher.properties}.
 * The launcher runs in a directory that looks like a distribution, with a script in place of Java
 * that prints its arguments.
 */
class LauncherPluginsTest {
  private static final String CLASSES = "-XX:DumpLoadedClassList=";
  private static final String ARCHIVE = "-XX:SharedArchiveFile=";

  @TempDir private Path directory;
  private Path home;

  @BeforeEach
  void assembleDistribution() throws Exception {
    home = Files.createDirectory(directory.toRealPath().resolve("millrace"));
    for (String jar :
        List.of(
            "lib/cli.jar",
            "lib/server/grpc.jar",
            "plugins/hadoop/yarn.jar",
            "plugins/hadoop/lib/hadoop.jar",
            "plugins/cloud/cloud.jar")) {
      write(home.resolve(jar), "");
    }
    Path launcher = home.resolve("bin/millrace");
    write(launcher, Files.readString(Path.of("../millrace")));
    Files.copy(
        Path.of("../yarn/src/main/launcher/launcher.properties"),
        home.resolve("plugins/hadoop/launcher.properties"));
    write(
        home.resolve("plugins/cloud/launcher.properties"),
        """
        # A plugin that this test has invented.
        name=cloud
        title=the cloud
        commands=run list
        target=cloud-*
        address=cloud-cluster
        option=--cloud-*
        setting-option=-cD
        session-file=.cloud-session-
        class=com/example/CloudDeployer
        """);
    Path java = home.resolve("jdk/bin/java");
    write(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    write(home.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
    Files.createDirectories(home.resolve("user"));
    // The first command tries to create the archives of all commands.
    launch(Map.of(), "--version");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run -t yarn-per-job job.jar",
        "run -e yarn-per-job job.jar",
        "run --target yarn-application job.jar",
        "run --target=yarn-application job.jar",
        "run -D execution.target=yarn-session job.jar",
        "run -Dexecution.target=yarn-session job.jar",
        "run -yDexecution.target=yarn-session job.jar",
        "run -m yarn-cluster job.jar",
        "run --jobmanager yarn-cluster job.jar",
        "run --jobmanager=yarn-cluster job.jar",
        "run -m host:8081 -yjm 1600 job.jar",
        "list -yid application_1_1",
        "list --yarnapplicationId application_1_1",
        "cancel -yid application_1_1 job",
        "explain -yid application_1_1 job",
        "timeline -yid application_1_1 job",
        "session",
        "session list",
        "session start -t yarn-session",
        "session start -t remote"
      })
  @Behaviour(
      "A1: the launcher loads the classes of a plugin for the commands that the plugin names")
  void commandOfThePluginHasItsLibraries(String line) throws Exception {
    assertThat(prepared(line)).containsExactly("yarn");
    assertThat(classPath(launch(Map.of(), line.split(" "))))
        .endsWith("plugins/hadoop/yarn.jar:" + home + "/plugins/hadoop/lib/hadoop.jar");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--version",
        "run job.jar",
        "run job.jar -t yarn-per-job",
        "run -t remote job.jar",
        "run -t remote -yjm 1600 job.jar",
        "run -m yarn-cluster -t remote job.jar",
        "run -D execution.target=local -yjm 1600 job.jar",
        "run -D execution.target= -yjm 1600 job.jar",
        "run -m host:8081 job.jar",
        "list",
        "list -m host:8081",
        "list -m *",
        "memory -yid application_1_1",
        "info -t yarn-per-job job.jar"
      })
  void otherCommandHasNoPlugin(String line) throws Exception {
    assertThat(prepared(line)).isEmpty();
    assertThat(classPath(launch(Map.of(), line.split(" ")))).endsWith("lib/cli.jar");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run -t cloud-session job.jar",
        "run -m cloud-cluster job.jar",
        "run --cloud-zone=west job.jar",
        "list --cloud-zone west"
      })
  @Behaviour(
      "A1: the launcher loads the classes of a plugin for the commands that the plugin names")
  void anotherPluginNeedsNoChangeOfTheLauncher(String line) throws Exception {
    assertThat(prepared(line)).containsExactly("cloud");
    // It has no directory lib.
    assertThat(classPath(launch(Map.of(), line.split(" "))))
        .endsWith(home + "/plugins/cloud/cloud.jar");
  }

  @Test
  void commandThatThePluginDoesNotNameIsNotItsCommand() throws Exception {
    assertThat(prepared("cancel --cloud-zone=west job")).isEmpty();
  }

  @Test
  void targetOfAnotherPluginGoesBeforeTheDefaultOfACommand() throws Exception {
    write(
        home.resolve("plugins/cloud/launcher.properties"),
        "name=cloud\ncommands=session\ntarget=cloud-*\n");
    assertThat(prepared("session start -t cloud-session")).containsExactly("cloud");
    assertThat(prepared("session start")).containsExactly("yarn");
  }

  @Test
  void configuredTargetDecides() throws Exception {
    Path file = home.resolve("conf/config.yaml");
    write(file, "execution.target: yarn-per-job\n");
    assertThat(prepared("run job.jar")).containsExactly("yarn");
    assertThat(prepared("list")).containsExactly("yarn");
    assertThat(prepared("run -t remote job.jar")).isEmpty();
    write(file, "execution:\n  target: cloud-job\n");
    assertThat(prepared("run job.jar")).containsExactly("cloud");
    write(file, "execution.target: remote\n");
    assertThat(prepared("run -yjm 1600 job.jar")).isEmpty();
    assertThat(prepared("list -yid application_1_1")).containsExactly("yarn");
    assertThat(prepared("list")).isEmpty();
  }

  @Test
  void sessionFileOfThisUserDecidesWhenNothingElseDoes() throws Exception {
    Path sessions = home.resolve("user/.millrace");
    write(sessions.resolve(".yarn-properties-another"), "");
    assertThat(prepared("list")).isEmpty();
    write(sessions.resolve(".yarn-properties-" + System.getProperty("user.name")), "");
    assertThat(prepared("list")).containsExactly("yarn");
    assertThat(prepared("run job.jar")).containsExactly("yarn");
    assertThat(prepared("run -m host:8081 job.jar")).isEmpty();
    assertThat(prepared("run -t local job.jar")).isEmpty();
  }

  @Test
  void otherPluginsDirectoryHasNoPreparedCommands() throws Exception {
    Map<String, String> elsewhere = Map.of("MILLRACE_PLUGINS_DIR", directory.toString());
    assertThat(launch(elsewhere, "run", "-t", "yarn-per-job", "job.jar"))
        .noneMatch(word -> word.startsWith(CLASSES));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-D", "-yD", "-cD"})
  void optionThatSetsOptionsAppliesToTheJvmOfTheCommand(String option) throws Exception {
    for (List<String> words :
        List.of(
            List.of("run", option, "env.java.opts.client=-Dmine=/agent.jar", "job.jar"),
            List.of("run", option + "env.java.opts.client=-Dmine=/agent", "job.jar"))) {
      assertThat(launch(Map.of(), words.toArray(String[]::new)))
          .as("%s", words)
          .anyMatch(word -> word.startsWith("-Dmine=/agent"));
    }
    assertThat(launch(Map.of(), "run", "job.jar", option, "env.java.opts.client=-Dmine=1"))
        .doesNotContain("-Dmine=1");
  }

  @Test
  @Behaviour(
      "A1: the launcher loads the classes of a plugin for the commands that the plugin names")
  void archiveIsMadeFromTheClassListOfACommandThatHasLoadedTheNamedClass() throws Exception {
    String[] command = {"run", "-t", "cloud-job", "job.jar"};
    // The process of this list has ended before it loaded the class.
    Path failed = home.resolve("cloud-999999999.classes");
    write(failed, "java/lang/Object id: 0\n");
    assertThat(launch(Map.of(), command)).anyMatch(word -> word.startsWith(CLASSES));
    assertThat(failed).doesNotExist();

    Path complete = home.resolve("cloud-999999998.classes");
    write(
        complete,
        """
        java/lang/Object id: 0
        com/example/CloudDeployer id: 1
        com/example/Program id: 2 super: 0 source: job.jar
        """);
    List<String> words = launch(Map.of(), command);
    assertThat(words).noneMatch(word -> word.startsWith(CLASSES));
    assertThat(home.resolve("cloud-0.classes"))
        .content()
        .contains("com/example/CloudDeployer")
        .doesNotContain("Program");
    assertThat(complete).doesNotExist();
    assertThat(home.resolve("cloud.for")).exists();

    // The archive itself is made by Java, which this test does not have.
    write(home.resolve("cloud.jsa"), "archive");
    assertThat(launch(Map.of(), command)).contains(ARCHIVE + home.resolve("cloud.jsa"));
  }

  @Test
  void newJarOfThePluginMakesItsArchiveStale() throws Exception {
    String[] command = {"run", "-t", "cloud-job", "job.jar"};
    write(home.resolve("cloud-0.classes"), "com/example/CloudDeployer id: 1\n");
    launch(Map.of(), command);
    Path made = home.resolve("cloud.for");
    assertThat(made).exists();
    Files.delete(home.resolve("cloud-0.classes"));
    write(home.resolve("plugins/cloud/cloud.jar"), "newer");
    Files.setLastModifiedTime(
        home.resolve("plugins/cloud/cloud.jar"),
        java.nio.file.attribute.FileTime.fromMillis(
            Files.getLastModifiedTime(made).toMillis() + 5_000));
    assertThat(launch(Map.of(), command)).anyMatch(word -> word.startsWith(CLASSES));
  }

  /** The names of the plugins for which a command records the classes that it loads. */
  private List<String> prepared(String line) throws Exception {
    return launch(Map.of(), line.split(" ")).stream()
        .filter(word -> word.startsWith(CLASSES))
        .map(word -> word.substring(CLASSES.length() + home.toString().length() + 1))
        .map(name -> name.substring(0, name.indexOf('-')))
        .toList();
  }

  private static String classPath(List<String> words) {
    return words.get(words.indexOf("-cp") + 1);
  }

  /** The words of the command that the launcher runs in the end. */
  private List<String> launch(Map<String, String> variables, String... arguments)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    line.add(home.resolve("bin/millrace").toString());
    line.addAll(List.of(arguments));
    Path output = directory.resolve("output");
    Path errors = directory.resolve("errors");
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(home.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    Map<String, String> environment = builder.environment();
    environment
        .keySet()
        .removeIf(key -> key.matches("MILLRACE_.*|HADOOP_.*|JAVA_TOOL_OPTIONS|JVM_ARGS"));
    environment.putAll(
        new TreeMap<>(
            Map.of(
                "HOME", home.resolve("user").toString(),
                "JAVA_HOME", home.resolve("jdk").toString())));
    environment.putAll(variables);
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as("%s", Files.readString(errors)).isZero();
    return Files.readAllLines(output);
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
