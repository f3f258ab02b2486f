package io.millrace.core.codec;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.TypeVariable;
import java.util.Map;
import java.util.Objects;

/**
 * A record: its components in order, or a zero byte if it has none. Its class is inspected on first
 * use, which shortens start-up and allows recursive records.
 */
final class RecordTypeCodec implements TypeCodec {
  private final TypeCodecs plans;
  private final ResolvedType shape;
  // Two threads may both inspect the class, with the same result.
  private volatile Layout layout;

  RecordTypeCodec(TypeCodecs plans, ResolvedType shape) {
    this.plans = plans;
    this.shape = shape;
  }

  Class<?> type() {
    return shape.raw;
  }

  @Override
  public void write(WireWriter out, Object value) {
    Objects.requireNonNull(value);
    Layout known = layout();
    out.enter();
    if (known.parts.length == 0) {
      out.writeByte(0);
    }
    for (int i = 0; i < known.parts.length; i++) {
      try {
        known.parts[i].write(out, known.accessors[i].invoke(value));
      } catch (NullPointerException e) {
        // A NullPointerException can only come from a null in the message.
        throw new MillraceException(
            ErrorKind.BUG,
            name(known.accessors[i]) + " is null or contains null. Messages must not contain null.",
            e);
      } catch (InvocationTargetException e) {
        throw new MillraceException(
            ErrorKind.BUG,
            name(known.accessors[i]) + " cannot be read: " + Failure.sentence(e.getCause()),
            e.getCause());
      } catch (IllegalAccessException e) {
        throw new IllegalStateException("The accessor is not accessible", e);
      }
    }
    out.leave();
  }

  @Override
  public Object read(WireReader in) {
    Layout known = layout();
    in.enter();
    if (known.parts.length == 0) {
      in.readChoice(1, "empty record");
    }
    Object[] components = new Object[known.parts.length];
    for (int i = 0; i < components.length; i++) {
      components[i] = known.parts[i].read(in);
    }
    in.leave();
    try {
      return known.constructor.newInstance(components);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof VirtualMachineError error) {
        throw error;
      }
      throw in.failure(
          shape + " rejects its components: " + Failure.sentence(e.getCause()), e.getCause());
    } catch (InstantiationException | IllegalAccessException e) {
      throw new IllegalStateException("The constructor is not accessible", e);
    }
  }

  @Override
  public TypeCodec[] parts() {
    return layout().parts;
  }

  private Layout layout() {
    Layout known = layout;
    if (known == null) {
      known = inspect();
      layout = known;
    }
    return known;
  }

  private Layout inspect() {
    RecordComponent[] components = shape.raw.getRecordComponents();
    Map<TypeVariable<?>, ResolvedType> bindings = shape.bindings();
    Class<?>[] types = new Class<?>[components.length];
    Method[] accessors = new Method[components.length];
    TypeCodec[] parts = new TypeCodec[components.length];
    for (int i = 0; i < components.length; i++) {
      RecordComponent component = components[i];
      types[i] = component.getType();
      accessors[i] = component.getAccessor();
      accessors[i].setAccessible(true);
      parts[i] = plans.of(ResolvedType.of(component.getGenericType(), bindings), component);
    }
    try {
      Constructor<?> constructor = shape.raw.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return new Layout(constructor, accessors, parts);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("The record has no canonical constructor", e);
    }
  }

  private static String name(Method accessor) {
    return accessor.getDeclaringClass().getSimpleName() + "." + accessor.getName();
  }

  private static final class Layout {
    final Constructor<?> constructor;
    final Method[] accessors;
    final TypeCodec[] parts;

    Layout(Constructor<?> constructor, Method[] accessors, TypeCodec[] parts) {
      this.constructor = constructor;
      this.accessors = accessors;
      this.parts = parts;
    }
  }
}
