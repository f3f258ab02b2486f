package io.millrace.core.codec;

import io.millrace.core.Bytes;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A hash of the schema of a class table: the components of its messages, their types, and the
 * permitted types of sealed ones. Enum constants do not count, because they are encoded by name.
 */
final class SchemaFingerprint {
  private final StringBuilder shape = new StringBuilder();
  private final Set<Class<?>> seen = new HashSet<>();

  private SchemaFingerprint() {}

  static long of(List<Class<? extends Record>> table) {
    SchemaFingerprint fingerprint = new SchemaFingerprint();
    for (Class<?> message : table) {
      fingerprint.line("message", message.getName());
      fingerprint.visit(message);
    }
    return ByteBuffer.wrap(Bytes.utf8(fingerprint.shape.toString()).sha256()).getLong();
  }

  private void visit(Type type) {
    if (type instanceof ParameterizedType generic) {
      visit(generic.getRawType());
      for (Type argument : generic.getActualTypeArguments()) {
        visit(argument);
      }
    } else if (type instanceof WildcardType any) {
      visit(any.getUpperBounds()[0]);
    } else if (type instanceof Class<?> known && seen.add(known)) {
      describe(known);
    }
  }

  private void describe(Class<?> type) {
    if (type.isRecord()) {
      for (RecordComponent component : type.getRecordComponents()) {
        line(type.getName(), component.getName() + " " + component.getGenericType().getTypeName());
        visit(component.getGenericType());
      }
    } else if (type.isSealed()) {
      for (Class<?> kind : type.getPermittedSubclasses()) {
        line(type.getName(), kind.getName());
        visit(kind);
      }
    }
  }

  private void line(String subject, String what) {
    shape.append(subject).append(' ').append(what).append('\n');
  }
}
