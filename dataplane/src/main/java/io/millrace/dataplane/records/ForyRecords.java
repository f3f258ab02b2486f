package io.millrace.dataplane.records;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.fory.Fory;
import org.apache.fory.memory.MemoryBuffer;

/** Records of classes that only the job knows. The one place that touches Fory. */
final class ForyRecords {
  private final Fory fory;
  private final MemoryBuffer buffer = MemoryBuffer.newHeapBuffer(4096);

  ForyRecords(ClassLoader classes) {
    AllowedClasses allowed = new AllowedClasses(classes);
    fory =
        Fory.builder()
            .withXlang(false)
            .withClassLoader(classes)
            .withRefTracking(true)
            .requireClassRegistration(false)
            .suppressClassRegistrationWarnings(true)
            .withTypeChecker((resolver, name) -> allowed.test(name))
            .withAsyncCompilation(false)
            .serializeEnumByName(true)
            .build();
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
    buffer.writerIndex(0);
    try {
      fory.serialize(buffer, Arrays.copyOfRange(records, from, to));
    } catch (RuntimeException | StackOverflowError e) {
      fory.reset();
      throw new MillraceException(
          ErrorKind.USER, "Records cannot be sent to another process: " + reason(e), e);
    }
    out.putBytes(buffer.getHeapMemory(), 0, buffer.writerIndex());
    if (buffer.size() > 1 << 20) {
      buffer.pointTo(new byte[4096], 0, 4096);
    }
  }

  Object[] decode(ByteSource in, int count) {
    int length = in.remaining();
    Object read;
    try {
      read = fory.deserialize(MemoryBuffer.fromByteArray(in.bytes, in.take(length), length));
    } catch (RuntimeException | StackOverflowError e) {
      fory.reset();
      throw new MillraceException(ErrorKind.USER, "Records cannot be read: " + reason(e), e);
    }
    if (!(read instanceof Object[] records) || records.length != count) {
      throw new MillraceException(ErrorKind.BUG, "A batch does not hold " + count + " records");
    }
    return records;
  }

  private static String reason(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null && cause.getMessage() == null) {
      cause = cause.getCause();
    }
    return cause.getClass().getSimpleName() + ": " + cause.getMessage();
  }
}
