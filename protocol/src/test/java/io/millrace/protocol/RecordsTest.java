package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

/** Rules for all records in messages, at any depth. */
class RecordsTest {
  private final RecordGenerator generator = RecordGenerator.filled();

  static Stream<Class<? extends Record>> records() {
    Set<Class<? extends Record>> found = new LinkedHashSet<>();
    Deque<Type> open = new ArrayDeque<>(Messages.table());
    open.add(ArchivedJob.class);
    while (!open.isEmpty()) {
      Type next = open.remove();
      if (next instanceof ParameterizedType generic) {
        open.addAll(Arrays.asList(generic.getActualTypeArguments()));
      } else if (next instanceof Class<?> type && type.isSealed()) {
        open.addAll(Arrays.asList(type.getPermittedSubclasses()));
      } else if (next instanceof Class<?> type
          && type.isRecord()
          && found.add(type.asSubclass(Record.class))) {
        for (RecordComponent component : type.getRecordComponents()) {
          open.add(component.getGenericType());
        }
      }
    }
    return found.stream();
  }

  @ParameterizedTest
  @MethodSource("records")
  void rejectsNulls(Class<? extends Record> type) {
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      if (!components[i].getType().isPrimitive()) {
        Object[] values = validComponents(type);
        values[i] = null;
        assertThatNullPointerException()
            .as("%s.%s", type.getSimpleName(), components[i].getName())
            .isThrownBy(() -> RecordGenerator.construct(type, values));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void rejectsNullElements(Class<? extends Record> type) {
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      if (Collection.class.isAssignableFrom(components[i].getType())) {
        Object[] values = validComponents(type);
        values[i] = Collections.singletonList(null);
        assertThatNullPointerException()
            .as("%s.%s", type.getSimpleName(), components[i].getName())
            .isThrownBy(() -> RecordGenerator.construct(type, values));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void keepsUnmodifiableCopies(Class<? extends Record> type) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = validComponents(type);
    Object made = RecordGenerator.construct(type, values);
    for (int i = 0; i < components.length; i++) {
      Object kept = RecordGenerator.read(components[i], made);
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
      } else if (components[i].getType().isArray()) {
        assertThat(kept).as("%s.%s", type, components[i].getName()).isNotSameAs(values[i]);
      }
    }
  }

  /** Components that the constructor accepts. */
  private Object[] validComponents(Class<? extends Record> type) {
    for (int attempt = 0; attempt < 1_000; attempt++) {
      Object[] values = generator.components(type);
      try {
        RecordGenerator.construct(type, values);
        return values;
      } catch (IllegalArgumentException refused) {
        // Generated again.
      }
    }
    throw new AssertionError("No valid components of " + type + " were generated");
  }
}
