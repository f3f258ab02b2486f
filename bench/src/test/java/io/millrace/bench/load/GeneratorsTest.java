package io.millrace.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All engines read the same records: generators depend on nothing but their arguments. */
class GeneratorsTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 10_000, 1_000_000, 1L << 31})
  void recordsAreInTheirRanges(long keys) {
    Gen gen = new Gen(3, keys);
    long sum = 0;
    for (int i = 1; i <= 100_000; i++) {
      gen.advance();
      boolean inRange =
          gen.key() >= 0
              && gen.key() < keys
              && gen.value() >= 1
              && gen.value() <= 8
              && gen.index(64) >= 0
              && gen.index(64) < 64;
      if (!inRange || gen.position() != i || gen.timestamp() != i / 1000) {
        throw new AssertionError("record " + i + ": " + gen.key() + " " + gen.value());
      }
      sum += gen.key();
    }
    assertThat(sum / 100_000.0).isCloseTo((keys - 1) / 2.0, within(0.02 * keys));
  }

  @Test
  void instancesReadDifferentRecordsAndTheSameInEachRun() {
    assertThat(keys(new Gen(0, 10_000))).isEqualTo(keys(new Gen(0, 10_000)));
    assertThat(keys(new Gen(0, 10_000))).isNotEqualTo(keys(new Gen(1, 10_000)));
  }

  private static long[] keys(Gen gen) {
    long[] keys = new long[100];
    for (int i = 0; i < keys.length; i++) {
      gen.advance();
      keys[i] = gen.key();
    }
    return keys;
  }

  @Test
  void restoredGeneratorContinues() {
    Gen gen = new Gen(1, 10_000);
    keys(gen);
    long[] saved = gen.save();
    long[] copy = saved.clone();
    long[] expected = keys(gen);
    assertThat(saved).as("does not change with the generator").isEqualTo(copy);
    Gen restored = new Gen(7, 10_000);
    restored.restore(saved);
    assertThat(restored.position()).isEqualTo(100);
    assertThat(keys(restored)).isEqualTo(expected);
  }

  @Test
  void fewKeysAreAllDrawn() {
    Gen gen = new Gen(0, 100);
    Set<Long> drawn = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      gen.advance();
      drawn.add(gen.key());
    }
    assertThat(drawn).hasSize(100);
  }

  @Test
  void sentencesHaveTenWordsOfASkewedVocabulary() {
    String[] sentences = Text.sentences();
    assertThat(sentences).hasSize(Text.SENTENCES).isEqualTo(Text.sentences());
    Set<String> words = new HashSet<>();
    for (String sentence : sentences) {
      String[] parts = sentence.split(" ");
      assertThat(parts).hasSize(Text.WORDS_PER_SENTENCE);
      assertThat(parts).allMatch(word -> word.matches("[a-z]{3,10}"));
      words.addAll(Arrays.asList(parts));
    }
    assertThat(words.size()).isBetween(4_000, 5_000);
  }

  @Test
  void writtenTextHasTheReportedNumberOfWords() throws IOException {
    for (long bytes : List.of(0L, 1L, 100_000L)) {
      Path file = directory.resolve("text-" + bytes);
      long words = Text.write(file, bytes);
      long counted;
      try (var lines = Files.lines(file)) {
        counted = lines.mapToLong(line -> line.split(" ").length).sum();
      }
      assertThat(words).isEqualTo(counted);
      assertThat(Files.size(file)).isBetween(bytes, bytes + 200);
    }
  }

  private StateLoad load(long keys, int valueBytes, int perSecond) {
    return new StateLoad(directory.toString(), keys, valueBytes, perSecond);
  }

  @Test
  void stateLoadSurvivesItsArguments() {
    StateLoad load = load(5, 100, 3);
    assertThat(StateLoad.of(load.arguments())).isEqualTo(load);
    assertThatThrownBy(() -> StateLoad.of(new String[] {"d", "many", "1", "1"}))
        .isInstanceOf(NumberFormatException.class);
  }

  @Test
  void firstEachKeyGetsAValueThenRandomKeysAreUpdated() {
    StateLoad load = load(50, 16, 0);
    StateLoad.Records records = load.new Records();
    Gen gen = new Gen(0, 50);
    for (long key = 0; key < 50; key++) {
      Event event = records.next(gen);
      assertThat(event.key).isEqualTo(key);
      assertThat(event.timestamp).isZero();
    }
    Set<Long> updated = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      updated.add(records.next(gen).key);
    }
    assertThat(updated).hasSize(50).allMatch(key -> key >= 0 && key < 50);
  }

  @Test
  void updatesAtARateAreNotEarlierThanTheyAreDue() throws IOException {
    long begin = System.currentTimeMillis() - 10_000;
    Files.writeString(directory.resolve("base"), String.valueOf(begin));
    StateLoad.Records records = load(1, 16, 10).new Records();
    Gen gen = new Gen(0, 1);
    assertThat(records.next(gen).timestamp).isZero();
    long last = 0;
    int due = 0;
    for (Event event = records.next(gen); event != null; event = records.next(gen)) {
      assertThat(event.timestamp).isEqualTo(begin + 100L * due);
      assertThat(event.timestamp).isLessThanOrEqualTo(System.currentTimeMillis());
      last = event.timestamp;
      due++;
    }
    assertThat(due).isGreaterThanOrEqualTo(100);
    assertThat(last).isGreaterThan(begin);
    // The position does not move while no record is due.
    long position = gen.position();
    Files.writeString(directory.resolve("base"), String.valueOf(Long.MAX_VALUE / 2));
    assertThat(load(1, 16, 10).new Records().next(gen)).isNull();
    assertThat(gen.position()).isEqualTo(position);
  }

  @Test
  void laterAttemptContinuesTheScheduleOfTheFirst() throws IOException {
    Gen gen = new Gen(0, 1);
    gen.advance();
    load(1, 16, 1_000).new Records().next(gen);
    String base = Files.readString(directory.resolve("base"));
    assertThat(Long.parseLong(base)).isPositive();
    load(1, 16, 1_000).new Records().next(gen);
    assertThat(Files.readString(directory.resolve("base"))).isEqualTo(base);
  }

  @Test
  void valueHasACounterAndBytesOfItsKey() {
    StateLoad load = load(10, 100, 0);
    byte[] first = load.firstValue(3);
    assertThat(first).hasSize(100).isEqualTo(load.firstValue(3));
    assertThat(first).isNotEqualTo(load.firstValue(4));
    byte[] copy = first.clone();
    byte[] second = StateLoad.updated(first);
    assertThat(first).as("may be part of a snapshot").isEqualTo(copy);
    assertThat(ByteBuffer.wrap(first).getLong()).isEqualTo(1);
    assertThat(ByteBuffer.wrap(second).getLong()).isEqualTo(2);
    assertThat(Arrays.copyOfRange(second, 8, 100)).isEqualTo(Arrays.copyOfRange(first, 8, 100));
  }

  @Test
  void progressIsReportedThroughAFile() throws IOException {
    StateLoad load = load(10, 16, 0);
    assertThat(StateLoad.Report.read(directory.toString(), 0)).isNull();
    StateLoad.Progress progress = load.new Progress(0);
    for (int i = 0; i < 64; i++) {
      progress.record(new Event(i, 0, 1), i >= 10);
    }
    StateLoad.Report report = StateLoad.Report.read(directory.toString(), 0);
    assertThat(report.records()).isEqualTo(64);
    assertThat(report.updates()).isEqualTo(54);
    assertThat(report.lagMillis()).isZero();
    assertThat(directory.resolve("progress-0.next")).doesNotExist();
    assertThat(StateLoad.Report.read(directory.toString(), 1)).isNull();
  }

  @Test
  void expectedNumberOfDistinctKeysIsThatOfUniformDraws() {
    Gen gen = new Gen(0, 1_000);
    Set<Long> drawn = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      gen.advance();
      drawn.add(gen.key());
    }
    // A thousand draws of a thousand keys leave 1/e of the keys out.
    assertThat(drawn.size() / 1_000.0).isCloseTo(1 - Math.exp(-1), within(0.05));
  }

  @Test
  void numbersOfALineKeepTheirOrder() {
    JsonLine line = new JsonLine("millrace", "w3", "b").put("b", 2).put("text", "x").put("a", 1.5);
    assertThat(line.numbers().keySet()).containsExactly("b", "a");
    assertThat(line.numbers()).containsEntry("b", 2.0).containsEntry("a", 1.5);
    line.put("b", 3L);
    assertThat(line.numbers()).containsEntry("b", 3.0);
  }

  @Test
  void metersAddUpTheirInstances() {
    long in = RecordMeter.in();
    RecordMeter.in(40, 7);
    RecordMeter.in(41, 5);
    assertThat(RecordMeter.in()).isEqualTo(in + 12);
    RecordMeter.in(40, 8);
    assertThat(RecordMeter.in()).isEqualTo(in + 13);
    long out = RecordMeter.out();
    RecordMeter.out(63, 2);
    assertThat(RecordMeter.out()).isEqualTo(out + 2);
    assertThat(RecordMeter.in()).isEqualTo(in + 13);
  }
}
