package io.millrace.client;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Turns a batch of collected records back into objects. The data plane knows how they were written
 * and provides this through {@link ServiceLoader}.
 */
@FunctionalInterface
public interface RecordDecoder {
  /**
   * @param program what the records' classes are loaded with
   * @param serializers of the job, as its graph has them
   */
  List<Object> decode(Bytes batch, ClassLoader program, Bytes serializers);

  /** The one on the class path; looked for only when there is something to decode. */
  static RecordDecoder onClassPath() {
    return ServiceLoader.load(RecordDecoder.class, RecordDecoder.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .min(Comparator.comparing(decoder -> decoder.getClass().getName()))
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "Collected records cannot be read here: millrace-cluster is not on the class"
                        + " path. Add it."));
  }
}
