package io.millrace.format.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.connector.files.Compression;
import io.millrace.connector.files.FileRoundTrip;
import io.millrace.connector.files.FileSink;
import io.millrace.connector.files.FileSource;
import io.millrace.core.MemorySize;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.format.avro.AvroType;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of Parquet through source and sink, and files that are cut or damaged. */
class ParquetFilesTest {
  @TempDir Path directory;

  enum Kind {
    A,
    B
  }

  record Inner(String name, List<Integer> numbers) {}

  record Row(
      boolean flag,
      byte tiny,
      int number,
      long large,
      float single,
      double real,
      Long boxed,
      String text,
      Kind kind,
      BigDecimal decimal,
      Instant instant,
      LocalDate date,
      Optional<String> optional,
      List<Long> numbers,
      List<Inner> list,
      Map<String, Inner> map,
      Inner inner) {}

  record Narrow(long large, String text) {}

  record Wide(long large, String text, String added, Optional<Integer> other) {}

  private static long seed(int trial) {
    return Long.getLong("seed", System.nanoTime() + trial);
  }

  private static String text(Random random) {
    return Integer.toString(random.nextInt(), 36) + (random.nextBoolean() ? "ä" : "");
  }

  private static Inner inner(Random random) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      numbers.add(random.nextInt());
    }
    return new Inner(random.nextBoolean() ? null : text(random), numbers);
  }

  private static Row row(Random random) {
    Map<String, Inner> map = new LinkedHashMap<>();
    List<Inner> list = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      map.put(text(random), inner(random));
      list.add(inner(random));
    }
    return new Row(
        random.nextBoolean(),
        (byte) random.nextInt(),
        random.nextInt(),
        random.nextLong(),
        random.nextFloat(),
        random.nextDouble(),
        random.nextBoolean() ? null : random.nextLong(),
        random.nextBoolean() ? null : text(random),
        random.nextBoolean() ? null : Kind.values()[random.nextInt(2)],
        random.nextBoolean() ? null : BigDecimal.valueOf(random.nextLong(), 3),
        Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000) * 1000L),
        random.nextBoolean() ? null : LocalDate.ofEpochDay(random.nextInt(100_000)),
        random.nextBoolean() ? Optional.empty() : Optional.of(text(random)),
        random.nextBoolean() ? null : List.of(1L, random.nextLong()),
        list,
        random.nextBoolean() ? null : map,
        random.nextBoolean() ? null : inner(random));
  }

  private static List<Row> rows(Random random, int count) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(row(random));
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(strings = {"uncompressed", "snappy", "gzip", "zstd"})
  @Behaviour("H1: files are written and read exactly once over failures and changes of parallelism")
  void recordsThroughSinkAndSource(String codec) throws Exception {
    long seed = seed(0);
    Random random = new Random(seed);
    List<Row> rows = rows(random, 1 + random.nextInt(300));
    Path out = directory.resolve("out");
    ParquetFiles<Row> format = ParquetFiles.of(Row.class).codec(codec);
    FileRoundTrip roundTrip = new FileRoundTrip(random);
    roundTrip.write(
        FileSink.to(out.toString(), format)
            .partNames("part", ".parquet")
            .bucketBy((row, time) -> "flag=" + row.flag()),
        rows);
    FileSource<Row> source =
        FileSource.of(format, out.toString()).splitSize(new MemorySize(500 + random.nextInt(4000)));
    assertThat(roundTrip.read(source).records())
        .as("seed %d", seed)
        .containsExactlyInAnyOrderElementsOf(rows);
  }

  /** One file with many row groups. */
  private <T> Path file(ParquetFiles<T> format, List<T> rows) throws Exception {
    Path file = directory.resolve("file-" + System.nanoTime() + ".parquet");
    try (java.io.OutputStream out = Files.newOutputStream(file)) {
      io.millrace.connector.files.FileRecordWriter<T> writer = format.start(out);
      for (T row : rows) {
        writer.write(row);
      }
      writer.finish();
    }
    return file;
  }

  @Test
  @Behaviour("H1: files are written and read exactly once over failures and changes of parallelism")
  void splitsOfAnySizeHaveEachRowOnce() throws Exception {
    for (int trial = 0; trial < 3; trial++) {
      long seed = seed(trial);
      Random random = new Random(seed);
      List<Narrow> rows = new ArrayList<>();
      for (long i = 0; i < 3000; i++) {
        rows.add(new Narrow(i, text(random).repeat(5)));
      }
      ParquetFiles<Narrow> format =
          ParquetFiles.of(Narrow.class).rowGroupSize(new MemorySize(8192));
      Path file = file(format, rows);
      FileSource<Narrow> source =
          FileSource.of(format, file.toString())
              .splitSize(new MemorySize(1000 + random.nextInt(20_000)));
      assertThat(new FileRoundTrip(random).read(source).records())
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(rows);
    }
  }

  @Test
  void columnsThatAFileDoesNotHaveAreNullAndOthersAreLeftOut() throws Exception {
    Path narrow = file(ParquetFiles.of(Narrow.class), List.of(new Narrow(7, "x")));
    assertThat(
            FileRoundTrip.readOnce(FileSource.of(ParquetFiles.of(Wide.class), narrow.toString()), 1)
                .records())
        .containsExactly(new Wide(7, "x", null, Optional.empty()));
    Path wide = file(ParquetFiles.of(Wide.class), List.of(new Wide(8, "y", "z", Optional.of(1))));
    assertThat(
            FileRoundTrip.readOnce(FileSource.of(ParquetFiles.of(Narrow.class), wide.toString()), 1)
                .records())
        .containsExactly(new Narrow(8, "y"));
  }

  @Test
  void genericRecords() throws Exception {
    var schema = AvroType.of(Narrow.class).schema();
    GenericRecord record =
        new GenericRecordBuilder(schema).set("large", 5L).set("text", "t").build();
    Path file = file(ParquetFiles.generic(schema), List.of(record));
    assertThat(
            FileRoundTrip.readOnce(FileSource.of(ParquetFiles.generic(schema), file.toString()), 1)
                .records())
        .singleElement()
        .satisfies(
            read -> {
              assertThat(read.get("large")).isEqualTo(5L);
              assertThat(read.get("text")).hasToString("t");
            });
  }

  @Test
  @Behaviour("H1: a file that is cut short fails the task with its name, and nothing is lost")
  void everyCutIsNoticed() throws Exception {
    Path whole =
        file(
            ParquetFiles.of(Narrow.class),
            List.of(new Narrow(1, "a"), new Narrow(2, "b"), new Narrow(3, "c")));
    byte[] bytes = Files.readAllBytes(whole);
    Path cut = directory.resolve("cut.parquet");
    FileSource<Narrow> source = FileSource.of(ParquetFiles.of(Narrow.class), cut.toString());
    for (int length = 0; length < bytes.length; length++) {
      Files.write(cut, Arrays.copyOf(bytes, length));
      assertThatThrownBy(() -> FileRoundTrip.readOnce(source, 1))
          .as("length %d", length)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("File '" + cut + "' cannot be read");
    }
    Files.write(cut, bytes);
    assertThat(FileRoundTrip.readOnce(source, 1).records()).hasSize(3);
  }

  @Test
  void damagedFilesAreNamed() throws Exception {
    Random random = new Random(12);
    for (String codec : List.of("snappy", "zstd", "gzip", "uncompressed")) {
      damage(Files.readAllBytes(file(ParquetFiles.of(Row.class).codec(codec), rows(random, 20))));
    }
  }

  private void damage(byte[] bytes) throws Exception {
    Random random = new Random(13);
    Path damaged = directory.resolve("damaged.parquet");
    FileSource<Row> source = FileSource.of(ParquetFiles.of(Row.class), damaged.toString());
    int noticed = 0;
    for (int trial = 0; trial < 200; trial++) {
      byte[] changed = bytes.clone();
      changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(damaged, changed);
      try {
        FileRoundTrip.readOnce(source, 1);
      } catch (MillraceException e) {
        noticed++;
        assertThat(e).hasMessageContaining(damaged.toString());
      }
    }
    assertThat(noticed).isGreaterThan(20);
  }

  @Test
  void refusals() throws Exception {
    FileSink<Row> sink = FileSink.to(directory.toString(), ParquetFiles.of(Row.class));
    assertThatThrownBy(() -> sink.compression(Compression.GZIP))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("compress their own content");
    assertThatThrownBy(() -> ParquetFiles.of(Row.class).codec("rar"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("'rar'");
    record Chain(int value, List<Chain> next) {}
    assertThatThrownBy(() -> ParquetFiles.of(Chain.class))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Parquet has no columns for");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }
}
