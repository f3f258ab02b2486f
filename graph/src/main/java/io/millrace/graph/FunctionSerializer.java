package io.millrace.graph;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** User functions as bytes. */
final class FunctionSerializer {
  private FunctionSerializer() {}

  static Bytes of(Serializable value, String operator) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    } catch (NotSerializableException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Operator '"
              + operator
              + "' cannot be sent to the TaskManagers: "
              + NotSerializablePathFinder.to(e.getMessage(), value)
                  .orElse("it holds an object of " + e.getMessage())
              + ", which is not Serializable. Create it inside the function, make the field"
              + " transient, or make the class Serializable.",
          e);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Operator '"
              + operator
              + "' cannot be sent to the TaskManagers, because it cannot be serialised: "
              + Failure.sentence(e),
          e);
    }
    return Bytes.wrap(bytes.toByteArray());
  }
}
