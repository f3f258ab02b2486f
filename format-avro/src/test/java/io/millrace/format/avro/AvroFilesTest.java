package io.millrace.format.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.connector.files.Compression;
import io.millrace.connector.files.FileRoundTrip;
import io.millrace.connector.files.FileSink;
import io.millrace.connector.files.FileSource;
import io.millrace.core.MemorySize;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.file.SeekableByteArrayInput;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Container files through source and sink, and files that are cut or damaged. */
class AvroFilesTest {
  @TempDir Path directory;

  private static long seed(int trial) {
    return Long.getLong("seed", System.nanoTime() + trial);
  }

  private static List<Sample> samples(Random random, int count) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      samples.add(Sample.random(random));
    }
    return samples;
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "deflate", "snappy", "zstandard"})
  @Behaviour("H1: files are written and read exactly once over failures and changes of parallelism")
  void recordsThroughSinkAndSource(String codec) throws Exception {
    for (int trial = 0; trial < 2; trial++) {
      long seed = seed(trial);
      Random random = new Random(seed);
      List<Sample> samples = samples(random, 1 + random.nextInt(300));
      Path out = directory.resolve("out-" + trial);
      AvroFiles<Sample> format = AvroFiles.of(Sample.class).codec(codec);
      FileRoundTrip roundTrip = new FileRoundTrip(random);
      roundTrip.write(
          FileSink.to(out.toString(), format)
              .partNames("part", ".avro")
              .bucketBy((sample, time) -> "flag=" + sample.flag())
              .rollAt(MemorySize.ofMebi(1)),
          samples);
      FileSource<Sample> source =
          FileSource.of(format, out.toString())
              .splitSize(new MemorySize(500 + random.nextInt(4000)));
      assertThat(roundTrip.read(source).records())
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(samples);
    }
  }

  /** Many small blocks, written by Avro itself. */
  private Path foreign(List<Long> numbers, Random random) throws Exception {
    Path file = directory.resolve("foreign-" + random.nextLong() + ".avro");
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(Payment.SCHEMA$))) {
      writer.create(Payment.SCHEMA$, file.toFile());
      for (long number : numbers) {
        writer.append(
            new GenericRecordBuilder(Payment.SCHEMA$)
                .set("payer", "p" + number)
                .set("cents", number)
                .build());
        if (random.nextInt(5) == 0) {
          writer.sync();
        }
      }
    }
    return file;
  }

  private static List<Long> numbers(int count) {
    List<Long> numbers = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      numbers.add(i);
    }
    return numbers;
  }

  private static List<Long> cents(List<GenericRecord> records) {
    return records.stream().map(record -> (Long) record.get("cents")).toList();
  }

  @Test
  @Behaviour("H1: files are written and read exactly once over failures and changes of parallelism")
  void splitsOfAnySizeHaveEachRecordOnce() throws Exception {
    for (int trial = 0; trial < 40; trial++) {
      long seed = seed(trial);
      Random random = new Random(seed);
      List<Long> numbers = numbers(random.nextInt(200));
      Path file = foreign(numbers, random);
      FileSource<GenericRecord> source =
          FileSource.of(AvroFiles.generic(Payment.SCHEMA$), file.toString())
              .splitSize(new MemorySize(1 + random.nextInt(300)));
      assertThat(cents(new FileRoundTrip(random).read(source).records()))
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(numbers);
    }
  }

  @Test
  void otherProgramsReadWhatTheSinkWrites() throws Exception {
    Path out = directory.resolve("out");
    new FileRoundTrip(new Random(3))
        .write(
            FileSink.to(out.toString(), AvroFiles.of(Payment.class)),
            List.of(new Payment("a", 1), new Payment("b", 2)));
    List<Long> read = new ArrayList<>();
    for (File file : out.toFile().listFiles(File::isFile)) {
      try (DataFileReader<GenericRecord> reader =
          new DataFileReader<>(file, new GenericDatumReader<>())) {
        reader.forEach(record -> read.add((Long) record.get("cents")));
      }
    }
    assertThat(read).containsExactlyInAnyOrder(1L, 2L);
  }

  @Test
  @Behaviour("H1: a file that is cut short fails the task with its name, and nothing is lost")
  void everyCutIsNoticedUnlessItIsBetweenBlocks() throws Exception {
    Random random = new Random(11);
    List<Long> numbers = numbers(60);
    Path whole = foreign(numbers, random);
    byte[] bytes = Files.readAllBytes(whole);
    Path cut = directory.resolve("cut.avro");
    FileSource<GenericRecord> source =
        FileSource.of(AvroFiles.generic(Payment.SCHEMA$), cut.toString())
            .splitSize(new MemorySize(100));
    int unnoticed = 0;
    for (int length = 1; length < bytes.length; length++) {
      Files.write(cut, Arrays.copyOf(bytes, length));
      try {
        List<Long> read = cents(FileRoundTrip.readOnce(source, 1).records());
        assertThat(read).as("length %d", length).isEqualTo(numbers.subList(0, read.size()));
        unnoticed++;
      } catch (MillraceException e) {
        assertThat(e).hasMessageContaining("File '" + cut + "' cannot be read");
      }
    }
    // One per block: Avro's files do not say where they end.
    assertThat(unnoticed).isBetween(1, 30);
  }

  @Test
  void damagedFilesAreNamed() throws Exception {
    Random random = new Random(12);
    byte[] bytes = Files.readAllBytes(foreign(numbers(100), random));
    Path damaged = directory.resolve("damaged.avro");
    FileSource<GenericRecord> source =
        FileSource.of(AvroFiles.generic(Payment.SCHEMA$), damaged.toString());
    int noticed = 0;
    for (int trial = 0; trial < 300; trial++) {
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
    assertThat(noticed).isGreaterThan(50);
    Files.writeString(damaged, "no avro at all");
    assertThatThrownBy(() -> FileRoundTrip.readOnce(source, 1))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(damaged.toString());
  }

  @Test
  void aBlockThatClaimsMoreThanTheFileHasIsRefusedBeforeItIsRead() throws Exception {
    byte[] bytes = Files.readAllBytes(foreign(numbers(3), new Random(1)));
    DataFileReader<GenericRecord> reader =
        new DataFileReader<>(new SeekableByteArrayInput(bytes), new GenericDatumReader<>());
    int block = (int) reader.previousSync();
    // One record, and the size of the block as a varint.
    for (int[] size : new int[][] {{0xfe, 0xff, 0xff, 0xff, 0x0f}, {0x80, 0x80, 0x01}, {0x01}}) {
      ByteArrayOutputStream changed = new ByteArrayOutputStream();
      changed.write(bytes, 0, block);
      changed.write(2);
      for (int each : size) {
        changed.write(each);
      }
      changed.write(bytes, block + 2, bytes.length - block - 2);
      Path damaged = directory.resolve("damaged-" + size.length + ".avro");
      Files.write(damaged, changed.toByteArray());
      FileSource<GenericRecord> source =
          FileSource.of(AvroFiles.generic(Payment.SCHEMA$), damaged.toString());
      assertThatThrownBy(() -> FileRoundTrip.readOnce(source, 1))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining(damaged.toString())
          .hasMessageContaining("The block at byte " + block + " has ")
          .hasMessageContaining("by its own account");
    }
  }

  @Test
  void blocksLargerThanWhatAvroReadsAheadAreRead() throws Exception {
    Random random = new Random(5);
    Path file = directory.resolve("large.avro");
    List<Long> numbers = numbers(300);
    try (DataFileWriter<GenericRecord> writer =
        new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(Payment.SCHEMA$))) {
      writer.create(Payment.SCHEMA$, file.toFile());
      for (long number : numbers) {
        writer.append(
            new GenericRecordBuilder(Payment.SCHEMA$)
                .set("payer", "p".repeat(1 + random.nextInt(number % 20 == 0 ? 60_000 : 3_000)))
                .set("cents", number)
                .build());
        if (random.nextInt(5) == 0) {
          writer.sync();
        }
      }
    }
    for (int size : List.of(2_000, 9_000, 40_000, 10_000_000)) {
      FileSource<GenericRecord> source =
          FileSource.of(AvroFiles.generic(Payment.SCHEMA$), file.toString())
              .splitSize(new MemorySize(size));
      assertThat(cents(new FileRoundTrip(random).read(source).records()))
          .containsExactlyInAnyOrderElementsOf(numbers);
    }
  }

  @Test
  void filesAreNotCompressedTwice() {
    FileSink<Sample> sink = FileSink.to(directory.toString(), AvroFiles.of(Sample.class));
    assertThatThrownBy(() -> sink.compression(Compression.GZIP))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("compress their own content");
    assertThatThrownBy(() -> AvroFiles.of(Sample.class).codec("rot13"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("rot13");
  }
}
