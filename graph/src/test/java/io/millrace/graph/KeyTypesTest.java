package io.millrace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.function.KeySelector;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is known of a key's type before any record has come. */
class KeyTypesTest {
  record Order(UUID id, int[] lines, Map<String, String> tags, Plain plain, Object any) {}

  record Tagged(String name, Set<String> tags) {}

  record Wrapped(Tagged inner) {}

  static class Plain {
    int number;
  }

  static class Selecting implements KeySelector<Order, int[]> {
    private static final long serialVersionUID = 1L;

    @Override
    public int[] key(Order order) {
      return order.lines();
    }
  }

  @Test
  @Behaviour(
      "H1: key groups are the same in each JVM, and a key without a canonical form is refused")
  void aKeyThatCannotWorkIsRefusedBeforeTheJobIsSubmitted() {
    refused(Order::lines, "int[]", "two arrays of the same content are not equal");
    refused(order -> order.lines(), "int[]", "two arrays");
    refused(new Selecting(), "int[]", "two arrays");
    refused(Order::tags, "java.util.Map", "no fixed order");
    refused(Order::plain, "Plain", "does not override equals and hashCode");
    refused(order -> new Tagged("", Set.of()), "'tags'", "no fixed order");
    refused(order -> new Wrapped(null), "'inner.tags'", "no fixed order");
    refused(order -> new StringBuilder(), "java.lang.StringBuilder", "toString()");
  }

  @Test
  void theOperatorIsNamed() {
    assertThatThrownBy(() -> graphOf(Order::lines))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("The keyBy before 'count' has an unsupported key.");
  }

  @Test
  void typesThatOnlyKeysThemselvesTellArePassed() {
    passed(Order::any);
    passed(Order::id);
    passed(order -> (Comparable<?>) "");
    passed(order -> List.of(order.id()));
    passed(order -> new byte[1]);
    passed(order -> order.lines()[0]);
    passed(KeyTypesTest.<Object>generic());
  }

  private static <T> KeySelector<Order, T> generic() {
    return order -> null;
  }

  @Test
  void findsOutWhatASelectorReturns() {
    assertThat(KeyTypes.typeOf((KeySelector<Order, UUID>) Order::id).orElseThrow())
        .isEqualTo(UUID.class);
    assertThat(KeyTypes.typeOf(new Selecting()).orElseThrow()).isEqualTo(int[].class);
  }

  private static <K> void refused(KeySelector<Order, K> key, String type, String reason) {
    assertThatThrownBy(() -> graphOf(key))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(type)
        .hasMessageContaining(reason);
  }

  private static <K> void passed(KeySelector<Order, K> key) {
    assertThatCode(() -> graphOf(key)).doesNotThrowAnyException();
  }

  private static <K> void graphOf(KeySelector<Order, K> key) {
    Programs.jobGraph(env -> env.fromCollection(List.<Order>of()).keyBy(key).count().print());
  }
}
