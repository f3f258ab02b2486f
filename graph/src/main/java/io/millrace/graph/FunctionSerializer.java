package io.millrace.graph;

import io.millrace.api.serialization.Serializer;
import io.millrace.api.source.CollectionSource;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;

/** Serialises user functions. */
final class FunctionSerializer extends ObjectOutputStream {
  private final Map<Class<?>, Serializer<?>> serializers;

  private FunctionSerializer(OutputStream out, Map<Class<?>, Serializer<?>> serializers)
      throws IOException {
    super(out);
    this.serializers = serializers;
    enableReplaceObject(true);
  }

  /**
   * @param operator its name in quotes, and where the program adds it
   */
  static Bytes of(Serializable value, String operator) {
    return of(value, operator, Map.of());
  }

  /**
   * @param operator its name in quotes, and where the program adds it
   * @param serializers the program's own by class
   */
  static Bytes of(Serializable value, String operator, Map<Class<?>, Serializer<?>> serializers) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new FunctionSerializer(bytes, serializers)) {
      out.writeObject(value);
    } catch (NotSerializableException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Operator "
              + operator
              + " cannot be sent to the TaskManagers: "
              + NotSerializablePathFinder.to(e.getMessage(), value)
                  .orElse("it holds an object of " + e.getMessage())
              + ", which is not Serializable. Create it inside the function, make the field"
              + " transient, or make the class Serializable.",
          e);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Operator "
              + operator
              + " cannot be sent to the TaskManagers, because it cannot be serialised: "
              + Failure.sentence(e),
          e);
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  @Override
  protected Object replaceObject(Object value) {
    return value instanceof CollectionSource<?> source ? encoded(source) : value;
  }

  /**
   * Elements that are no records are left to Java's serialisation, which takes some classes that
   * records may not have: such elements may go into a chained function.
   */
  private Object encoded(CollectionSource<?> source) {
    Optional<RecordEncoder> encoder = RecordEncoder.onClassPath();
    if (encoder.isEmpty()) {
      return source;
    }
    try {
      return new EncodedCollection(
          encoder.get().encode(source.elements(), classesOf(source), serializers));
    } catch (MillraceException refused) {
      if (refused.kind() == ErrorKind.USER && isSerialisable(source)) {
        return source;
      }
      throw refused;
    }
  }

  private static ClassLoader classesOf(CollectionSource<?> source) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context == null ? source.getClass().getClassLoader() : context;
  }

  private static boolean isSerialisable(CollectionSource<?> source) {
    try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
      out.writeObject(source);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
