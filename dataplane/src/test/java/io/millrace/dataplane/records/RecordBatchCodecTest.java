package io.millrace.dataplane.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.operator.SplitAssignment;
import io.millrace.api.source.TextFileSplit;
import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordBatchCodecTest {
  private final RecordBatchCodec codec =
      new RecordBatchCodec(RecordBatchCodecTest.class.getClassLoader(), Runnable::run);

  enum Colour {
    RED,
    GREEN
  }

  record Point(int x, int y) {}

  /** A plain class without a no-argument constructor. */
  static final class Node {
    final String name;
    Node next;

    Node(String name) {
      this.name = name;
    }
  }

  record Holder(Object held) {}

  private Object[] roundTrip(Object... records) {
    ByteArrayOutput out = new ByteArrayOutput();
    codec.encode(records, 0, records.length, out);
    return codec.decode(out.array(), 0, out.size()).records();
  }

  @Test
  void carriesTheTimesOfRecords() {
    Object[] records = {"a", new Holder("b"), 3L, "d"};
    long[] times = {Long.MAX_VALUE, Long.MIN_VALUE, -5, 1_700_000_000_000L, 99};
    ByteArrayOutput out = new ByteArrayOutput();
    codec.encode(records, times, 0, 4, out);
    RecordBatchCodec.Decoded decoded = codec.decode(out.array(), 0, out.size());
    assertThat(decoded.records()).isEqualTo(records);
    assertThat(decoded.timestamps()).containsExactly(times[0], times[1], times[2], times[3]);

    out.clear();
    codec.encode(records, RecordBatchCodec.NO_TIMESTAMPS, 0, 4, out);
    assertThat(codec.decode(out.array(), 0, out.size()).timestamps()).isEmpty();
  }

  @Test
  void assignsSplitsOfTextFilesWithoutLoadingTheSerializersOfOtherClasses() {
    Object[] assignments = {
      new SplitAssignment(3, List.of()),
      new SplitAssignment(
          Integer.MAX_VALUE,
          List.of(
              new TextFileSplit("/data/漢字.txt", 0, 17, Long.MAX_VALUE),
              new TextFileSplit("hdfs://host/a b", 1L << 40, 1L << 40, (1L << 40) + 1)))
    };
    assertThat(roundTrip(assignments)).isEqualTo(assignments);
    assertThat(codec.seenClasses()).isEmpty();

    Object[] ofOthers = {new SplitAssignment(0, List.of(new Point(1, 2)))};
    assertThat(roundTrip(ofOthers)).isEqualTo(ofOthers);
    assertThat(codec.seenClasses()).contains(Point.class.getName());
  }

  @Test
  void refusesAssignmentsThatAreTruncatedOrClaimTooManySplits() {
    ByteArrayOutput out = new ByteArrayOutput();
    Object[] one = {new SplitAssignment(1, List.of(new TextFileSplit("file", 0, 5, 9)))};
    codec.encode(one, 0, 1, out);
    byte[] bytes = Arrays.copyOf(out.array(), out.size());
    for (int length = 0; length < bytes.length; length++) {
      int end = length;
      assertThatThrownBy(() -> codec.decode(bytes, 0, end)).isInstanceOf(MillraceException.class);
    }
    // The encoding, one record, its tag and its reader come before the number of splits.
    byte[] many = bytes.clone();
    assertThat(many[7]).isEqualTo((byte) 1);
    many[7] = 0x7f;
    assertThatThrownBy(() -> codec.decode(many, 0, many.length))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("claims 127 splits");
    byte[] unnamed = bytes.clone();
    unnamed[8] = 0;
    assertThatThrownBy(() -> codec.decode(unnamed, 0, unnamed.length))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("no name of a file");
  }

  @Test
  void carriesPlainValues() {
    Object[] plain = {
      "",
      "latin é",
      "mixed 漢字 \ud83d\ude00",
      "lone \ud83d",
      1,
      -1,
      Integer.MIN_VALUE,
      Long.MAX_VALUE,
      1.5,
      Double.NaN,
      2.5f,
      (short) -3,
      (byte) -4,
      'x',
      '漢',
      true,
      false,
      null
    };
    assertThat(roundTrip(plain)).containsExactly(plain);
    assertThat(roundTrip()).isEmpty();
  }

  @Test
  void carriesLongTexts() {
    String text = "0123456789".repeat(100_000);
    assertThat(roundTrip(text, "x", text)).containsExactly(text, "x", text);
  }

  @Test
  void carriesTheProgramsOwnTypesAndCommonOnesOfTheJdk() {
    Object[] records = {
      new Point(1, 2),
      "beside",
      Colour.GREEN,
      List.of(1, 2, 3),
      new ArrayList<>(List.of("a", "b")),
      Map.of("k", new Point(3, 4)),
      Arrays.asList("x", null),
      Optional.of(5),
      Instant.ofEpochSecond(12, 34),
      LocalDate.of(2024, 2, 29),
      new BigDecimal("1.50"),
      new UUID(1, 2)
    };
    assertThat(roundTrip(records)).containsExactly(records);
  }

  @Test
  void carriesEnumsOfTheJdkByName() {
    Object[] records = {
      TimeUnit.SECONDS,
      new Holder(StandardOpenOption.APPEND),
      RoundingMode.UP,
      new TimeUnit[] {TimeUnit.DAYS},
      Map.of(Thread.State.BLOCKED, new Deadline(3, TimeUnit.HOURS))
    };
    assertThat(roundTrip(records)).isEqualTo(records);
  }

  record Deadline(long amount, TimeUnit unit) {}

  @Test
  void adviceAboutEnumsOfTheEngineCanBeFollowed() {
    RecordBatchCodec foreign =
        new RecordBatchCodec(
            new ClassLoader(RecordBatchCodecTest.class.getClassLoader()) {}, Runnable::run);
    Object[] records = {List.of(ErrorKind.USER)};
    assertThatThrownBy(() -> foreign.encode(records, 0, 1, new ByteArrayOutput()))
        .hasMessageContaining("[0] is a io.millrace.core.error.ErrorKind")
        .hasMessageContaining("store the name of the constant")
        .hasMessageNotContaining("registerSerializer");
  }

  @Test
  void carriesCyclesAndSharedObjects() {
    Node first = new Node("first");
    first.next = new Node("second");
    first.next.next = first;
    Object[] read = roundTrip(first, first);
    Node node = (Node) read[0];
    assertThat(node.name).isEqualTo("first");
    assertThat(node.next.next).isSameAs(node);
    assertThat(read[1]).isSameAs(node);
  }

  @Test
  void refusesEngineAndDangerousClasses() {
    for (Object forbidden :
        List.of(
            new ProcessBuilder("true"),
            new Thread(),
            io.millrace.dataplane.DataPlaneSettings.inProcess(1))) {
      RecordBatchCodec foreign =
          new RecordBatchCodec(
              new ClassLoader(RecordBatchCodecTest.class.getClassLoader()) {}, Runnable::run);
      assertThatThrownBy(
              () -> foreign.encode(new Object[] {forbidden}, 0, 1, new ByteArrayOutput()))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContaining(forbidden.getClass().getName());
    }
  }

  /** Where the engine has a library of that name, too, it is another one. */
  @Test
  void carriesClassesOfTheJobsOwnLoaderWhateverTheirNames(@TempDir Path own) throws Exception {
    Path source = own.resolve("Tree.java");
    Files.writeString(
        source, "package com.fasterxml.jackson.own; public record Tree(String leaf) {}");
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", own.toString(), source.toString()))
        .isZero();
    ClassLoader engine = RecordBatchCodecTest.class.getClassLoader();
    try (ProgramClassLoader job =
        new ProgramClassLoader("job", List.of(own.toUri().toURL()), engine, List.of())) {
      Object tree =
          job.loadClass("com.fasterxml.jackson.own.Tree")
              .getConstructor(String.class)
              .newInstance("oak");
      RecordBatchCodec ofJob = new RecordBatchCodec(job, Runnable::run);
      ByteArrayOutput bytes = new ByteArrayOutput();
      ofJob.encode(new Object[] {tree}, 0, 1, bytes);
      assertThat(ofJob.decode(bytes.array(), 0, bytes.size()).records()).containsExactly(tree);
      assertThatThrownBy(() -> codec.decode(bytes.array(), 0, bytes.size()))
          .isInstanceOf(MillraceException.class);
    }
  }

  /** A class of the engine stays one if the program can see it. */
  @Test
  void refusesLoggersAndTheEngine() {
    ClassAllowList allowed =
        new ClassAllowList(
            new ClassLoader(RecordBatchCodecTest.class.getClassLoader()) {}, Set.of(Thread.class));
    assertThat(allowed.test("org.slf4j.helpers.NOPLogger")).isFalse();
    assertThat(allowed.test("io.millrace.dataplane.DataPlane")).isFalse();
    assertThat(allowed.test("io.millrace.graph.JobGraph")).isFalse();
    assertThat(allowed.test("java.lang.ProcessBuilder")).isFalse();
    assertThat(allowed.test("java.lang.Thread")).as("it is registered").isTrue();
    assertThat(allowed.test("org.assertj.core.api.Assertions")).isTrue();
  }

  @Test
  void stillWorksAfterARecordThatCannotBeWritten() {
    assertThatThrownBy(() -> roundTrip(new Holder(new Thread())))
        .isInstanceOf(MillraceException.class);
    assertThat(roundTrip(new Point(1, 2))).containsExactly(new Point(1, 2));
  }

  @Test
  void mutatedBytesGiveErrorsAndNothingElse() {
    Random random = new Random(5);
    ByteArrayOutput plain = new ByteArrayOutput();
    codec.encode(new Object[] {"text", 1, 2L, "漢字", 1.5}, 0, 5, plain);
    ByteArrayOutput rich = new ByteArrayOutput();
    codec.encode(new Object[] {new Point(1, 2), "x", List.of(1)}, 0, 3, rich);
    for (int i = 0; i < 5000; i++) {
      ByteArrayOutput from = i % 2 == 0 ? plain : rich;
      byte[] bytes = Arrays.copyOf(from.array(), 1 + random.nextInt(from.size()));
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        codec.decode(bytes, 0, bytes.length);
      } catch (MillraceException e) {
        assertThat(e).hasMessageNotContaining("null null");
      }
    }
    assertThat(roundTrip(new Point(1, 2))).containsExactly(new Point(1, 2));
  }
}
