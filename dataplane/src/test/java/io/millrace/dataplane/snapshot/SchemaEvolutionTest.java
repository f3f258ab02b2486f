package io.millrace.dataplane.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.snapshot.ClassSchema.FieldSchema;
import io.millrace.dataplane.snapshot.ClassSchema.Form;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which changes of classes state survives, and what is said about the others. */
class SchemaEvolutionTest {
  private static final List<String> NUMBERS =
      List.of("byte", "short", "char", "int", "long", "float", "double", "boolean");

  /** The types that hold every value of a type, itself included. */
  private static final Map<String, Set<String>> HOLD =
      Map.of(
          "byte", Set.of("byte", "short", "int", "long"),
          "short", Set.of("short", "int", "long"),
          "char", Set.of("char"),
          "int", Set.of("int", "long"),
          "long", Set.of("long"),
          "float", Set.of("float", "double"),
          "double", Set.of("double"),
          "boolean", Set.of("boolean"));

  private static final Map<String, String> BOXED =
      Map.of(
          "byte", "java.lang.Byte",
          "short", "java.lang.Short",
          "char", "java.lang.Character",
          "int", "java.lang.Integer",
          "long", "java.lang.Long",
          "float", "java.lang.Float",
          "double", "java.lang.Double",
          "boolean", "java.lang.Boolean");

  private static ClassSchema record(String... fields) {
    return of("com.example.Item", Form.RECORD, fields);
  }

  /** Fields as {@code type name}. */
  private static ClassSchema of(String name, Form form, String... fields) {
    List<FieldSchema> all = new ArrayList<>();
    for (String field : fields) {
      int space = field.lastIndexOf(' ');
      all.add(new FieldSchema(name, field.substring(space + 1), field.substring(0, space)));
    }
    return new ClassSchema(name, form, all, List.of());
  }

  private static ClassSchema constants(String... names) {
    return new ClassSchema("com.example.Kind", Form.ENUM, List.of(), List.of(names));
  }

  @Test
  @Behaviour("H3: fields of state can be added, removed and widened; other changes are refused")
  void aNumberMayOnlyBecomeOneThatHoldsAllItsValues() {
    for (String from : NUMBERS) {
      for (String to : NUMBERS) {
        boolean holds = HOLD.get(from).contains(to);
        assertThat(record(from + " n").differences(record(to + " n"), false).isEmpty())
            .as("%s to %s", from, to)
            .isEqualTo(holds);
        String boxedFrom = BOXED.get(from);
        String boxedTo = BOXED.get(to);
        assertThat(record(boxedFrom + " n").differences(record(boxedTo + " n"), false).isEmpty())
            .as("%s to %s", boxedFrom, boxedTo)
            .isEqualTo(holds);
        assertThat(record(from + " n").differences(record(boxedTo + " n"), false))
            .as("null is no number, and a number may be null")
            .isNotEmpty();
        assertThat(record(boxedFrom + " n").differences(record(to + " n"), false)).isNotEmpty();
        assertThat(record(from + " n").differences(record(to + " n"), true).isEmpty())
            .as("%s to %s in a key", from, to)
            .isEqualTo(from.equals(to));
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          int a                 | int a                      | ''
          int a                 | int b                      | field a of type int is gone and field b of type int is new, which looks like a new name; the value would be lost
          int a                 | long b                     | field a of type int is gone and field b of type long is new, which looks like a new name; the value would be lost
          long a                | int b                      | ''
          int a                 | java.lang.String b         | ''
          int a, int b          | int b                      | ''
          int a                 | int b, int a               | ''
          int a, int b          | int b, int a               | ''
          int a                 | java.lang.String a         | field a was of type int and is of type java.lang.String
          java.util.List<int> a | java.util.List<long> a     | field a was of type java.util.List<int> and is of type java.util.List<long>
          """)
  void changesOfFields(String before, String now, String expected) {
    List<String> found = record(before.split(", ")).differences(record(now.split(", ")), false);
    assertThat(String.join("; ", found)).isEqualTo(expected);
  }

  @Test
  void nothingOfAKeyMayChange() {
    ClassSchema key = record("int a", "int b");
    assertThat(key.differences(key, true)).isEmpty();
    assertThat(key.differences(record("int b", "int a"), true)).isEmpty();
    assertThat(key.differences(record("int a"), true)).containsExactly("field b of a key is gone");
    assertThat(key.differences(record("int a", "int b", "int c"), true))
        .containsExactly("field c of a key is new");
    assertThat(key.differences(record("int a", "int c"), true))
        .containsExactly("field b of a key is gone", "field c of a key is new");
    assertThat(key.differences(record("int a", "long b"), true))
        .containsExactly("field b was of type int and is of type long");
  }

  @Test
  void constantsMayBeAddedAndMovedAndNotTakenAway() {
    ClassSchema before = constants("A", "B");
    assertThat(before.differences(constants("C", "B", "A"), false)).isEmpty();
    assertThat(before.differences(constants("B", "C"), false))
        .containsExactly("constant A is gone");
    assertThat(before.differences(constants(), true))
        .containsExactly("constant A is gone", "constant B is gone");
  }

  @Test
  void aClassStaysWhatItIs() {
    Map<Form, String> texts =
        Map.of(Form.RECORD, "a record", Form.OBJECT, "a class", Form.ENUM, "an enum");
    for (Form from : Form.values()) {
      for (Form to : Form.values()) {
        List<String> found =
            new ClassSchema("com.example.Item", from, List.of(), List.of())
                .differences(new ClassSchema("com.example.Item", to, List.of(), List.of()), false);
        assertThat(found)
            .isEqualTo(
                from == to
                    ? List.of()
                    : List.of("it was " + texts.get(from) + " and is " + texts.get(to)));
      }
    }
  }

  /** A field that moves to a superclass is another one: the bytes have it at its class. */
  @Test
  void aFieldThatMovesToASuperclassIsRefused() {
    ClassSchema before =
        new ClassSchema(
            "com.example.Sub",
            Form.OBJECT,
            List.of(new FieldSchema("com.example.Sub", "a", "int")),
            List.of());
    ClassSchema now =
        new ClassSchema(
            "com.example.Sub",
            Form.OBJECT,
            List.of(new FieldSchema("com.example.Base", "a", "int")),
            List.of());
    assertThat(before.differences(now, false)).singleElement().asString().contains("is gone");
  }

  // --- schemas of real classes

  static class Base {
    protected int inBase;
    static int neither;
    transient int nor;
  }

  static final class Derived extends Base implements Serializable {
    private static final long serialVersionUID = 1L;
    List<Map<String, long[]>> inDerived;
  }

  enum Kind {
    PLAIN,
    WITH_A_BODY {
      @Override
      public String toString() {
        return "body";
      }
    }
  }

  record Generic<T extends Comparable<T>>(T value, T[] values) {}

  private static ClassSchema schema(Class<?> type) {
    return ClassSchema.of(type.getName(), SchemaEvolutionTest.class.getClassLoader()).orElseThrow();
  }

  @Test
  void schemasHaveTheFieldsThatAreWritten() {
    assertThat(schema(Derived.class).fields())
        .extracting(FieldSchema::owner, FieldSchema::name, FieldSchema::type)
        .containsExactlyInAnyOrder(
            tuple(
                Derived.class.getName(),
                "inDerived",
                "java.util.List<java.util.Map<java.lang.String, long[]>>"),
            tuple(Base.class.getName(), "inBase", "int"));
    assertThat(schema(Derived.class).form()).isEqualTo(Form.OBJECT);
    assertThat(schema(Generic.class).form()).isEqualTo(Form.RECORD);
    assertThat(schema(Generic.class).fields())
        .extracting(FieldSchema::type)
        .containsExactly("T", "T[]");
    assertThat(schema(Kind.class).constants()).containsExactly("PLAIN", "WITH_A_BODY");
    assertThat(schema(((Object) Kind.WITH_A_BODY).getClass()).constants())
        .as("the class of a constant")
        .containsExactly("PLAIN", "WITH_A_BODY");
    ClassLoader loader = SchemaEvolutionTest.class.getClassLoader();
    for (String none :
        List.of(
            "java.lang.String",
            "javax.net.ssl.SSLContext",
            "org.apache.fory.Fory",
            "[Lcom.example.Item;",
            "com.example.Item[]",
            "com.example.NotThere",
            Serializable.class.getName(),
            Runnable.class.getName())) {
      assertThat(ClassSchema.of(none, loader)).as(none).isEmpty();
    }
  }

  @Test
  void schemasAreReadAsTheyWereWritten() {
    Random random = new Random(9);
    for (int i = 0; i < 200; i++) {
      List<ClassSchema> classes = new ArrayList<>();
      for (int c = random.nextInt(4); c > 0; c--) {
        String[] fields = new String[random.nextInt(5)];
        Arrays.setAll(fields, n -> NUMBERS.get(random.nextInt(8)) + " f\u00e4\u4e2d" + n);
        classes.add(
            random.nextInt(3) == 0
                ? constants("A", "\u00c4" + c)
                : of(
                    "com.example.C" + c, random.nextBoolean() ? Form.RECORD : Form.OBJECT, fields));
      }
      SchemaSection section = new SchemaSection(List.of("com.example.C1", "k"), classes);
      ByteArrayOutput out = new ByteArrayOutput();
      section.write(out);
      ByteArrayInput in = new ByteArrayInput(out.array(), 0, out.size());
      assertThat(SchemaSection.read(in)).isEqualTo(section);
      assertThat(in.remaining()).isZero();
    }
  }

  // --- parts of keys

  record Part(int number) {}

  record Circle(int radius) {}

  record KeyOfPart(Part part) {}

  record KeyOfParts(List<Part> parts) {}

  /** A class as it was, with a field less, in a section of keys of another class. */
  private static List<String> differences(Class<?> key, ClassSchema former) {
    SchemaSection section = new SchemaSection(List.of(key.getName()), List.of(schema(key), former));
    return section.differences(SchemaEvolutionTest.class.getClassLoader());
  }

  @Test
  void aClassInAKeyMayNotChangeWhereverItIs() {
    ClassSchema part = of(Part.class.getName(), Form.RECORD);
    assertThat(differences(KeyOfPart.class, part))
        .containsExactly(Part.class.getName() + ": field number of a key is new");
    assertThat(differences(KeyOfParts.class, part))
        .containsExactly(Part.class.getName() + ": field number of a key is new");
    assertThat(differences(Circle.class, part)).as("a class in values alone").isEmpty();
  }
}
