package io.millrace.format.avro;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The fields of a record class, or of a class with a constructor without parameters. */
final class ClassFields {
  /** A field that Avro sees. */
  record Member(String name, Type type, Field field) {}

  private final Class<?> type;
  private final List<Member> members;
  private final Constructor<?> constructor;

  private ClassFields(Class<?> type, List<Member> members, Constructor<?> constructor) {
    this.type = type;
    this.members = members;
    this.constructor = constructor;
  }

  static ClassFields of(Class<?> type) {
    try {
      List<Member> members = new ArrayList<>();
      Class<?>[] parameters = {};
      if (type.isRecord()) {
        for (RecordComponent component : type.getRecordComponents()) {
          members.add(
              member(type.getDeclaredField(component.getName()), component.getGenericType()));
        }
        parameters =
            Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
      } else {
        for (Class<?> each = type; each != Object.class; each = each.getSuperclass()) {
          for (Field field : each.getDeclaredFields()) {
            int modifiers = field.getModifiers();
            if (!Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers)) {
              members.add(member(field, field.getGenericType()));
            }
          }
        }
      }
      Constructor<?> constructor = type.getDeclaredConstructor(parameters);
      constructor.setAccessible(true);
      return new ClassFields(type, members, constructor);
    } catch (NoSuchMethodException | NoSuchFieldException | RuntimeException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Avro cannot map "
              + type.getTypeName()
              + ". Use a record, or a class with fields and a constructor without parameters, or"
              + " a class that Avro has generated.",
          e);
    }
  }

  private static Member member(Field field, Type type) {
    field.setAccessible(true);
    return new Member(field.getName(), type, field);
  }

  List<Member> members() {
    return members;
  }

  Object value(int member, Object of) {
    try {
      return members.get(member).field().get(of);
    } catch (IllegalAccessException e) {
      throw new MillraceException(
          ErrorKind.BUG, type.getTypeName() + ": field is not accessible", e);
    }
  }

  /** Creates an object; values that are null leave the fields of a class as it has set them. */
  Object create(Object[] values) {
    try {
      if (type.isRecord()) {
        return constructor.newInstance(values);
      }
      Object created = constructor.newInstance();
      for (int i = 0; i < values.length; i++) {
        if (values[i] != null || !members.get(i).field().getType().isPrimitive()) {
          members.get(i).field().set(created, values[i]);
        }
      }
      return created;
    } catch (InvocationTargetException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The constructor of " + type.getTypeName() + " refuses the values of a message.",
          e.getCause());
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER, type.getTypeName() + " cannot be created from a message.", e);
    }
  }
}
