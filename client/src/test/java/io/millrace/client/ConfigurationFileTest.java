package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationFileTest {
  @TempDir private Path directory;
  private final List<String> warnings = new ArrayList<>();

  @Test
  @Behaviour(
      "A1: the configuration file takes nested and dotted keys, and the command line overrides it")
  void readsNestedAndDottedKeysAndLists() throws IOException {
    write(
        """
        # a comment
        rest:
          port: 9000
          address: example.org
        heartbeat.interval: 3 s
        classloader.parent-first-patterns.default: [java., q.]
        """);
    Configuration configuration = load();
    assertThat(HostPort.of(configuration)).hasToString("example.org:9000");
    assertThat(configuration.get(HeartbeatManagerOptions.HEARTBEAT_INTERVAL))
        .isEqualTo(Duration.ofSeconds(3));
    assertThat(configuration.get(CoreOptions.PARENT_FIRST_PATTERNS)).containsExactly("java.", "q.");
  }

  @Test
  @Behaviour(
      "A1: the configuration file takes nested and dotted keys, and the command line overrides it")
  void commandLineWinsOverTheFile() throws IOException {
    write("rest.port: 9000\n");
    assertThat(load("rest.port=9001").get(RestOptions.PORT)).hasToString("9001");
  }

  @Test
  void unknownKeysOfTheFileAreLeftOutWithOneWarning() throws IOException {
    write("rest.prot: 9000\nrest.address: here\nmine: 1\nstate.latency-track.history-size: 8\n");
    assertThat(load().entries()).containsOnlyKeys("rest.address");
    assertThat(warnings)
        .containsExactly(
            directory.resolve("config.yaml")
                + " sets unknown options, which are ignored: mine, rest.prot (did you mean"
                + " rest.port?). Use the prefix user. for keys of your own. It sets options of"
                + " Flink that have no effect: state.latency-track.history-size; see docs/options.md.");
  }

  @Test
  void unknownKeysOfTheCommandLineAreRefused() throws IOException {
    write("");
    assertThatThrownBy(() -> load("rest.prot=1"))
        .isInstanceOf(MillraceException.class)
        .hasMessage("Unknown option 'rest.prot'. Did you mean 'rest.port'?");
    assertThatThrownBy(() -> load("state.latency-track.history-size=8"))
        .hasMessage(
            "Option 'state.latency-track.history-size' of Flink has no effect: State"
                + " backends and checkpoints have no further options. Remove it.");
    assertThat(warnings).isEmpty();
  }

  @Test
  void keysOfTheProgramAreReadFromFileAndCommandLine() throws IOException {
    write("pipeline.global-job-parameters: 'myapp,limit:3'\nmyapp.topic: orders\n");
    assertThat(
            load("myapp.rate=2", "limit=4", "user.name=me", "pipeline.global-job-parameters.x=1")
                .entries())
        .containsEntry("myapp.topic", "orders")
        .containsEntry("myapp.rate", "2")
        .containsEntry("limit", "4")
        .containsEntry("user.name", "me")
        .containsEntry("pipeline.global-job-parameters.x", "1");
    assertThat(warnings).isEmpty();
    assertThatThrownBy(() -> load("myapps.rate=2")).hasMessageContaining("Unknown option");
  }

  @Test
  @Behaviour(
      "A1: a configuration file of Flink works unchanged, with one warning for keys without effect")
  void configurationFileOfFlinkCanBeUsedAsItIs() throws IOException {
    try (InputStream flinks =
        ConfigurationFileTest.class.getResourceAsStream("flink-config.yaml")) {
      write(new String(flinks.readAllBytes(), StandardCharsets.UTF_8));
    }
    Configuration configuration = load();
    assertThat(configuration.get(TaskManagerOptions.NUM_TASK_SLOTS)).isEqualTo(4);
    assertThat(configuration.get(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS)).isEqualTo(3);
    assertThat(configuration.contains(CheckpointingOptions.INTERVAL)).isTrue();
    assertThat(configuration.get(CoreOptions.JVM_OPTIONS))
        .startsWith("--add-opens=java.base/java.util");
    assertThat(configuration.get(CoreOptions.TASK_MANAGER_JVM_OPTIONS))
        .isEqualTo("-XX:+HeapDumpOnOutOfMemoryError");
    assertThat(configuration.entries())
        .containsEntry("pipeline.global-job-parameters.environment", "production")
        .containsEntry("state.backend.type", "rocksdb")
        .doesNotContainKeys("myapp.kafka.topic");
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0))
        .contains("ignored: myapp.kafka.topic, resr.port (did you mean rest.port?). ")
        .contains("metrics.reporter.prom.factory.class, ")
        .doesNotContain("\n");
  }

  @Test
  void valuesOutOfRangeAreRefusedFromFileAndCommandLine() throws IOException {
    write("taskmanager.cores: 99999\n");
    String refusal = "Option 'taskmanager.cores' is 99999, but it takes 1 to 4096, or -1.";
    assertThatThrownBy(() -> load()).hasMessage(refusal);
    write("");
    assertThatThrownBy(() -> load("taskmanager.cores=99999")).hasMessage(refusal);
  }

  @Test
  void valueOfTheWrongTypeIsRefused() throws IOException {
    write("rest.port: many\n");
    assertThatThrownBy(() -> load())
        .hasMessageContaining("needs a value of type Ports, not 'many'");
  }

  @Test
  void brokenYamlNamesFileAndLine() throws IOException {
    write("rest.port: 1\n\"unclosed: 2\n");
    assertThatThrownBy(() -> load())
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(directory.resolve("config.yaml") + " is not valid YAML")
        .hasMessageContaining("line ");
  }

  @Test
  void textInsteadOfOptionsIsRefused() throws IOException {
    write("hello\n");
    assertThatThrownBy(() -> load()).hasMessageContaining("one option per line");
  }

  @Test
  void overrideWithoutValueIsRefused() throws IOException {
    write("");
    assertThatThrownBy(() -> load("rest.port")).hasMessageContaining("-D requires key=value");
  }

  @Test
  void namedDirectoryMustHoldTheFile() {
    assertThatThrownBy(() -> load()).hasMessageContaining("there is no config.yaml in it");
  }

  @Test
  void distributionMayLackTheFile() {
    assertThat(
            ConfigurationFile.load(
                new ProcessEnvironment(Map.of(), Optional.of(directory)), List.of(), warnings::add))
        .isEqualTo(Configuration.EMPTY);
  }

  @Test
  void distributionsFileIsRead() throws IOException {
    Files.createDirectory(directory.resolve("conf"));
    Files.writeString(directory.resolve("conf/config.yaml"), "rest.port: 9000\n");
    assertThat(
            ConfigurationFile.load(
                new ProcessEnvironment(Map.of(), Optional.of(directory)), List.of(), warnings::add))
        .isEqualTo(Configuration.EMPTY.with(RestOptions.PORT, 9000));
  }

  @Test
  void whatIsWrittenIsReadBack() throws IOException {
    Configuration configuration =
        Configuration.EMPTY
            .with(SecurityOptions.CLUSTER_SECRET_FILE, "/it's/#1: here")
            .with(RestOptions.ADDRESS, "yes")
            .with(CoreOptions.JVM_OPTIONS, "");
    ConfigurationFile.write(configuration, directory);
    assertThat(load()).isEqualTo(configuration);
  }

  @Test
  void plainLinesAreReadAsYamlReadsThem() throws IOException {
    String lines =
        """
        # as shipped
        rest.port: 9000
        taskmanager.memory.process.size: 1728m
        rest.address: 'it''s: here'
        """;
    write(lines);
    Configuration plain = load();
    // A nested key needs the parser.
    write(lines + "heartbeat:\n  interval: 3 s\n");
    assertThat(load()).isEqualTo(plain.with("heartbeat.interval", "3 s"));
    assertThat(plain.entries())
        .containsEntry("rest.address", "it's: here")
        .containsEntry("taskmanager.memory.process.size", "1728m");
  }

  @Test
  void listOfJvmOptionsIsSeparatedByBlanks() throws IOException {
    write(
        "env.java.opts.all: [-Da=1, -Db=2]\nenv:\n  java.opts.client:\n    - -Dc=3\n    - -Dd=4\n");
    assertThat(load().entries())
        .containsEntry("env.java.opts.all", "-Da=1 -Db=2")
        .containsEntry("env.java.opts.client", "-Dc=3 -Dd=4");
  }

  @Test
  void totalOnTheCommandLineReplacesTheTotalsOfTheFile() throws IOException {
    write("taskmanager.memory.process.size: 1728m\njobmanager.memory.process.size: 1600m\n");
    assertThat(load("taskmanager.memory.flink.size=1g").entries())
        .containsOnlyKeys("taskmanager.memory.flink.size", "jobmanager.memory.process.size");
    assertThat(
            load("taskmanager.memory.task.heap.size=1g", "taskmanager.memory.managed.size=1g")
                .contains(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY))
        .isFalse();
    assertThat(
            load("jobmanager.memory.heap.size=1g")
                .contains(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY))
        .isFalse();
    // A part alone is a part of the file's total.
    assertThat(
            load("taskmanager.memory.task.heap.size=1g")
                .contains(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY))
        .isTrue();
    // Two totals on the command line are both used, and contradict each other.
    assertThat(
            load("taskmanager.memory.process.size=2g", "taskmanager.memory.flink.size=1g")
                .entries())
        .containsKeys("taskmanager.memory.process.size", "taskmanager.memory.flink.size");
  }

  private void write(String text) throws IOException {
    Files.writeString(directory.resolve("config.yaml"), text);
  }

  private Configuration load(String... overrides) {
    return ConfigurationFile.load(
        new ProcessEnvironment(
            Map.of(ConfigurationFile.DIRECTORY_VARIABLE, directory.toString()), Optional.empty()),
        List.of(overrides),
        warnings::add);
  }
}
