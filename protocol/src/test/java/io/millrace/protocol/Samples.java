package io.millrace.protocol;

import io.millrace.api.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.OperatorId;
import io.millrace.graph.ChainedOperator;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Acknowledge;
import io.millrace.task.ClusterPartition;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Sample values of types that travel. */
public final class Samples {
  private Samples() {}

  /** The records of a sealed type, however deep below it. */
  public static Stream<Class<?>> leaves(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(Samples::leaves)
        : Stream.of(type);
  }

  /** A value for each component of a record. */
  public static Object[] samples(Class<?> type) throws Exception {
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

  public static Object sample(Class<?> type) throws Exception {
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
    } else if (type == Reason.class) {
      // Others hold reasons in their turn.
      return new ErrorReason("text");
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

  static Object make(Class<?> type, Object[] values) throws Exception {
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
}
