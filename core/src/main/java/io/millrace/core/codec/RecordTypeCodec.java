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
 * A record: its components in order, or a zero where it has none. Its class is looked into on first
 * use, which keeps start-up short and lets a record contain itself.
 */
final class RecordTypeCodec implements TypeCodec {
  private final TypeCodecs plans;
  private final ResolvedType shape;
  // Two threads may both look into the class; they find the same.
  private volatile Anatomy anatomy;

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
    Anatomy known = anatomy();
    out.enter();
    if (known.parts.length == 0) {
      out.writeByte(0);
    }
    for (int i = 0; i < known.parts.length; i++) {
      try {
        known.parts[i].write(out, known.accessors[i].invoke(value));
      } catch (NullPointerException e) {
        // The only null a plan can meet is one in the message.
        throw new MillraceException(
            ErrorKind.BUG,
            name(known.accessors[i]) + " is or holds null, which messages must not.",
            e);
      } catch (InvocationTargetException e) {
        throw new MillraceException(
            ErrorKind.BUG,
            name(known.accessors[i]) + " cannot be read: " + Failure.sentence(e.getCause()),
            e.getCause());
      } catch (IllegalAccessException e) {
        throw new IllegalStateException("Accessors were made accessible", e);
      }
    }
    out.leave();
  }

  @Override
  public Object read(WireReader in) {
    Anatomy known = anatomy();
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
          shape + " refuses its components: " + Failure.sentence(e.getCause()), e.getCause());
    } catch (InstantiationException | IllegalAccessException e) {
      throw new IllegalStateException("Records are concrete and were made accessible", e);
    }
  }

  @Override
  public TypeCodec[] parts() {
    return anatomy().parts;
  }

  private Anatomy anatomy() {
    Anatomy known = anatomy;
    if (known == null) {
      known = dissect();
      anatomy = known;
    }
    return known;
  }

  private Anatomy dissect() {
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
      return new Anatomy(constructor, accessors, parts);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("Every record has its canonical constructor", e);
    }
  }

  private static String name(Method accessor) {
    return accessor.getDeclaringClass().getSimpleName() + "." + accessor.getName();
  }

  private static final class Anatomy {
    final Constructor<?> constructor;
    final Method[] accessors;
    final TypeCodec[] parts;

    Anatomy(Constructor<?> constructor, Method[] accessors, TypeCodec[] parts) {
      this.constructor = constructor;
      this.accessors = accessors;
      this.parts = parts;
    }
  }
}
