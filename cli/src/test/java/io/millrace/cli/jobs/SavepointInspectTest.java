package io.millrace.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is shown of the savepoint of a release, whole and damaged, without its program. */
class SavepointInspectTest {
  private static final Path SAMPLE = Path.of("../it/src/test/resources/state-samples/0.1.0");
  private static final String SOURCE = "376e4690cf177794171ef2e2b9b9990e";
  private static final String TUMBLING = "b41a41eadf3c015562cbcb515b810041";

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private Path savepoint;

  @BeforeEach
  void copySample() throws IOException {
    cli = new CommandLineHarness(directory);
    savepoint = Files.createDirectory(directory.resolve("savepoint"));
    try (Stream<Path> files = Files.list(SAMPLE)) {
      for (Path file : files.toList()) {
        Files.copy(file, savepoint.resolve(file.getFileName()));
      }
    }
  }

  private int inspect(String... options) {
    List<String> line = new ArrayList<>(List.of("savepoint", "inspect"));
    line.addAll(List.of(options));
    line.add(savepoint.toString());
    return cli.call(line.toArray(String[]::new));
  }

  private List<String> entries(String operator, String state, String... more) {
    List<String> options = new ArrayList<>(List.of("--operator", operator, "--state", state));
    options.addAll(List.of(more));
    assertThat(inspect(options.toArray(String[]::new))).as(cli.err()).isEqualTo(ExitCodes.OK);
    return cli.out().lines().toList();
  }

  private Path stateFile() throws IOException {
    try (Stream<Path> files = Files.list(savepoint)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("state-"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void eachOperatorIsShownWithItsStatesAndClasses() {
    assertThat(inspect()).isEqualTo(ExitCodes.OK);

    assertThat(cli.err()).isEmpty();
    assertThat(cli.out())
        .startsWith("Savepoint 1 of job fd4c5831f0ed0f0b94527045b2f193f8, triggered at ")
        .containsPattern(
            "\nprocess +[0-9a-f]{32} +2 \\(max 128\\) +4257 bytes +last, expiring, thousands, kinds,")
        .contains("\n  last: keyed, value, java.lang.String to com.example.StateSample$Event\n")
        .contains("\n  expiring: keyed, value with a time to live, ")
        .contains("\n  windows: keyed, aggregating per window, ")
        .contains("\n  processing-timers: keyed, processing timers\n")
        .contains("\n  union: union list of 9 elements of com.example.StateSample$Event\n")
        .contains("\n  enum com.example.StateSample$Kind {SMALL, MEDIUM, LARGE}\n")
        .contains("\n  record io.millrace.api.source.GeneratorSource$Sequence {next: long, ");
  }

  @Test
  void listOfOneElementIsSingular() {
    inspect();
    assertThat(cli.out()).contains("\n  splits: split list of 1 element of ");
  }

  @Test
  void metadataFileStandsForItsDirectory() {
    inspect();
    String shown = cli.out();
    assertThat(cli.call("savepoint", "inspect", savepoint.resolve("_metadata").toString()))
        .isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).isEqualTo(shown);
  }

  @Test
  void jsonHasTheSameContent() throws IOException {
    assertThat(inspect("--json")).isEqualTo(ExitCodes.OK);

    JsonNode json = new ObjectMapper().readTree(cli.out());
    assertThat(json.path("type").textValue()).isEqualTo("savepoint");
    assertThat(json.path("directory").textValue()).isEqualTo(savepoint.toString());
    assertThat(json.path("errors")).isEmpty();
    assertThat(json.path("operators")).hasSize(12);
    long bytes = 0;
    for (JsonNode operator : json.path("operators")) {
      bytes += operator.path("bytes").longValue();
      for (JsonNode state : operator.path("states")) {
        assertThat(state.has("elements")).isNotEqualTo(state.path("keyed").booleanValue());
        assertThat(state.has("keyClass")).isEqualTo(state.path("keyed").booleanValue());
      }
    }
    assertThat(bytes).isEqualTo(json.path("bytes").longValue());
    assertThat(json.findValuesAsText("form")).contains("RECORD", "ENUM");
  }

  @Test
  void entriesAreJsonLines() {
    assertThat(entries("map", "split"))
        .containsExactlyElementsOf(
            Stream.iterate(0, n -> n + 100).limit(9).map(n -> "{\"value\":" + n + "}").toList());
    assertThat(entries("map", "broadcast"))
        .containsExactly("{\"value\":\"last\"}", "{\"value\":800}");
    assertThat(entries("process", "sum")).hasSize(7).allMatch(line -> line.startsWith("{\"key\":"));
    assertThat(entries(TUMBLING, "windows", "--limit", "1"))
        .singleElement()
        .asString()
        .contains("\"window\":{\"start\":0,\"end\":3600000}");
    assertThat(entries("process", "expiring", "--limit", "1"))
        .singleElement()
        .asString()
        .contains("\"lastUpdate\":");
    assertThat(entries("process", "processing-timers")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "6, 6", "7, 7", "8, 7", "2147483647, 7"})
  void limitCountsEntriesOfAllSubtasks(String limit, int shown) {
    assertThat(entries("process", "greatest", "--limit", limit)).hasSize(shown);
  }

  /** A key of text may be given as it is, or as JSON. */
  @ParameterizedTest
  @ValueSource(strings = {"key-3", "\"key-3\""})
  void keySelectsItsEntries(String key) {
    assertThat(entries("process", "greatest", "--key", key))
        .singleElement()
        .asString()
        .startsWith("{\"key\":\"key-3\",");
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "key-33", "", "{", "null", "\"key-3", "key-3\"}"})
  void keyWithoutEntriesShowsNone(String key) {
    assertThat(entries("process", "greatest", "--key", key)).isEmpty();
  }

  @Test
  void operatorStateHasNoKeys() {
    assertThat(entries("map", "split", "--key", "100")).isEmpty();
  }

  /** The names of constants are not stored with the values. */
  @Test
  void valueWithAConstantOfAnEnumAsksForTheProgram() {
    assertThat(inspect("--operator", "process", "--state", "last")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("enum").contains("--jar");
    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void jarThatIsNoneIsRefused() throws IOException {
    Path jar = Files.writeString(directory.resolve("program.jar"), "not a jar");
    for (String path : List.of(jar.toString(), directory.resolve("missing.jar").toString())) {
      assertThat(inspect("--operator", "process", "--state", "last", "--jar", path))
          .isEqualTo(ExitCodes.ERROR);
      assertThat(cli.err().lines()).as(path).hasSize(1);
      assertThat(cli.err()).contains(path);
    }
  }

  @Test
  void unknownOperatorsAndStatesAreAnsweredWithThoseThereAre() {
    assertThat(inspect("--operator", "nobody", "--state", "last")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .contains("No operator of")
        .contains("'nobody'")
        .contains("'Source: generator' (" + SOURCE + ")");
    assertThat(inspect("--operator", "window aggregate", "--state", "windows"))
        .isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("More than one operator").contains(TUMBLING);
    assertThat(inspect("--operator", "map", "--state", "last")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err())
        .contains("Operator 'map' has no state 'last'. It has 'split', 'union', 'broadcast'.");
    assertThat(inspect("--operator", "timestamps", "--state", "last")).isEqualTo(ExitCodes.ERROR);
    assertThat(cli.err()).contains("Operator 'timestamps' has no state 'last'. It has none.");
  }

  @Test
  void missingFileIsNamedOnceAndTheRestIsShown() throws IOException {
    Path file = stateFile();
    Files.delete(file);

    assertThat(inspect()).isEqualTo(ExitCodes.ERROR);

    assertThat(cli.err()).contains(file.getFileName().toString());
    assertThat(cli.err().lines()).doesNotHaveDuplicates().allMatch(this::isError);
    assertThat(cli.out()).contains("\n  split: split list of 9 elements of java.lang.Long\n");
  }

  private boolean isError(String line) {
    return line.startsWith("millrace: ") && !line.contains("Exception") && !line.contains("\tat ");
  }

  /** A failure names its seed. */
  @Test
  void anyDamageOfTheMetadataIsOneSentence() throws IOException {
    Path file = savepoint.resolve("_metadata");
    byte[] whole = Files.readAllBytes(file);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 40; i++) {
      Files.write(file, damaged(whole, random));

      assertThat(inspect()).as("seed %s, step %s", seed, i).isEqualTo(ExitCodes.ERROR);

      assertThat(cli.err().lines())
          .as("seed %s, step %s", seed, i)
          .singleElement()
          .asString()
          .startsWith("millrace: Metadata " + file)
          .doesNotContain("Exception");
    }
  }

  /** Damage in a part that inspection does not read is not noticed; nothing else may happen. */
  @Test
  void anyDamageOfAStateFileIsSentencesThatNameIt() throws IOException {
    Path file = stateFile();
    byte[] whole = Files.readAllBytes(file);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int noticed = 0;
    for (int i = 0; i < 40; i++) {
      Files.write(file, damaged(whole, random));

      int code = inspect();

      assertThat(code).as("seed %s, step %s", seed, i).isIn(ExitCodes.OK, ExitCodes.ERROR);
      assertThat(cli.err().isEmpty()).isEqualTo(code == ExitCodes.OK);
      assertThat(cli.err().lines())
          .as("seed %s, step %s", seed, i)
          .allMatch(this::isError)
          .allMatch(line -> line.contains(file.getFileName().toString()));
      noticed += code == ExitCodes.OK ? 0 : 1;
    }
    assertThat(noticed).as("seed %s", seed).isPositive();
  }

  /** Shortened, or with a bit changed. */
  private static byte[] damaged(byte[] whole, Random random) {
    int index = random.nextInt(whole.length);
    return random.nextBoolean() ? Arrays.copyOf(whole, index) : flipped(whole, index, random);
  }

  private static byte[] flipped(byte[] content, int index, Random random) {
    byte[] flipped = content.clone();
    flipped[index] ^= (byte) (1 << random.nextInt(8));
    return flipped;
  }

  private int dryRun(String uid, String... options) {
    List<String> line = new ArrayList<>(List.of("run", "-s", savepoint.toString(), "--dry-run"));
    line.addAll(List.of(options));
    line.addAll(List.of(cli.program(), "uid", "continued", uid));
    return cli.call(line.toArray(String[]::new));
  }

  @Test
  void programWithoutTheOperatorsOfASavepointDoesNotFit() {
    assertThat(dryRun("events")).isEqualTo(ExitCodes.ERROR);

    assertThat(cli.out()).isEmpty();
    assertThat(cli.err())
        .startsWith("millrace: Job 'continued' cannot start with the state of '" + savepoint + "'.")
        .contains("process")
        .doesNotContain(SOURCE);
  }

  @Test
  void droppedStateIsToldWithItsSize() {
    assertThat(dryRun("events", "-n")).as(cli.err()).isEqualTo(ExitCodes.OK);

    assertThat(cli.out().lines())
        .contains(
            "Job 'continued' can start with the state of '" + savepoint + "'.",
            "Operator 'Source: generator' (" + SOURCE + ") starts with 272 bytes of state.",
            "Operator 'map' (dcca3b1de34f148aa53bfb146d92718f) is not in the program, which drops"
                + " 1194 bytes of state.")
        .anyMatch(line -> line.endsWith("is new and starts without state."));

    assertThat(dryRun("another", "-n")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out())
        .contains("(" + SOURCE + ") is not in the program, which drops 272 bytes of state.");
  }

  @Test
  void dryRunNoticesDamageOfStateThatTheProgramClaims() throws IOException {
    Path file = savepoint.resolve("_metadata");
    Files.write(file, flipped(Files.readAllBytes(file), 100, new Random(1)));

    assertThat(dryRun("events", "-n")).isEqualTo(ExitCodes.ERROR);

    assertThat(cli.err()).contains("Metadata " + file + " is damaged");
  }
}
