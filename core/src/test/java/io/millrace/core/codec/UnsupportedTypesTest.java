package io.millrace.core.codec;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.codec.Samples.Point;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class UnsupportedTypesTest {
  record AnObject(Object bar) {}

  record Inside(List<Map<String, Object>> bar) {}

  record Nested(int number, Optional<AnObject> inner) {}

  record Letter(char bar) {}

  record Texts(String[] bar) {}

  record GenericArray(List<String>[] bar) {}

  @SuppressWarnings("rawtypes") // the rejected type
  record Raw(List bar) {}

  record Wide(Collection<String> bar) {}

  record Unbound<T>(T bar) {}

  record Comparing<T extends Comparable<T>>(T bar) {}

  record Lower(List<? super Point> bar) {}

  record Opened(Gate bar) {}

  sealed interface Gate permits Ajar, Wicket {}

  record Ajar(int degrees) implements Gate {}

  non-sealed interface Wicket extends Gate {}

  record Growing<T>(Optional<Growing<List<T>>> bar) {}

  record Grown(Growing<String> growing) {}

  record Plain(Serializable bar) {}

  @Test
  void errorNamesTheUnsupportedComponent() {
    assertRefused(AnObject.class, "AnObject.bar: java.lang.Object");
    assertRefused(Inside.class, "Inside.bar: java.lang.Object");
    assertRefused(Nested.class, "AnObject.bar: java.lang.Object");
    assertRefused(Letter.class, "Letter.bar: char");
    assertRefused(Texts.class, "Texts.bar: java.lang.String[]");
    assertRefused(GenericArray.class, "GenericArray.bar: java.util.List[]");
    assertRefused(Raw.class, "Raw.bar: java.util.List has no type argument");
    assertRefused(Wide.class, "Wide.bar: java.util.Collection<java.lang.String>");
    assertRefused(Unbound.class, "Unbound.bar: java.lang.Object");
    assertRefused(Comparing.class, "Comparing.bar: java.lang.Comparable");
    assertRefused(Lower.class, "Lower.bar: java.lang.Object");
    assertRefused(Plain.class, "Plain.bar: java.io.Serializable");
  }

  @Test
  void errorNamesNonSealedSubtype() {
    assertRefused(Opened.class, "Opened.bar: " + Wicket.class.getTypeName());
  }

  @Test
  void infinitelyNestedTypeIsRejected() {
    assertRefused(Grown.class, "Growing.bar: ");
  }

  @Test
  void withoutCheckAllTheTypeIsRejectedOnFirstUse() {
    RecordCodec codec = RecordCodec.of(List.of(AnObject.class, Point.class));
    codec.decode(codec.encode(new Point(1, 2)));
    assertThatThrownBy(() -> codec.encode(new AnObject("text")))
        .hasMessageContaining("AnObject.bar: java.lang.Object");
  }

  private static void assertRefused(Class<? extends Record> message, String expected) {
    RecordCodec codec = RecordCodec.of(List.of(message));
    assertThatThrownBy(codec::checkAll)
        .hasMessageContaining(expected)
        .asInstanceOf(InstanceOfAssertFactories.type(MillraceException.class))
        .extracting(MillraceException::kind)
        .isEqualTo(ErrorKind.BUG);
  }
}
