package io.millrace.dataplane.records;

import io.millrace.api.serialization.Serializer;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.fory.Fory;
import org.apache.fory.config.ForyBuilder;
import org.apache.fory.exception.ForyException;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.resolver.ClassResolver;

/**
 * Encodes records of classes of the job with Fory. The first byte tells whether the records are
 * trees, which are encoded without references.
 */
final class ForyRecordCodec {
  private static final int TREES = 1;
  private static final int GRAPHS = 2;

  /** The first id of classes with serializers of the program, in order of registration. */
  private static final int FIRST_NUMBER = 1;

  private final ClassLoader classes;
  private final Map<Class<?>, Serializer<?>> serializers;
  private final ClassAllowList allowed;
  private final AcyclicTypes trees;
  private final boolean compatible;
  private final boolean unknownClasses;

  /** The names of classes in the order in which records first contained them. */
  private final Set<String> seen = new LinkedHashSet<>();

  private final MemoryBuffer buffer = MemoryBuffer.newHeapBuffer(4096);
  private Fory ofTrees;
  private Fory ofGraphs;
  private Fory ofTreesOnce;
  private Fory ofGraphsOnce;

  /**
   * @param serializers the serializers of the program by class
   * @param compatible whether the bytes describe the fields of classes, so that a later version of
   *     a class reads them
   * @param unknownClasses whether an object whose class is not found is read as a map
   */
  ForyRecordCodec(
      ClassLoader classes,
      Map<Class<?>, Serializer<?>> serializers,
      boolean compatible,
      boolean unknownClasses) {
    this.classes = classes;
    this.compatible = compatible;
    this.unknownClasses = unknownClasses;
    this.serializers = serializers;
    this.allowed = new ClassAllowList(classes, serializers.keySet());
    this.trees = new AcyclicTypes(serializers.keySet());
  }

  private Fory ofTrees() {
    if (ofTrees == null) {
      ofTrees = fory(false, false);
    }
    return ofTrees;
  }

  private Fory ofGraphs() {
    if (ofGraphs == null) {
      ofGraphs = fory(true, false);
    }
    return ofGraphs;
  }

  /**
   * Describes a class in the first object that contains it, and refers to that description
   * afterwards, as long as the same contexts are set.
   */
  Fory describingOnce(boolean references) {
    if (references) {
      if (ofGraphsOnce == null) {
        ofGraphsOnce = fory(true, true);
      }
      return ofGraphsOnce;
    }
    if (ofTreesOnce == null) {
      ofTreesOnce = fory(false, true);
    }
    return ofTreesOnce;
  }

  /** Whether records can be encoded without references. */
  boolean areTrees(Object[] records) {
    return trees.all(records, 0, records.length);
  }

  private Fory fory(boolean references, boolean describesOnce) {
    ForyBuilder builder =
        Fory.builder()
            .withXlang(false)
            .withClassLoader(classes)
            .withRefTracking(references)
            .requireClassRegistration(false)
            .suppressClassRegistrationWarnings(true)
            .withTypeChecker((resolver, name) -> isAllowed(name) && isSeen(name))
            .withAsyncCompilation(false)
            .serializeEnumByName(true)
            .withDeserializeUnknownClass(unknownClasses)
            // The ids of classes must not depend on the class path of a process.
            .registerGuavaTypes(false);
    if (compatible) {
      builder.withCompatible(true);
    }
    if (describesOnce) {
      builder.withMetaShare(true).withScopedMetaShare(false);
    }
    Fory fory = builder.build();
    for (Class<?> type : ((ClassResolver) fory.getTypeResolver()).getRegisteredClasses()) {
      if (!type.isPrimitive()
          // Stand-ins for unknown classes, which are switched off above.
          && !Map.class.isAssignableFrom(type)
          && !isAllowed(type.getName())) {
        fory.registerSerializer(
            type, resolver -> new RefusingSerializer<>(resolver.getConfig(), type));
      }
    }
    fory.registerSerializer(
        MapEntrySerializer.typeOfEntries(),
        resolver -> new MapEntrySerializer(resolver.getConfig()));
    // By id: for classes by name Fory compares the fields, which do not matter here.
    int number = FIRST_NUMBER;
    for (Map.Entry<Class<?>, Serializer<?>> entry : serializers.entrySet()) {
      if (!fory.getTypeResolver().isRegistered(entry.getKey())) {
        fory.register(entry.getKey(), number);
      }
      number++;
      register(fory, entry.getKey(), entry.getValue());
    }
    return fory;
  }

  /** A class that is not found has no code that could run. */
  private boolean isAllowed(String name) {
    return allowed.test(name)
        || unknownClasses
            && (UnknownClasses.isStandIn(name) || UnknownClasses.isUnknown(name, classes));
  }

  private boolean isSeen(String name) {
    seen.add(name);
    return true;
  }

  /** The names of the classes that records contained so far. */
  Set<String> seen() {
    return seen;
  }

  @SuppressWarnings("unchecked") // It was registered for exactly this class.
  private static <T> void register(Fory fory, Class<T> type, Serializer<?> serializer) {
    fory.registerSerializer(
        type,
        resolver ->
            new UserSerializerAdapter<>(resolver.getConfig(), type, (Serializer<T>) serializer));
  }

  /**
   * Makes Fory start its thread. It does so on first use, and the thread would keep the class
   * loader of the first job alive.
   */
  static void prepare() {
    Object[] nothing = {new AtomicInteger()};
    new ForyRecordCodec(ForyRecordCodec.class.getClassLoader(), Map.of(), false, false)
        .encode(nothing, 0, 1, new ByteArrayOutput());
  }

  void encode(Object[] records, int from, int to, ByteArrayOutput out) {
    boolean areTrees = trees.all(records, from, to);
    Fory fory = areTrees ? ofTrees() : ofGraphs();
    out.putByte(areTrees ? TREES : GRAPHS);
    buffer.writerIndex(0);
    try {
      fory.serialize(buffer, Arrays.copyOfRange(records, from, to));
    } catch (RuntimeException | StackOverflowError e) {
      fory.reset();
      throw unserializable(e, Arrays.copyOfRange(records, from, to));
    }
    out.putBytes(buffer.getHeapMemory(), 0, buffer.writerIndex());
    if (buffer.size() > 1 << 20) {
      buffer.pointTo(new byte[4096], 0, 4096);
    }
  }

  Object[] decode(ByteArrayInput in, int count) {
    Fory fory = in.readByte() == TREES ? ofTrees() : ofGraphs();
    int length = in.remaining();
    Object read;
    try {
      read = fory.deserialize(MemoryBuffer.fromByteArray(in.bytes, in.take(length), length));
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      fory.reset();
      throw undeserializable(e);
    }
    if (!(read instanceof Object[] records) || records.length != count) {
      throw new MillraceException(ErrorKind.BUG, "A batch does not contain " + count + " records");
    }
    return records;
  }

  /** Says why records cannot be encoded. */
  MillraceException unserializable(Throwable thrown, Object[] records) {
    return new MillraceException(
        ErrorKind.USER,
        "Records cannot be serialised: " + reason(thrown, records, 0, records.length),
        thrown);
  }

  static MillraceException undeserializable(Throwable thrown) {
    return new MillraceException(
        ErrorKind.USER,
        "Records cannot be deserialised: "
            + known(thrown).map(MillraceException::getMessage).orElseGet(() -> reason(thrown)),
        thrown);
  }

  private String reason(Throwable thrown, Object[] records, int from, int to) {
    Optional<MillraceException> known = known(thrown);
    if (known.isPresent()) {
      return known.get().getMessage();
    }
    UnserializableValueFinder search =
        new UnserializableValueFinder(allowed::test, serializers.keySet());
    Optional<UnserializableValueFinder.Found> culprit = search.in(records, from, to);
    if (culprit.isPresent()) {
      return refusal(culprit.get().path() + " is a ", culprit.get().value().getClass());
    }
    Optional<UnserializableValueFinder.Declared> declared = search.declaredBy(records, from, to);
    if (declared.isPresent()) {
      return refusal(declared.get().path() + " is declared as a ", declared.get().type());
    }
    return isStackOverflow(thrown)
        ? "one of them is nested too deeply; use a collection instead of a long chain of objects"
        : reason(thrown)
            + ". Records were of "
            + classesOf(records, from, to)
            + "; env.registerSerializer may help.";
  }

  private static String refusal(String what, Class<?> type) {
    return what
        + (type.isHidden() ? "lambda" : type.getName())
        + ", which is neither a class of the program nor a plain value or collection of the JDK."
        + (Enum.class.isAssignableFrom(type)
            ? " Make the field transient, or store the name of the constant."
            : " Make the field transient, store a plain value instead, or register a serializer"
                + (type.isHidden()
                    ? "."
                    : ": env.registerSerializer(" + type.getName() + ".class, …)."));
  }

  private static String classesOf(Object[] records, int from, int to) {
    return Arrays.stream(records, from, to)
        .filter(Objects::nonNull)
        .map(record -> record.getClass().getName())
        .distinct()
        .limit(3)
        .collect(Collectors.joining(", "));
  }

  /** The exception of a serializer of ours among the causes. */
  private static Optional<MillraceException> known(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof MillraceException known) {
        return Optional.of(known);
      }
    }
    return Optional.empty();
  }

  private static boolean isStackOverflow(Throwable thrown) {
    return thrown instanceof StackOverflowError
        || thrown.getCause() != null && isStackOverflow(thrown.getCause());
  }

  private static String reason(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null
        && (cause.getMessage() == null
            || cause instanceof ForyException
            || cause.getClass() == RuntimeException.class)) {
      cause = cause.getCause();
    }
    return cause.getClass().getSimpleName() + ": " + cause.getMessage();
  }
}
