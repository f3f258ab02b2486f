package io.millrace.connector.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.MemorySize;
import io.millrace.core.testing.Behaviour;
import io.millrace.format.jackson.CsvFormat;
import io.millrace.format.jackson.JsonFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random records through sink and source, with failures and other parallelisms. */
class FileRoundTripTest {
  @TempDir Path parent;

  record Order(int id, String customer, long amount) {}

  private static final String LETTERS = "ab \t,;\"'\\{}[]Äß€😀#\r";

  private static String text(Random random, boolean lineBreaks) {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(30);
    int[] letters = (lineBreaks ? LETTERS + "\n" : LETTERS).codePoints().toArray();
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(letters[random.nextInt(letters.length)]);
    }
    // A line cannot end with it; see LineFormat.
    return text.append(length == 0 ? "" : "x").toString();
  }

  private static List<Order> orders(Random random, boolean lineBreaks) {
    List<Order> orders = new ArrayList<>();
    int count = random.nextInt(600);
    for (int i = 0; i < count; i++) {
      orders.add(new Order(i, text(random, lineBreaks), random.nextLong()));
    }
    return orders;
  }

  private <T, F extends FileReadFormat<T> & FileWriteFormat<T>> void check(
      long seed, F format, List<T> records, Compression compression, BucketAssigner<T> buckets)
      throws Exception {
    Random random = new Random(seed);
    Path directory = parent.resolve("out-" + seed + "-" + compression);
    FileSink<T> sink =
        FileSink.to(directory.toString(), format)
            .compression(compression)
            .bucketBy(buckets)
            .maxOpenParts(1 + random.nextInt(4))
            .rollAt(new MemorySize(1 + random.nextInt(3000)));
    FileRoundTrip roundTrip = new FileRoundTrip(random);
    roundTrip.write(sink, records);
    FileSource<T> source =
        FileSource.of(format, directory.toString())
            .splitSize(new MemorySize(1 + random.nextInt(900)));
    if (records.isEmpty()) {
      try (Stream<Path> files = Files.walk(directory)) {
        assertThat(files.filter(Files::isRegularFile)).isEmpty();
      }
      return;
    }
    List<T> read = roundTrip.read(source).records();
    assertThat(read).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(records);
  }

  private static long seed(int trial) {
    return Long.getLong("seed", System.nanoTime() + trial);
  }

  /** Compressors are expensive for so many small parts. */
  private static int trials(Compression compression) {
    return compression == Compression.NONE ? 8 : compression == Compression.BZIP2 ? 1 : 2;
  }

  @ParameterizedTest
  @EnumSource
  @Behaviour("H1: files are written and read exactly once over failures and changes of parallelism")
  void jsonLines(Compression compression) throws Exception {
    for (int trial = 0; trial < trials(compression); trial++) {
      long seed = seed(trial);
      check(
          seed,
          LineFormat.of(JsonFormat.of(Order.class)),
          orders(new Random(seed), true),
          compression,
          (order, time) -> "kind=" + order.id() % 3);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Behaviour("H1: files are written and read exactly once over failures and changes of parallelism")
  void csv(Compression compression) throws Exception {
    for (int trial = 0; trial < trials(compression); trial++) {
      long seed = seed(trial);
      boolean lineBreaks = trial % 2 == 0;
      LineFormat<Order> format =
          LineFormat.of(CsvFormat.of(Order.class, "id", "customer", "amount"))
              .header("id,customer,amount");
      check(
          seed,
          lineBreaks ? format.quotedLineBreaks() : format,
          orders(new Random(seed), lineBreaks),
          compression,
          (order, time) -> order.id() % 2 == 0 ? "" : "a/b");
    }
  }

  @ParameterizedTest
  @EnumSource
  @Behaviour("H1: files are written and read exactly once over failures and changes of parallelism")
  void text(Compression compression) throws Exception {
    for (int trial = 0; trial < trials(compression); trial++) {
      long seed = seed(trial);
      Random random = new Random(seed);
      List<String> lines = new ArrayList<>();
      int count = random.nextInt(600);
      for (int i = 0; i < count; i++) {
        lines.add(text(random, false));
      }
      check(seed, LineFormat.text(), lines, compression, (line, time) -> "");
    }
  }

  /** A naive reader: the whole file, divided at line feeds. */
  @Test
  void splitsOfAnySizeHaveEachLineOnce() throws Exception {
    for (int trial = 0; trial < 60; trial++) {
      long seed = seed(trial);
      Random random = new Random(seed);
      Map<Path, String> files = new TreeMap<>();
      Path directory = Files.createDirectory(parent.resolve("lines-" + trial));
      List<String> expected = new ArrayList<>();
      for (int file = 0; file < 1 + random.nextInt(3); file++) {
        StringBuilder content = new StringBuilder();
        int lines = random.nextInt(20);
        for (int line = 0; line < lines; line++) {
          String text = "x".repeat(random.nextInt(8));
          expected.add(text);
          boolean last = line == lines - 1 && !text.isEmpty();
          content
              .append(text)
              .append(last && random.nextBoolean() ? "" : random.nextBoolean() ? "\n" : "\r\n");
        }
        Path path = directory.resolve("f" + file);
        Files.writeString(path, content);
        files.put(path, content.toString());
      }
      FileSource<String> source =
          FileSource.of(LineFormat.text(), directory.toString())
              .splitSize(new MemorySize(1 + random.nextInt(6)));
      assertThat(new FileRoundTrip(random).read(source).records())
          .as("seed %d, files %s", seed, files)
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }
}
