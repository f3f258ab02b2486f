package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the launcher applies the configuration, and what commands log. */
class LauncherIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static final String PASSWORD = "hunter2";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "env.java.opts.client: -showversion",
        "env:\n  java:\n    opts:\n      client: '-Dmine=1 -showversion' # both",
        "env.java:\n  opts.all: -showversion\nrest:\n  port: 1",
        "env: {java: {opts: {client: -showversion}}}",
        "env.java.opts.client: >-\n  -Dmine=1\n  -showversion",
        "env.java.opts.client:\n  - -Dmine=1\n  - -showversion",
        "env:\n  java:\n    opts:\n      client:\n      - -Dmine=1\n      - -showversion",
        "env.java.opts.client: [-Dmine=1, -showversion]",
        "env:\r\n  java:\r\n    opts:\r\n      client: -Dmine=1 -showversion\r\n",
      })
  @Behaviour(
      "A1: the launcher applies JVM options from the configuration file, in each of its formats,"
          + " and from -D")
  void jvmOptionsOfCommandsComeFromTheFileInEveryFormat(String yaml) throws Exception {
    assertThat(showsVersion(SHELL.millrace(configured(yaml), "memory").succeeded())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"rest.port: 1", "env:\n  java:\n    opts:\n      taskmanager: -showversion"})
  @Behaviour(
      "A1: the launcher applies JVM options from the configuration file, in each of its formats,"
          + " and from -D")
  void jvmOptionsOfServersDoNotApplyToCommands(String yaml) throws Exception {
    assertThat(showsVersion(SHELL.millrace(configured(yaml), "memory").succeeded())).isFalse();
  }

  @Test
  @Behaviour(
      "A1: the launcher applies JVM options from the configuration file, in each of its formats,"
          + " and from -D")
  void jvmOptionsOfCommandsComeFromTheCommandLine() throws Exception {
    for (List<String> given :
        List.of(
            List.of("-D", "env.java.opts.client=-Dmine=1 -showversion"),
            List.of("-Denv.java.opts.all=-showversion"))) {
      List<String> line = new ArrayList<>(List.of("memory"));
      line.addAll(given);
      Outcome outcome =
          SHELL.millrace(
              configured("env.java.opts.client: -Dother=1"), line.toArray(new String[0]));
      assertThat(showsVersion(outcome.succeeded())).as("%s", outcome).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jobmanager", "taskmanager"})
  @Behaviour(
      "A1: the launcher applies JVM options from the configuration file, in each of its formats,"
          + " and from -D")
  void jvmOptionsOfServersMayBeNested(String server) throws Exception {
    // The JVM prints its version and ends.
    Outcome outcome =
        SHELL.millrace(
            configured("env:\n  java:\n    opts:\n      " + server + ": -version"), server);
    assertThat(showsVersion(outcome.succeeded())).as("%s", outcome).isTrue();
  }

  @Test
  @Behaviour(
      "A1: a configuration file of Flink works unchanged, with one warning for keys without effect")
  void configurationOfFlinkCausesOneWarning() throws Exception {
    Outcome outcome =
        SHELL.millrace(
            configured(
                "jobmanager:\n  execution:\n    failover-strategy: region\n"
                    + "state:\n  latency-track:\n    history-size: 8\nmyapp.topic: orders"),
            "memory");
    assertThat(outcome.succeeded().err())
        .singleElement()
        .asString()
        .contains(
            "myapp.topic",
            "state.latency-track.history-size",
            "jobmanager.execution.failover-strategy");
  }

  @Test
  @Behaviour("A1: each command has its own log file, without secrets")
  void logOfAFailingCommandHasNoSecrets() throws Exception {
    Outcome outcome =
        SHELL.millrace(
            "run",
            "-D",
            "security.ssl.rest.keystore-password=" + PASSWORD,
            "-D",
            "env.java.opts.client=-Dmy.password=" + PASSWORD,
            "no-such.jar",
            "--password",
            PASSWORD);
    assertThat(outcome.refusedInOneLine()).contains("no-such.jar");
    assertThat(Files.readString(SHELL.directory().resolve("log/run.log")))
        .contains("no-such.jar", "security.ssl.rest.keystore-password=(hidden)")
        .doesNotContain(PASSWORD);
  }

  @Test
  @Behaviour("A1: each command has its own log file, without secrets")
  void logOfAServerHasNoSecrets() throws Exception {
    // It logs its options before it fails to bind the address.
    Outcome outcome =
        SHELL.millrace(
            "jobmanager",
            "-D",
            "env.java.opts.jobmanager=-Dmy.password=" + PASSWORD + " -Dmine=shown",
            "-D",
            "security.ssl.rest.key-password=" + PASSWORD,
            "-D",
            "rest.bind-address=0.0.0.0");
    assertThat(outcome.code()).as("%s", outcome).isNotZero();
    StringBuilder all = new StringBuilder(String.join("\n", outcome.err()));
    try (Stream<Path> logs = Files.walk(SHELL.directory())) {
      for (Path log : logs.filter(file -> file.toString().endsWith(".log")).toList()) {
        all.append(Files.readString(log));
      }
    }
    assertThat(all.toString())
        .contains("env.java.opts.jobmanager = -Dmy.password=(hidden) -Dmine=shown")
        .contains("security.ssl.rest.key-password = (hidden)")
        .doesNotContain(PASSWORD);
  }

  @Test
  @Behaviour("A1: each command has its own log file, without secrets")
  void commandsLogToTheirFileNotToTheTerminal() throws Exception {
    Outcome outcome = SHELL.millrace("run", Shell.example("word-count.jar").toString());
    assertThat(outcome.succeeded().err()).noneMatch(line -> line.matches(".*\\b(INFO|DEBUG)\\b.*"));
    assertThat(SHELL.directory().resolve("log/run.log")).content().contains(" INFO ");
  }

  @Test
  @Behaviour(
      "A1: the launcher loads the classes of a plugin for the commands that the plugin names")
  void distributionHasTheClassThatMarksTheCommandsOfAPlugin() throws Exception {
    Path plugins = Shell.distribution().resolve("plugins");
    Path declaration = plugins.resolve("hadoop/launcher.properties");
    Properties declared = new Properties();
    try (Reader in = Files.newBufferedReader(declaration)) {
      declared.load(in);
    }
    String file = declared.getProperty("class") + ".class";
    List<Path> jars;
    try (Stream<Path> files = Files.list(declaration.getParent())) {
      jars = files.filter(name -> name.toString().endsWith(".jar")).toList();
    }
    List<Path> containing = new ArrayList<>();
    for (Path jar : jars) {
      try (JarFile archive = new JarFile(jar.toFile())) {
        if (archive.getEntry(file) != null) {
          containing.add(jar);
        }
      }
    }
    assertThat(containing).as("%s in %s", file, jars).hasSize(1);
  }

  private static boolean showsVersion(Outcome outcome) {
    return outcome.err().stream().anyMatch(line -> line.contains("Runtime Environment"));
  }

  private static Map<String, String> configured(String yaml) throws Exception {
    Path conf = Files.createTempDirectory(SHELL.directory(), "conf");
    Files.writeString(
        conf.resolve("config.yaml"), yaml + "\ntaskmanager.memory.process.size: 1728m\n");
    return Map.of("MILLRACE_CONF_DIR", conf.toString());
  }
}
