package io.millrace.dataplane.records;

import io.millrace.api.serialization.Serializer;
import io.millrace.api.source.CollectionSource;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.EncodedCollection;
import io.millrace.graph.JobGraph;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;

/** Deserialises objects of a program with the job's class loader. */
public final class UserCodeObjectInputStream extends ObjectInputStream {
  private final ClassLoader classes;
  private final Function<Bytes, Object[]> records;

  private UserCodeObjectInputStream(
      Bytes serialised, ClassLoader classes, Function<Bytes, Object[]> records) throws IOException {
    super(new ByteArrayInputStream(serialised.unsafeArray()));
    this.classes = classes;
    this.records = records;
    enableResolveObject(true);
  }

  /**
   * @param records reads a batch of the job's records
   */
  public static Object open(
      Bytes serialised, ClassLoader classes, Function<Bytes, Object[]> records) {
    try (ObjectInputStream in = new UserCodeObjectInputStream(serialised, classes, records)) {
      return in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "A function of the program cannot be deserialised: "
              + Failure.sentence(e)
              + ". Check that its class is in the program's jar.",
          e);
    }
  }

  /** New instances of a job's serializers, by class. */
  public static Map<Class<?>, Serializer<?>> serializers(JobGraph graph, ClassLoader classes) {
    return serializers(graph.serializers(), classes);
  }

  @SuppressWarnings("unchecked") // The graph stores such a map.
  public static Map<Class<?>, Serializer<?>> serializers(Bytes serialised, ClassLoader classes) {
    return serialised.length() == 0
        ? Map.of()
        : (Map<Class<?>, Serializer<?>>)
            open(serialised, classes, UserCodeObjectInputStream::noRecords);
  }

  private static Object[] noRecords(Bytes batch) {
    throw new MillraceException(ErrorKind.BUG, "A serializer holds records of a job");
  }

  @Override
  protected Object resolveObject(Object read) {
    return read instanceof EncodedCollection collection
        ? CollectionSource.of(Arrays.asList(records.apply(collection.elements())))
        : read;
  }

  @Override
  protected Class<?> resolveClass(ObjectStreamClass described)
      throws IOException, ClassNotFoundException {
    try {
      return Class.forName(described.getName(), false, classes);
    } catch (ClassNotFoundException e) {
      return super.resolveClass(described);
    }
  }
}
