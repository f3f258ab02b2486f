package io.millrace.dataplane.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said of a record that cannot be sent. */
class UnserializableValueFinderTest {
  private final RecordBatchCodec codec =
      new RecordBatchCodec(UnserializableValueFinderTest.class.getClassLoader(), Runnable::run);

  record Customer(String name, Object contact) {}

  record Order(long id, Customer customer, List<Object> lines, Map<String, Object> notes) {}

  static class Base {
    Object inherited;
  }

  static final class Derived extends Base {
    transient Object forgotten = new Thread();
    Derived self = this;
  }

  record Row(Row next) {}

  private static Order order(Object contact, List<Object> lines, Map<String, Object> notes) {
    return new Order(1, new Customer("c", contact), lines, notes);
  }

  private void assertNames(Object record, String path, String type) {
    assertThatThrownBy(
            () -> codec.encode(new Object[] {"first", record}, 0, 2, new ByteArrayOutput()))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining(path + " is a " + type + ",")
        .hasMessageContaining("transient");
  }

  @Test
  @Behaviour(
      "H2: a record that cannot be serialised is refused with the path to its field; bytes never"
          + " create other classes")
  void namesTheWayToTheField() {
    assertNames(
        order(new Thread(), List.of(), Map.of()), "Order.customer.contact", "java.lang.Thread");
    assertNames(
        order(
            "x",
            Arrays.asList(1, null, new Customer("d", new Object[] {1, Runtime.getRuntime()})),
            Map.of()),
        "Order.lines[2].contact[1]",
        "java.lang.Runtime");
    assertNames(
        order("x", List.of(), Map.of("lock", Optional.of(new ThreadLocal<>()))),
        "Order.notes[lock].value",
        "java.lang.ThreadLocal");
    assertNames(new Thread(), "Thread", "java.lang.Thread");
  }

  @Test
  void namesInheritedFieldsAndLambdas() {
    Derived derived = new Derived();
    Runnable lambda = () -> {};
    derived.inherited = lambda;
    assertNames(derived, "Derived.inherited", "lambda");
  }

  @Test
  void leavesTransientFieldsAlone() {
    ByteArrayOutput out = new ByteArrayOutput();
    codec.encode(new Object[] {new Derived()}, 0, 1, out);
    Derived read = (Derived) codec.decode(out.array(), 0, out.size()).records()[0];
    assertThat(read.forgotten).isNull();
    assertThat(read.self).isSameAs(read);
  }

  @Test
  void saysThatARecordIsNestedTooDeeply() {
    Row row = null;
    for (int i = 0; i < 200_000; i++) {
      row = new Row(row);
    }
    Object[] deep = {row};
    assertThatThrownBy(() -> codec.encode(deep, 0, 1, new ByteArrayOutput()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("nested too deeply");
  }
}
