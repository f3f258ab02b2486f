package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.id.BlobKey;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every record that travels, however deep inside a message it sits. */
class RecordsTest {

  static Stream<Class<?>> records() {
    Set<Class<?>> found = new LinkedHashSet<>();
    Deque<Type> open = new ArrayDeque<>(Messages.table());
    while (!open.isEmpty()) {
      Type next = open.remove();
      if (next instanceof ParameterizedType generic) {
        open.addAll(Arrays.asList(generic.getActualTypeArguments()));
      } else if (next instanceof Class<?> type && type.isSealed()) {
        open.addAll(Arrays.asList(type.getPermittedSubclasses()));
      } else if (next instanceof Class<?> type && type.isRecord() && found.add(type)) {
        for (RecordComponent part : type.getRecordComponents()) {
          open.add(part.getGenericType());
        }
      }
    }
    // Made from a hash, which no sample text is.
    found.remove(BlobKey.class);
    return found.stream();
  }

  @ParameterizedTest
  @MethodSource("records")
  void refusesNulls(Class<?> type) throws Exception {
    RecordComponent[] parts = type.getRecordComponents();
    for (int i = 0; i < parts.length; i++) {
      if (!parts[i].getType().isPrimitive()) {
        Object[] values = Samples.samples(type);
        values[i] = null;
        assertThatNullPointerException()
            .as("%s.%s", type.getSimpleName(), parts[i].getName())
            .isThrownBy(() -> Samples.make(type, values));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void refusesNullElements(Class<?> type) throws Exception {
    RecordComponent[] parts = type.getRecordComponents();
    for (int i = 0; i < parts.length; i++) {
      if (Collection.class.isAssignableFrom(parts[i].getType())) {
        Object[] values = Samples.samples(type);
        values[i] = Collections.singletonList(null);
        assertThatNullPointerException()
            .as("%s.%s", type.getSimpleName(), parts[i].getName())
            .isThrownBy(() -> Samples.make(type, values));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void keepsCopiesThatNobodyCanChange(Class<?> type) throws Exception {
    RecordComponent[] parts = type.getRecordComponents();
    Object[] values = Samples.samples(type);
    Object made = Samples.make(type, values);
    for (int i = 0; i < parts.length; i++) {
      Object kept = read(parts[i], made);
      if (values[i] instanceof Collection<?> given) {
        given.clear();
        assertThat((Collection<?>) kept).isNotEmpty();
        assertThatThrownBy(((Collection<?>) kept)::clear)
            .isInstanceOf(UnsupportedOperationException.class);
      } else if (values[i] instanceof Map<?, ?> given) {
        given.clear();
        assertThat((Map<?, ?>) kept).isNotEmpty();
        assertThatThrownBy(((Map<?, ?>) kept)::clear)
            .isInstanceOf(UnsupportedOperationException.class);
      } else if (parts[i].getType().isArray()) {
        assertThat(kept).as("%s.%s", type, parts[i].getName()).isNotSameAs(values[i]);
      }
    }
  }

  private static Object read(RecordComponent part, Object made) throws Exception {
    part.getAccessor().setAccessible(true);
    return part.getAccessor().invoke(made);
  }
}
