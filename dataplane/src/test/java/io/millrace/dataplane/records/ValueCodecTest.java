package io.millrace.dataplane.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValueCodecTest {
  private final ClassDictionary dictionary = new ClassDictionary();
  private final ValueCodec codec = codec(ValueCodecTest.class.getClassLoader(), dictionary);

  @TempDir Path directory;

  record Sum(String key, long count) {}

  record Pair(Sum left, Sum right) {}

  /** Refers to other objects, perhaps to itself. */
  static final class Node {
    String name;
    Object next;
    final List<Integer> numbers = new ArrayList<>();
  }

  private static ValueCodec codec(ClassLoader classes, ClassDictionary dictionary) {
    return new RecordBatchCodec(classes, Runnable::run, Map.of(), true).values(dictionary);
  }

  private static byte[] encoded(ValueCodec with, Object value) {
    ByteArrayOutput out = new ByteArrayOutput();
    with.encode(value, out);
    return out.toArray();
  }

  private static Object decoded(ValueCodec with, byte[] bytes) {
    return with.decode(bytes, 0, bytes.length);
  }

  @Test
  void plainValuesTakeTheirContentAndATag() {
    for (Object value :
        Arrays.asList(
            1L, 2, "text", "漢字", 1.5, 2.5f, true, false, (short) 3, (byte) 4, 'x', null)) {
      assertThat(decoded(codec, encoded(codec, value))).isEqualTo(value);
    }
    assertThat(encoded(codec, 1L)).hasSize(9);
    assertThat(encoded(codec, "text")).hasSize(6);
    byte[] bytes = {1, 2, 3};
    assertThat(encoded(codec, bytes)).hasSize(4);
    assertThat(decoded(codec, encoded(codec, bytes))).isEqualTo(bytes);
    assertThat(dictionary.sections()).isEmpty();
  }

  @Test
  void objectsDoNotDescribeTheirClasses() {
    byte[] first = encoded(codec, new Sum("a", 1));
    byte[] second = encoded(codec, new Sum("b", 2));
    assertThat(first).hasSameSizeAs(second).hasSizeLessThan(16);
    // A new class, after values that do not have it.
    byte[] pair = encoded(codec, new Pair(new Sum("c", 3), null));
    assertThat(dictionary.sections()).hasSize(1);
    // Another codec reads them in any order.
    ValueCodec reader =
        codec(ValueCodecTest.class.getClassLoader(), new ClassDictionary(dictionary.sections()));
    assertThat(decoded(reader, second)).isEqualTo(new Sum("b", 2));
    assertThat(decoded(reader, pair)).isEqualTo(new Pair(new Sum("c", 3), null));
    assertThat(decoded(reader, first)).isEqualTo(new Sum("a", 1));
    assertThat(decoded(codec, first)).isEqualTo(new Sum("a", 1));
  }

  @Test
  void keepsReferences() {
    Node node = new Node();
    node.name = "n";
    node.next = node;
    node.numbers.addAll(List.of(1, 2));
    byte[] bytes = encoded(codec, node);
    byte[] sum = encoded(codec, new Sum("a", 1));
    ValueCodec reader =
        codec(ValueCodecTest.class.getClassLoader(), new ClassDictionary(dictionary.sections()));
    Node read = (Node) decoded(reader, bytes);
    assertThat(read.next).isSameAs(read);
    assertThat(read.numbers).containsExactly(1, 2);
    assertThat(decoded(reader, sum)).isEqualTo(new Sum("a", 1));
  }

  @Test
  void aRestartContinuesTheSectionsOfTheDictionary() {
    List<byte[]> values = new ArrayList<>();
    ClassDictionary current = dictionary;
    for (int restart = 0; restart < 3; restart++) {
      ValueCodec next = codec(ValueCodecTest.class.getClassLoader(), current);
      values.forEach(bytes -> assertThat(decoded(next, bytes)).isInstanceOf(Sum.class));
      values.add(encoded(next, new Sum("key", restart)));
      assertThat(current.sections()).hasSize(1);
      current = new ClassDictionary(current.sections());
    }
  }

  @Test
  void aValueThatCannotBeEncodedLeavesNoTrace() {
    Node broken = new Node();
    broken.next = new Thread();
    assertThatThrownBy(() -> encoded(codec, broken))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("java.lang.Thread");
    Node node = new Node();
    node.next = new Sum("a", 1);
    byte[] bytes = encoded(codec, node);
    ValueCodec reader =
        codec(ValueCodecTest.class.getClassLoader(), new ClassDictionary(dictionary.sections()));
    assertThat(((Node) decoded(reader, bytes)).next).isEqualTo(new Sum("a", 1));
    assertThat(((Node) decoded(codec, bytes)).next).isEqualTo(new Sum("a", 1));
  }

  private Class<?> compile(String version, String source) throws Exception {
    Path to = Files.createDirectories(directory.resolve(version));
    Path file = Files.writeString(to.resolve("Item.java"), source);
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", to.toString(), file.toString()))
        .isZero();
    return new ProgramClassLoader(
            "job", List.of(to.toUri().toURL()), ValueCodecTest.class.getClassLoader(), List.of())
        .loadClass("Item");
  }

  @Test
  void aLaterVersionOfAClassReadsWhatAnEarlierOneWrote() throws Exception {
    Class<?> before = compile("1", "public record Item(String name, int count) {}");
    Class<?> after =
        compile("2", "public record Item(long more, int count, String name, String note) {}");
    byte[] old =
        encoded(
            codec(before.getClassLoader(), dictionary),
            before.getConstructors()[0].newInstance("a", 7));
    ValueCodec later = codec(after.getClassLoader(), new ClassDictionary(dictionary.sections()));
    assertThat(decoded(later, old)).hasToString("Item[more=0, count=7, name=a, note=null]");
    byte[] fresh = encoded(later, after.getConstructors()[0].newInstance(1L, 2, "b", "c"));
    assertThat(decoded(later, fresh)).hasToString("Item[more=1, count=2, name=b, note=c]");
    assertThat(decoded(later, old)).hasToString("Item[more=0, count=7, name=a, note=null]");
  }
}
