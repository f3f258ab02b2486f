package io.millrace.dataplane.records;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.fory.Fory;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.resolver.ClassResolver;

/**
 * Records of classes that only the job knows. The one place that touches Fory.
 *
 * <p>A byte in front says whether the records are trees, which are written without references.
 */
final class ForyRecords {
  private static final int TREES = 1;
  private static final int GRAPHS = 2;

  private final ClassLoader classes;
  private final AllowedClasses allowed;
  private final Trees trees = new Trees();
  private final MemoryBuffer buffer = MemoryBuffer.newHeapBuffer(4096);
  private Fory ofTrees;
  private Fory ofGraphs;

  ForyRecords(ClassLoader classes) {
    this.classes = classes;
    this.allowed = new AllowedClasses(classes);
  }

  private Fory ofTrees() {
    if (ofTrees == null) {
      ofTrees = fory(false);
    }
    return ofTrees;
  }

  private Fory ofGraphs() {
    if (ofGraphs == null) {
      ofGraphs = fory(true);
    }
    return ofGraphs;
  }

  private Fory fory(boolean references) {
    Fory fory =
        Fory.builder()
            .withXlang(false)
            .withClassLoader(classes)
            .withRefTracking(references)
            .requireClassRegistration(false)
            .suppressClassRegistrationWarnings(true)
            .withTypeChecker((resolver, name) -> allowed.test(name))
            .withAsyncCompilation(false)
            .serializeEnumByName(true)
            .withDeserializeUnknownClass(false)
            .build();
    for (Class<?> type : ((ClassResolver) fory.getTypeResolver()).getRegisteredClasses()) {
      if (!type.isPrimitive()
          // What it would make of classes it does not find; switched off above.
          && !Map.class.isAssignableFrom(type)
          && !allowed.test(type.getName())) {
        fory.registerSerializer(
            type, resolver -> new RefusedSerializer<>(resolver.getConfig(), type));
      }
    }
    fory.registerSerializer(
        EntrySerializer.typeOfEntries(), resolver -> new EntrySerializer(resolver.getConfig()));
    return fory;
  }

  /**
   * Has Fory start its own thread. It does so on first use, and the thread would keep the class
   * loader of the job that happened to come first.
   */
  static void prepare() {
    Object[] nothing = {new AtomicInteger()};
    new ForyRecords(ForyRecords.class.getClassLoader()).encode(nothing, 0, 1, new ByteSink());
  }

  void encode(Object[] records, int from, int to, ByteSink out) {
    boolean areTrees = trees.all(records, from, to);
    Fory fory = areTrees ? ofTrees() : ofGraphs();
    out.putByte(areTrees ? TREES : GRAPHS);
    buffer.writerIndex(0);
    try {
      fory.serialize(buffer, Arrays.copyOfRange(records, from, to));
    } catch (RuntimeException | StackOverflowError e) {
      fory.reset();
      throw new MillraceException(
          ErrorKind.USER,
          "Records cannot be sent to another process: " + reason(e, records, from, to),
          e);
    }
    out.putBytes(buffer.getHeapMemory(), 0, buffer.writerIndex());
    if (buffer.size() > 1 << 20) {
      buffer.pointTo(new byte[4096], 0, 4096);
    }
  }

  Object[] decode(ByteSource in, int count) {
    Fory fory = in.readByte() == TREES ? ofTrees() : ofGraphs();
    int length = in.remaining();
    Object read;
    try {
      read = fory.deserialize(MemoryBuffer.fromByteArray(in.bytes, in.take(length), length));
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      fory.reset();
      throw new MillraceException(ErrorKind.USER, "Records cannot be read: " + reason(e), e);
    }
    if (!(read instanceof Object[] records) || records.length != count) {
      throw new MillraceException(ErrorKind.BUG, "A batch does not hold " + count + " records");
    }
    return records;
  }

  private String reason(Throwable thrown, Object[] records, int from, int to) {
    Optional<Culprit.Found> culprit = new Culprit(allowed::test).in(records, from, to);
    if (culprit.isPresent()) {
      Class<?> type = culprit.get().value().getClass();
      return culprit.get().path()
          + " is a "
          + (type.isHidden() ? "lambda" : type.getName())
          + ", which is neither a class of the program nor a plain value or collection of the JDK."
          + " Make the field transient, or keep there what it is made from.";
    }
    return isStackOverflow(thrown)
        ? "one of them is nested too deeply; use a collection instead of objects that hold each"
            + " other in a long row"
        : reason(thrown);
  }

  private static boolean isStackOverflow(Throwable thrown) {
    return thrown instanceof StackOverflowError
        || thrown.getCause() != null && isStackOverflow(thrown.getCause());
  }

  private static String reason(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null && cause.getMessage() == null) {
      cause = cause.getCause();
    }
    return cause.getClass().getSimpleName() + ": " + cause.getMessage();
  }
}
