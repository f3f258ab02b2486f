package io.millrace.core.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A number of bytes with its origin, for error messages.
 *
 * @param name the option, or the derived quantity
 */
record DerivedSize(String name, long bytes) {
  static DerivedSize of(Configuration configuration, Option<MemorySize> option) {
    return new DerivedSize(option.key(), configuration.get(option).bytes());
  }

  static DerivedSize sum(DerivedSize... parts) {
    try {
      long bytes = Arrays.stream(parts).mapToLong(DerivedSize::bytes).reduce(0, Math::addExact);
      return new DerivedSize(
          Arrays.stream(parts).map(DerivedSize::toString).collect(Collectors.joining(" + ")),
          bytes);
    } catch (ArithmeticException e) {
      throw contradiction(
          Arrays.stream(parts).map(DerivedSize::toString).collect(Collectors.joining(" + "))
              + " is too large for a process. Lower them.");
    }
  }

  /** The rest of this total after the parts. */
  long minus(DerivedSize... parts) {
    DerivedSize taken = sum(parts);
    if (taken.bytes > bytes) {
      throw contradiction(
          this
              + " is too small for "
              + taken.name
              + ", together "
              + new MemorySize(taken.bytes).exact()
              + ". Raise the first by at least "
              + new MemorySize(taken.bytes - bytes).exact()
              + " or lower the others.");
    }
    return bytes - taken.bytes;
  }

  static MillraceException contradiction(String message) {
    return new MillraceException(ErrorKind.USER, message);
  }

  @Override
  public String toString() {
    return name + " (" + new MemorySize(bytes).exact() + ")";
  }
}
