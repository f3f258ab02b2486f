package io.millrace.client;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Decodes a batch of collected records. The data plane, which encodes them, provides it through
 * {@link ServiceLoader}.
 */
@FunctionalInterface
public interface RecordDecoder {
  /**
   * @param program the class loader of the records' classes
   * @param serializers of the job, as its graph has them
   */
  List<Object> decode(Bytes batch, ClassLoader program, Bytes serializers);

  /** The decoder on the class path. Called only when there are records to decode. */
  static RecordDecoder onClassPath() {
    return ServiceLoader.load(RecordDecoder.class, RecordDecoder.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .min(Comparator.comparing(decoder -> decoder.getClass().getName()))
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "Collected records cannot be decoded because millrace-cluster is not on the"
                        + " class path. Add it."));
  }
}
