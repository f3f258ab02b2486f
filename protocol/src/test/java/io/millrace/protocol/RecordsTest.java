package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.OperatorId;
import io.millrace.graph.ChainedOperator;
import io.millrace.rpc.Acknowledge;
import io.millrace.task.ClusterPartition;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        Object[] values = samples(type);
        values[i] = null;
        assertThatNullPointerException()
            .as("%s.%s", type.getSimpleName(), parts[i].getName())
            .isThrownBy(() -> make(type, values));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void refusesNullElements(Class<?> type) throws Exception {
    RecordComponent[] parts = type.getRecordComponents();
    for (int i = 0; i < parts.length; i++) {
      if (Collection.class.isAssignableFrom(parts[i].getType())) {
        Object[] values = samples(type);
        values[i] = Collections.singletonList(null);
        assertThatNullPointerException()
            .as("%s.%s", type.getSimpleName(), parts[i].getName())
            .isThrownBy(() -> make(type, values));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void keepsCopiesThatNobodyCanChange(Class<?> type) throws Exception {
    RecordComponent[] parts = type.getRecordComponents();
    Object[] values = samples(type);
    Object made = make(type, values);
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

  private static Object[] samples(Class<?> type) throws Exception {
    RecordComponent[] parts = type.getRecordComponents();
    Object[] values = new Object[parts.length];
    for (int i = 0; i < parts.length; i++) {
      values[i] = sample(parts[i].getGenericType());
    }
    if (type == ClusterPartition.class) {
      // There is one after the first.
      values[parts.length - 1] = 2;
    }
    return values;
  }

  private static Object sample(Type type) throws Exception {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      if (generic.getRawType() == Optional.class) {
        return Optional.of(sample(of[0]));
      } else if (generic.getRawType() == List.class) {
        return new ArrayList<>(List.of(sample(of[0])));
      } else if (generic.getRawType() == Set.class) {
        return new LinkedHashSet<>(List.of(sample(of[0])));
      } else if (generic.getRawType() == Map.class) {
        return new LinkedHashMap<>(Map.of(sample(of[0]), sample(of[1])));
      }
    } else if (type instanceof Class<?> plain) {
      return sample(plain);
    }
    throw new AssertionError("No sample for " + type);
  }

  private static Object sample(Class<?> type) throws Exception {
    if (type == int.class || type == Integer.class) {
      return 1;
    } else if (type == long.class || type == Long.class) {
      return 1L;
    } else if (type == double.class) {
      return 1.0;
    } else if (type == boolean.class) {
      return true;
    } else if (type == String.class) {
      return "text";
    } else if (type == Bytes.class) {
      return Bytes.utf8("bytes");
    } else if (type == BlobKey.class) {
      return BlobKey.of(Bytes.utf8("blob"));
    } else if (type == ChainedOperator.class) {
      return new ChainedOperator(
          (OperatorId) sample(OperatorId.class), "head", -1, Bytes.utf8("spec"));
    } else if (type == JobStatus.class) {
      return JobStatus.FINISHED;
    } else if (type == Duration.class) {
      return Duration.ofSeconds(1);
    } else if (type == Record.class) {
      return Acknowledge.INSTANCE;
    } else if (type.isEnum()) {
      return type.getEnumConstants()[0];
    } else if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 9);
    } else if (type.isSealed()) {
      return sample(type.getPermittedSubclasses()[0]);
    } else if (type.isRecord()) {
      return make(type, samples(type));
    }
    throw new AssertionError("No sample for " + type);
  }

  private static Object make(Class<?> type, Object[] values) throws Exception {
    Constructor<?> constructor =
        type.getDeclaredConstructor(
            Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new));
    constructor.setAccessible(true);
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  private static Object read(RecordComponent part, Object made) throws Exception {
    part.getAccessor().setAccessible(true);
    return part.getAccessor().invoke(made);
  }
}
