package io.millrace.dataplane.records;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.fory.serializer.UnknownClass;

/** Objects that were read without their classes. */
public final class UnknownClasses {
  private static final String STAND_INS = UnknownClass.class.getName() + "$";

  private UnknownClasses() {}

  static boolean isStandIn(String className) {
    return className.startsWith(STAND_INS);
  }

  static boolean isUnknown(String className, ClassLoader classes) {
    String element = className;
    while (element.startsWith("[")) {
      element = element.substring(1);
    }
    if (element.length() != className.length() && element.endsWith(";")) {
      element = element.substring(1, element.length() - 1);
    }
    while (element.endsWith("[]")) {
      element = element.substring(0, element.length() - 2);
    }
    if (element.startsWith("java.") || element.startsWith("javax.")) {
      return false;
    }
    try {
      Class.forName(element, false, classes);
      return false;
    } catch (ClassNotFoundException | LinkageError e) {
      return true;
    }
  }

  /**
   * The fields of an object whose class was not found; empty for any other object.
   *
   * @return values by {@code class.field}, where the class is the one that declares the field
   */
  public static Optional<Map<String, Object>> fields(Object value) {
    if (value instanceof UnknownClass.UnknownStruct struct) {
      Map<String, Object> fields = new LinkedHashMap<>();
      struct.forEach((field, content) -> fields.put(String.valueOf(field), content));
      return Optional.of(fields);
    }
    return value instanceof UnknownClass.UnknownEmptyStruct
        ? Optional.of(Map.of())
        : Optional.empty();
  }

  /** Whether a value is the constant of an enum that was not found. Its name is lost. */
  public static boolean isConstant(Object value) {
    return value instanceof UnknownClass.UnknownEnum;
  }
}
