package io.millrace.rest;

import io.millrace.core.error.Failure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamConstants;
import java.io.ObjectStreamField;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Base64;

/**
 * Writes objects that clients of Flink read with Java serialisation. The classes of Flink are not
 * needed: classes with the same fields are written under their names, as Base64. Nothing is read.
 */
final class FlinkObjects {
  private FlinkObjects() {}

  /** A failure as the {@code SerializedThrowable} that a client of Flink throws. */
  static String throwable(Failure failure) {
    return write(new ThrowableForm(failure));
  }

  /** The value of an accumulator as an {@code OptionalFailure}. */
  static String value(Serializable value) {
    return write(new ValueForm(value));
  }

  private static String write(Object object) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new RenamingStream(bytes)) {
      out.writeObject(object);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  /** {@code org.apache.flink.util.SerializedThrowable}. Only serialisation reads its fields. */
  @SuppressWarnings("unused")
  private static final class ThrowableForm extends Exception {
    static final String NAME = "org.apache.flink.util.SerializedThrowable";
    private static final long serialVersionUID = 7284183123441947635L;

    private final String fullStringifiedStackTrace;
    private final String originalErrorClassName;

    /** Without the exception itself, whose class the JobManager does not have. */
    private final byte[] serializedException = null;

    ThrowableForm(Failure failure) {
      super(failure.type() + ": " + failure.message(), null, false, false);
      fullStringifiedStackTrace = JobViews.stackTrace(failure);
      originalErrorClassName = failure.type();
    }
  }

  /** {@code org.apache.flink.util.OptionalFailure} with a value. */
  @SuppressWarnings("unused") // Only serialisation reads the cause.
  private static final class ValueForm implements Serializable {
    static final String NAME = "org.apache.flink.util.OptionalFailure";
    private static final long serialVersionUID = 1L;

    private final Throwable failureCause = null;
    private final transient Object value;

    ValueForm(Serializable value) {
      this.value = value;
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
      out.defaultWriteObject();
      out.writeObject(value);
    }
  }

  private static final class RenamingStream extends ObjectOutputStream {
    RenamingStream(ByteArrayOutputStream out) throws IOException {
      super(out);
    }

    @Override
    protected void writeClassDescriptor(ObjectStreamClass type) throws IOException {
      if (type.forClass() == ThrowableForm.class) {
        write(type, ThrowableForm.NAME, ObjectStreamConstants.SC_SERIALIZABLE);
      } else if (type.forClass() == ValueForm.class) {
        write(
            type,
            ValueForm.NAME,
            ObjectStreamConstants.SC_SERIALIZABLE | ObjectStreamConstants.SC_WRITE_METHOD);
      } else {
        super.writeClassDescriptor(type);
      }
    }

    /** The layout of the Java serialisation protocol: name, version, flags and fields. */
    private void write(ObjectStreamClass type, String name, int flags) throws IOException {
      writeUTF(name);
      writeLong(type.getSerialVersionUID());
      writeByte(flags);
      ObjectStreamField[] fields = type.getFields();
      writeShort(fields.length);
      for (ObjectStreamField field : fields) {
        writeByte(field.getTypeCode());
        writeUTF(field.getName());
        if (!field.isPrimitive()) {
          writeObject(field.getTypeString());
        }
      }
    }
  }
}
