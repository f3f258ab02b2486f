package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.StateSample;
import com.example.StateSample.Kind;
import io.millrace.api.execution.ProgramContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.client.SavepointContents;
import io.millrace.client.SavepointEntries;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.StateBackendOptions;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Savepoints that earlier releases have written are restored by this one. */
@ResourceLock("ProgramContext")
class StateSamplesTest {
  private static final Path SAMPLES = Path.of("src/test/resources/state-samples");

  static List<Path> samples() throws IOException {
    try (Stream<Path> found = Files.list(SAMPLES)) {
      List<Path> samples = found.filter(Files::isDirectory).sorted().toList();
      assertThat(samples).as("tools/state-sample writes one").isNotEmpty();
      return samples;
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  @Behaviour("H4: savepoints of each release are restored by all later ones")
  void aJobContinuesFromTheSampleOfEachRelease(Path sample) throws Exception {
    continueFrom(sample, "hashmap");
  }

  @ParameterizedTest
  @MethodSource("samples")
  @Behaviour("H4: a savepoint does not depend on the state backend")
  @Behaviour("F6: the slots of the embedded cluster share managed memory")
  void aSampleIsRestoredIntoRocksDbInTheEmbeddedCluster(Path sample) throws Exception {
    continueFrom(sample, "rocksdb");
  }

  private static void continueFrom(Path sample, String backend) throws Exception {
    for (int parallelism : new int[] {1, 3}) {
      StateSample.RESULTS.clear();
      Configuration configuration =
          Configuration.EMPTY
              .with(CoreOptions.DEFAULT_PARALLELISM, parallelism)
              .with(StateBackendOptions.TYPE, backend)
              .with(StateRecoveryOptions.PATH, sample.toAbsolutePath().toString());
      try (EmbeddedCluster cluster = new EmbeddedCluster(configuration)) {
        ClusterJobExecutor executor =
            new ClusterJobExecutor(
                cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
        new ProgramContext(executor, configuration)
            .during(
                () -> {
                  StateSample.main(new String[] {"10000000"});
                  return true;
                });
      }
      assertThat(StateSample.RESULTS)
          .as("parallelism %d", parallelism)
          .containsExactlyInAnyOrderElementsOf(expected());
    }
  }

  @ParameterizedTest
  @MethodSource("samples")
  void entriesOfASampleCanBeShown(Path sample) {
    FileSystems files = FileSystems.withoutPlugins();
    SavepointContents contents = SavepointContents.read(files, sample.toAbsolutePath().toString());
    assertThat(contents.errors()).isEmpty();
    assertThat(contents.json()).contains("\"expiring\"").contains("\"timeToLive\":true");
    SavepointEntries entries =
        new SavepointEntries(files, contents, Optional.of(StateSamplesTest.class.getClassLoader()));
    String states =
        contents.operators().stream()
            .filter(
                operator ->
                    operator.states().stream().anyMatch(state -> state.name().equals("kinds")))
            .map(SavepointContents.OperatorState::id)
            .findFirst()
            .orElseThrow();
    List<String> lines = new ArrayList<>();
    assertThat(entries.print(states, "last", Optional.of("key-3"), 10, lines::add)).isEqualTo(1);
    assertThat(lines)
        .singleElement()
        .asString()
        .startsWith("{\"key\":\"key-3\",\"value\":{\"key\":\"key-3\",\"number\":");
  }

  private static List<String> expected() {
    List<String> expected = new ArrayList<>();
    for (int key = 0; key < 7; key++) {
      int remainder = key;
      List<Long> numbers =
          LongStream.range(0, StateSample.RECORDS)
              .filter(number -> number % 7 == remainder)
              .boxed()
              .toList();
      long sum = numbers.stream().mapToLong(Long::longValue).sum();
      long last = numbers.get(numbers.size() - 1);
      Map<Kind, Long> kinds = new TreeMap<>();
      numbers.forEach(number -> kinds.merge(Kind.of(number), 1L, Long::sum));
      expected.add(
          "states key-%d %d %d %s %s %d %d"
              .formatted(
                  key,
                  last,
                  numbers.size(),
                  numbers.stream().filter(number -> number % 100 == 0).toList(),
                  kinds,
                  last,
                  sum));
      expected.add("tumbling key-" + key + " " + sum);
      expected.add("sliding key-" + key + " " + sum);
      expected.add("sliding key-" + key + " " + sum);
      expected.add("session key-" + key + " " + numbers.size());
    }
    List<Long> hundreds =
        LongStream.range(0, StateSample.RECORDS)
            .filter(number -> number % 100 == 0)
            .boxed()
            .toList();
    expected.add("operator " + hundreds + " " + hundreds + " {last=1900}");
    expected.add("total " + StateSample.RECORDS);
    return expected;
  }
}
