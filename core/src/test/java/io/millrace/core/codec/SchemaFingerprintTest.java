package io.millrace.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which changes of a record between two releases change the fingerprint. The records of a release
 * are compiled here, so that both releases have classes of the same names.
 */
class SchemaFingerprintTest {
  private static final String BASE =
      """
      import java.util.Optional;
      record Message(int count, Optional<String> name, Shape shape, Colour colour, Part part) {}
      sealed interface Shape permits Circle, Square {}
      record Circle(int radius) implements Shape {}
      record Square(int side) implements Shape {}
      enum Colour { RED, BLUE }
      record Part(long size) {}
      """;

  @TempDir private Path directory;

  sealed interface Shape permits Circle, Square {}

  record Circle(int radius) implements Shape {}

  record Square(int side) implements Shape {}

  sealed interface OtherShape permits OtherSquare, OtherCircle {}

  record OtherCircle(int radius) implements OtherShape {}

  record OtherSquare(int side) implements OtherShape {}

  enum Colour {
    RED
  }

  record Painted(Colour colour) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "int count, Optional<String> name -> int amount, Optional<String> name",
        "int count, Optional<String> name -> Optional<String> name, int count",
        "int count -> long count",
        "Optional<String> -> Optional<Integer>",
        "Part part -> Part part, int more",
        ", Part part -> ",
        "permits Circle, Square -> permits Square, Circle",
        "Circle(int radius) -> Circle(int diameter)",
        "Square(int side) -> Square(short side)",
        "Part(long size) -> Part(int size)",
      })
  void changeOfTheFormatIsAnotherFingerprint(String change) throws Exception {
    String[] fromAndTo = change.split(" -> ?", 2);
    String changed = BASE.replace(fromAndTo[0], fromAndTo[1]);
    assertThat(changed).isNotEqualTo(BASE);

    assertThat(fingerprint("after", changed)).isNotEqualTo(fingerprint("before", BASE));
  }

  /** Constants travel by name, and methods do not travel. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "RED, BLUE -> BLUE, GREEN, RED",
        "record Part(long size) {} -> record Part(long size) { long twice() { return 2 * size; } }",
        "record Part(long size) {} -> record Part(long size) { static final int MOST = 9; }",
      })
  void otherChangesKeepTheFingerprint(String change) throws Exception {
    String[] fromAndTo = change.split(" -> ", 2);
    String changed = BASE.replace(fromAndTo[0], fromAndTo[1]);
    assertThat(changed).isNotEqualTo(BASE);

    assertThat(fingerprint("after", changed)).isEqualTo(fingerprint("before", BASE));
  }

  @Test
  void orderAndSizeOfTheTableCount() {
    long both = RecordCodec.of(List.of(Circle.class, Square.class)).fingerprint();

    assertThat(RecordCodec.of(List.of(Circle.class, Square.class)).fingerprint()).isEqualTo(both);
    assertThat(RecordCodec.of(List.of(Square.class, Circle.class)).fingerprint())
        .isNotEqualTo(both);
    assertThat(RecordCodec.of(List.of(Circle.class)).fingerprint()).isNotEqualTo(both);
  }

  /** Why the order of permitted types counts: bytes name a type by its position. */
  @Test
  void recordsOfASealedTypeAreReadByTheirPosition() {
    record Holder(Shape shape) {}
    record OtherHolder(OtherShape shape) {}
    RecordCodec before = RecordCodec.of(List.of(Holder.class));
    RecordCodec after = RecordCodec.of(List.of(OtherHolder.class));

    OtherHolder read = (OtherHolder) after.decode(before.encode(new Holder(new Circle(7))));

    assertThat(read.shape()).isEqualTo(new OtherSquare(7));
  }

  @Test
  void constantIsWrittenByItsName() {
    RecordCodec codec = RecordCodec.of(List.of(Painted.class));

    byte[] bytes = codec.encode(new Painted(Colour.RED));

    assertThat(new String(bytes, StandardCharsets.US_ASCII)).endsWith("RED");
    assertThat(codec.decode(bytes)).isEqualTo(new Painted(Colour.RED));
  }

  private long fingerprint(String release, String source) throws Exception {
    Path classes = Files.createDirectories(directory.resolve(release));
    Path file = Files.writeString(classes.resolve("Message.java"), source);
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-d", classes.toString(), file.toString());
    assertThat(failed).isZero();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, null)) {
      Class<? extends Record> message = loader.loadClass("Message").asSubclass(Record.class);
      return RecordCodec.of(List.of(message)).fingerprint();
    }
  }
}
