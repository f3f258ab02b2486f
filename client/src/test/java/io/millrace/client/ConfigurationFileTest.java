package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationFileTest {
  @TempDir private Path directory;

  @Test
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
    assertThat(configuration.get(Options.HEARTBEAT_INTERVAL)).isEqualTo(Duration.ofSeconds(3));
    assertThat(configuration.get(Options.PARENT_FIRST)).containsExactly("java.", "q.");
  }

  @Test
  void commandLineWinsOverTheFile() throws IOException {
    write("rest.port: 9000\n");
    assertThat(load("rest.port=9001").get(Options.REST_PORT)).isEqualTo(9001);
  }

  @Test
  void unknownKeyIsRefusedWithASuggestion() throws IOException {
    write("rest.prot: 9000\n");
    assertThatThrownBy(() -> load())
        .isInstanceOf(MillraceException.class)
        .hasMessage("Unknown option 'rest.prot'. Did you mean 'rest.port'?");
    write("");
    assertThatThrownBy(() -> load("rest.prot=1")).hasMessageContaining("'rest.port'");
  }

  @Test
  void valueOfTheWrongTypeIsRefused() throws IOException {
    write("rest.port: many\n");
    assertThatThrownBy(() -> load())
        .hasMessageContaining("wants a value of type Integer, not 'many'");
  }

  @Test
  void brokenYamlNamesFileAndLine() throws IOException {
    write("rest.port: 1\n\"unclosed: 2\n");
    assertThatThrownBy(() -> load())
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(directory.resolve("config.yaml") + " is not YAML")
        .hasMessageContaining("line ");
  }

  @Test
  void textInsteadOfOptionsIsRefused() throws IOException {
    write("hello\n");
    assertThatThrownBy(() -> load()).hasMessageContaining("one option a line");
  }

  @Test
  void overrideWithoutValueIsRefused() throws IOException {
    write("");
    assertThatThrownBy(() -> load("rest.port")).hasMessageContaining("-D wants key=value");
  }

  @Test
  void namedDirectoryMustHoldTheFile() {
    assertThatThrownBy(() -> load()).hasMessageContaining("there is no config.yaml in it");
  }

  @Test
  void distributionMayLackTheFile() {
    assertThat(ConfigurationFile.load(Map.of(), Optional.of(directory), List.of()))
        .isEqualTo(Configuration.EMPTY);
  }

  @Test
  void distributionsFileIsRead() throws IOException {
    Files.createDirectory(directory.resolve("conf"));
    Files.writeString(directory.resolve("conf/config.yaml"), "rest.port: 9000\n");
    assertThat(ConfigurationFile.load(Map.of(), Optional.of(directory), List.of()))
        .isEqualTo(Configuration.EMPTY.with(Options.REST_PORT, 9000));
  }

  @Test
  void whatIsWrittenIsReadBack() throws IOException {
    Configuration configuration =
        Configuration.EMPTY
            .with(Options.SECRET_FILE, "/it's/#1: here")
            .with(Options.REST_ADDRESS, "yes")
            .with(Options.JAVA_OPTS, "");
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
  void totalOnTheCommandLineReplacesTheTotalsOfTheFile() throws IOException {
    write("taskmanager.memory.process.size: 1728m\njobmanager.memory.process.size: 1600m\n");
    assertThat(load("taskmanager.memory.flink.size=1g").entries())
        .containsOnlyKeys("taskmanager.memory.flink.size", "jobmanager.memory.process.size");
    assertThat(
            load("taskmanager.memory.task.heap.size=1g", "taskmanager.memory.managed.size=1g")
                .contains(Options.TASK_MANAGER_PROCESS_MEMORY))
        .isFalse();
    assertThat(load("jobmanager.memory.heap.size=1g").contains(Options.JOB_MANAGER_PROCESS_MEMORY))
        .isFalse();
    // A part alone is a part of the file's total.
    assertThat(
            load("taskmanager.memory.task.heap.size=1g")
                .contains(Options.TASK_MANAGER_PROCESS_MEMORY))
        .isTrue();
    // Whoever gives two totals means both.
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
        Map.of(ConfigurationFile.DIRECTORY_VARIABLE, directory.toString()),
        Optional.empty(),
        List.of(overrides));
  }
}
