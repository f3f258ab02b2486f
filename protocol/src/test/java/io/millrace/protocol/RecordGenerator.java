package io.millrace.protocol;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.ProcessGateway.SampledStack;
import io.millrace.protocol.ProcessGateway.StackSamples;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.journal.JournalEntry;
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
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Generates random values of all types that messages consist of. Components that a constructor
 * rejects are generated again, so that the generator does not duplicate the checks.
 */
public final class RecordGenerator {
  private static final int ATTEMPTS = 1_000;

  private static final List<Class<? extends Record>> PAYLOADS =
      Messages.table().stream().filter(type -> type.getEnclosingClass() != Envelope.class).toList();

  private final Random random;
  private final boolean filled;
  private final boolean plain;

  private RecordGenerator(Random random, boolean filled, boolean plain) {
    this.random = random;
    this.filled = filled;
    this.plain = plain;
  }

  /** Numbers of all sizes, and collections and optional values that may be empty. */
  static RecordGenerator ofSeed(long seed) {
    return new RecordGenerator(new Random(seed), false, false);
  }

  /** Small positive numbers, and collections and optional values that are not empty. */
  public static RecordGenerator filled() {
    return new RecordGenerator(new Random(1), true, false);
  }

  /**
   * Numbers from 0 to 3 and short words, as sentences for people have them; collections and
   * optional values may be empty.
   */
  static RecordGenerator plain(long seed) {
    return new RecordGenerator(new Random(seed), false, true);
  }

  public <T extends Record> T record(Class<T> type) {
    IllegalArgumentException last = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return type.cast(construct(type, components(type)));
      } catch (IllegalArgumentException e) {
        last = e;
      }
    }
    throw new AssertionError("No valid components of " + type + " were generated", last);
  }

  /** Random components of a record, which its constructor may reject. */
  Object[] components(Class<?> type) {
    if (type == BlobKey.class) {
      return new Object[] {BlobKey.of(bytes()).sha256()};
    } else if (type == EndedJob.class) {
      JobResult result = record(JobResult.class);
      return new Object[] {result, overview(result)};
    } else if (type == ArchivedJob.class) {
      EndedJob ended = record(EndedJob.class);
      JobDetails details = record(JobDetails.class);
      JobResult result = withJob(ended.result(), details.id());
      return new Object[] {
        new EndedJob(result, overview(result)),
        details,
        record(io.millrace.rpc.journal.History.class),
        record(CheckpointStatistics.class)
      };
    } else if (type == StackSamples.class) {
      SampledStack stack = record(SampledStack.class);
      List<String> frames = new ArrayList<>(List.of("outer", "inner"));
      List<Integer> indexes = List.of(random.nextInt(frames.size()));
      return new Object[] {
        frames,
        new ArrayList<>(
            List.of(new SampledStack(stack.task(), stack.activity(), indexes, stack.count()))),
        random.nextInt(10)
      };
    }
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      values[i] = value(components[i].getGenericType());
      if (type == JobVertex.class && components[i].getName().equals("operators")) {
        values[i] = chain();
      } else if (type == JournalEntry.class && components[i].getName().equals("event")) {
        values[i] = value(JournalEvent.class);
      }
    }
    return values;
  }

  static Object construct(Class<?> type, Object[] components) {
    try {
      Constructor<?> constructor =
          type.getDeclaredConstructor(
              Arrays.stream(type.getRecordComponents())
                  .map(RecordComponent::getType)
                  .toArray(Class<?>[]::new));
      constructor.setAccessible(true);
      return constructor.newInstance(components);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private Object value(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      if (generic.getRawType() == Optional.class) {
        return filled || random.nextBoolean() ? Optional.of(value(of[0])) : Optional.empty();
      } else if (generic.getRawType() == List.class) {
        return list(of[0]);
      } else if (generic.getRawType() == Set.class) {
        return new LinkedHashSet<>(list(of[0]));
      } else if (generic.getRawType() == Map.class) {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (Object key : list(of[0])) {
          map.put(key, value(of[1]));
        }
        return map;
      }
    } else if (type instanceof Class<?> plain) {
      return value(plain);
    }
    throw new AssertionError("No generator for " + type);
  }

  private Object value(Class<?> type) {
    if (type == int.class || type == Integer.class) {
      return (int) number(Integer.MIN_VALUE, Integer.MAX_VALUE);
    } else if (type == long.class || type == Long.class) {
      return number(Long.MIN_VALUE, Long.MAX_VALUE);
    } else if (type == double.class) {
      return random.nextInt(1, 100) / 8.0;
    } else if (type == boolean.class) {
      return filled || random.nextBoolean();
    } else if (type == String.class) {
      return text();
    } else if (type == Bytes.class) {
      return bytes();
    } else if (type == Duration.class) {
      return Duration.ofMillis(random.nextInt(1, 1_000_000));
    } else if (type == Record.class) {
      return record(PAYLOADS.get(random.nextInt(PAYLOADS.size())));
    } else if (type.isEnum()) {
      Object[] constants = type.getEnumConstants();
      return constants[random.nextInt(constants.length)];
    } else if (type.isArray()) {
      return array(type.getComponentType());
    } else if (type.isSealed()) {
      Class<?>[] permitted = type.getPermittedSubclasses();
      return value(permitted[random.nextInt(permitted.length)]);
    } else if (type.isRecord()) {
      return record(type.asSubclass(Record.class));
    }
    throw new AssertionError("No generator for " + type);
  }

  /** The records of a sealed type, at any depth below it. */
  public static Stream<Class<? extends Record>> leaves(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(RecordGenerator::leaves)
        : Stream.of(type.asSubclass(Record.class));
  }

  private long number(long lowest, long highest) {
    if (filled || plain) {
      return filled ? random.nextInt(1, 5) : random.nextInt(4);
    }
    int kind = random.nextInt(20);
    return switch (kind) {
      case 0 -> lowest;
      case 1 -> highest;
      case 2 -> -1;
      case 3, 4 -> lowest == Long.MIN_VALUE ? random.nextLong() : random.nextInt();
      default -> random.nextInt(0, 200);
    };
  }

  private String text() {
    int kind = filled || plain ? 1 : random.nextInt(10);
    return switch (kind) {
      case 0 -> "\u00e9\u4e2d\ud83d\ude00 \"'\\\n\t\u0000";
      case 2 -> "x".repeat(random.nextInt(1, 200));
      default -> "text-" + random.nextInt(1_000);
    };
  }

  private Bytes bytes() {
    byte[] bytes = new byte[filled ? 5 : random.nextInt(40)];
    random.nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  private List<Object> list(Type element) {
    List<Object> list = new ArrayList<>();
    int size = filled ? 1 : random.nextInt(4);
    for (int i = 0; i < size; i++) {
      list.add(value(element));
    }
    return list;
  }

  /** The length is the number of task states. */
  private Object array(Class<?> element) {
    Object array = Array.newInstance(element, 9);
    for (int i = 0; i < 9; i++) {
      Array.set(array, i, value(element));
    }
    return array;
  }

  /** Operators that each read from an earlier one. */
  private List<Object> chain() {
    List<Object> chain = new ArrayList<>();
    int size = filled ? 1 : random.nextInt(1, 4);
    for (int i = 0; i < size; i++) {
      ChainedOperator operator = record(ChainedOperator.class);
      Object[] components = components(operator);
      components[index(ChainedOperator.class, "input")] = i == 0 ? -1 : random.nextInt(i);
      chain.add(construct(ChainedOperator.class, components));
    }
    return chain;
  }

  private JobOverview overview(JobResult result) {
    Object[] components = components(record(JobOverview.class));
    components[index(JobOverview.class, "id")] = result.job();
    components[index(JobOverview.class, "status")] = result.status();
    return (JobOverview) construct(JobOverview.class, components);
  }

  private static JobResult withJob(JobResult result, JobId job) {
    return new JobResult(job, result.status(), result.runtimeMillis(), result.failure());
  }

  private static Object[] components(Record record) {
    return Arrays.stream(record.getClass().getRecordComponents())
        .map(component -> read(component, record))
        .toArray();
  }

  static Object read(RecordComponent component, Object record) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static int index(Class<?> type, String component) {
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      if (components[i].getName().equals(component)) {
        return i;
      }
    }
    throw new AssertionError(type + " has no component " + component);
  }
}
