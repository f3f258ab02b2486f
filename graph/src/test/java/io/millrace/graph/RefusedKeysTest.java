package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.api.function.KeySelector;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What users read when the type of a key cannot work, word by word. It is known when the graph is
 * made if the selector declares it, else with the first key.
 */
@SuppressWarnings("JavaUtilDate") // Programs have such keys.
class RefusedKeysTest {
  private static final String HERE = RefusedKeysTest.class.getName() + "$";

  static class Plain {
    int number;
  }

  @SuppressWarnings({"overrides", "EqualsHashCode"})
  static class OnlyEquals {
    @Override
    public boolean equals(Object other) {
      return other instanceof OnlyEquals;
    }
  }

  static class OnlyHashCode {
    @Override
    public int hashCode() {
      return 7;
    }
  }

  /** Has equals and hashCode, and a part that has no order. */
  static class Basket {
    private final Set<String> goods;

    Basket(Set<String> goods) {
      this.goods = goods;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Basket that && that.goods.equals(goods);
    }

    @Override
    public int hashCode() {
      return goods.hashCode();
    }
  }

  /** Equal by the fields of a class of the JDK, which cannot be read. */
  static class Numbers extends HashMap<String, Integer> {
    private static final long serialVersionUID = 1L;
  }

  static class Counter extends AtomicLong {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean equals(Object other) {
      return other instanceof Counter that && that.get() == get();
    }

    @Override
    public int hashCode() {
      return Long.hashCode(get());
    }
  }

  record Blob(String name, byte[] content) {}

  record Outer(Basket basket) {}

  record Outermost(int number, Outer outer) {}

  /** Refers to its own type, which is no reason to refuse it. */
  static class Node {
    private final String name;
    private final Node next;

    Node(String name, Node next) {
      this.name = name;
      this.next = next;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Node that
          && that.name.equals(name)
          && Objects.equals(that.next, next);
    }

    @Override
    public int hashCode() {
      return Objects.hash(name, next);
    }
  }

  interface Shape {}

  abstract static class Base {}

  private static <K> Arguments refused(KeySelector<String, K> selector, String text) {
    return arguments(selector, text);
  }

  private static final String ARRAYS =
      "two arrays of the same content are not equal. Use a List or a record instead.";
  private static final String NO_ORDER =
      "its elements have no fixed order. Use a sorted List instead.";
  private static final String NOT_EQUAL =
      ", so that two objects with the same content are different keys. Override both, or make it a"
          + " record.";

  static Stream<Arguments> selectors() {
    return Stream.of(
        refused(
            text -> new String[] {text}, "A key cannot be of type java.lang.String[]: " + ARRAYS),
        refused(text -> new int[0][0], "A key cannot be of type int[][]: " + ARRAYS),
        refused(text -> Set.of(text), "A key cannot be of type java.util.Set: " + NO_ORDER),
        refused(
            text -> new HashMap<String, String>(),
            "A key cannot be of type java.util.HashMap: " + NO_ORDER),
        refused(text -> new Numbers(), "A key cannot be of type " + HERE + "Numbers: " + NO_ORDER),
        refused(
            text -> new Plain(),
            "A key cannot be of type "
                + HERE
                + "Plain: it does not override equals and hashCode"
                + NOT_EQUAL),
        refused(
            text -> new OnlyEquals(),
            "A key cannot be of type "
                + HERE
                + "OnlyEquals: it does not override hashCode"
                + NOT_EQUAL),
        refused(
            text -> new OnlyHashCode(),
            "A key cannot be of type "
                + HERE
                + "OnlyHashCode: it does not override equals"
                + NOT_EQUAL),
        refused(
            text -> new Counter(),
            "A key cannot be of type "
                + HERE
                + "Counter: it extends java.util.concurrent.atomic.AtomicLong, whose fields are not"
                + " accessible. Use a record of its parts instead."),
        refused(
            text -> Locale.ROOT,
            "A key cannot be of type java.util.Locale: there is no encoding of this class that is"
                + " the same in every JVM. Use its toString(), or a record of its parts."),
        refused(
            text -> new Basket(Set.of()),
            "A key cannot hold a java.util.Set, as this one does in 'goods': " + NO_ORDER),
        refused(
            text -> new Outermost(1, null),
            "A key cannot hold a java.util.Set, as this one does in 'outer.basket.goods': "
                + NO_ORDER),
        refused(
            text -> new Blob(text, new byte[0]),
            "A key cannot hold a byte[], as this one does in 'content': records compare arrays by"
                + " reference, so that two with the same content are different keys. Use a List, or"
                + " a class with equals and hashCode of its own."));
  }

  @ParameterizedTest
  @MethodSource("selectors")
  void isRefusedBeforeTheJobIsSubmitted(KeySelector<String, ?> selector, String text) {
    assertThatThrownBy(() -> graphOf(selector))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessage("The keyBy before 'count' has an unsupported key. " + text);
  }

  static Stream<KeySelector<String, ?>> undecided() {
    return Stream.of(
        text -> new Node(text, null),
        text -> (Shape) null,
        text -> (Base) null,
        text -> (Object) text,
        text -> (Serializable) text,
        text -> (Path) null,
        text -> List.of(text),
        text -> Map.entry(text, 1),
        text -> Optional.of(text),
        text -> text.length(),
        text -> new Date(),
        text -> Thread.State.NEW,
        new Overloaded());
  }

  /** Two methods of the name of the selector's method, of which the compiler chooses one. */
  static final class Overloaded implements KeySelector<String, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public Object key(String text) {
      return text;
    }

    public int[] key(Integer number) {
      return new int[] {number};
    }
  }

  @ParameterizedTest
  @MethodSource("undecided")
  void isLeftToTheKeysIfTheTypeDoesNotDecide(KeySelector<String, ?> selector) {
    assertThatCode(() -> graphOf(selector)).doesNotThrowAnyException();
  }

  private static void graphOf(KeySelector<String, ?> selector) {
    Programs.jobGraph(env -> env.fromCollection(List.<String>of()).keyBy(selector).count().print());
  }

  // --- keys themselves

  static Stream<Arguments> keys() {
    Shape proxy =
        (Shape)
            Proxy.newProxyInstance(
                RefusedKeysTest.class.getClassLoader(),
                new Class<?>[] {Shape.class},
                (self, method, arguments) -> null);
    Shape lambda = (Shape & Serializable & Runnable) () -> {};
    List<Object> holder = new ArrayList<>();
    holder.add(new byte[1]);
    return Stream.of(
        arguments(
            lambda,
            "A key cannot be of type a lambda: each instance is equal only to itself. Use a value"
                + " instead."),
        arguments(
            proxy,
            "A key cannot be of type "
                + proxy.getClass().getTypeName()
                + ": each instance is equal only to itself. Use a value instead."),
        arguments(
            new Object(),
            "A key cannot be of type java.lang.Object: each instance is equal only to itself. Use a"
                + " value instead."),
        arguments(
            holder,
            "A key cannot be of type byte[]: lists, entries and optionals compare arrays by"
                + " reference, so that two with the same content are different keys. Use a List, or"
                + " a class with equals and hashCode of its own."),
        arguments(
            Map.entry("a", new byte[1]),
            "A key cannot be of type byte[]: lists, entries and optionals compare arrays by"
                + " reference, so that two with the same content are different keys. Use a List, or"
                + " a class with equals and hashCode of its own."));
  }

  @ParameterizedTest
  @MethodSource("keys")
  void keyIsRefusedWhenItComes(Object key, String text) {
    assertThatThrownBy(() -> KeyGroups.groupOf(key, 128))
        .isInstanceOf(MillraceException.class)
        .hasMessage(text);
    assertThatThrownBy(
            () -> new KeyCodec(RefusedKeysTest.class.getClassLoader()).encode(new byte[0], key))
        .isInstanceOf(MillraceException.class)
        .hasMessage(text);
  }

  @Test
  void keysOfOneClassWithAllFieldsAreAccepted() {
    Node key = new Node("a", new Node("b", null));

    assertThat(KeyGroups.groupOf(key, 128))
        .isEqualTo(KeyGroups.groupOf(new Node("a", new Node("b", null)), 128));
  }
}
