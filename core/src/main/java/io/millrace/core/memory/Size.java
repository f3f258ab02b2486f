package io.millrace.core.memory;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemorySize;
import io.millrace.core.config.Option;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A number of bytes that remembers for messages where it comes from.
 *
 * @param name the option, or what was derived
 */
record Size(String name, long bytes) {
  static Size of(Configuration configuration, Option<MemorySize> option) {
    return new Size(option.key(), configuration.get(option).bytes());
  }

  static Size sum(Size... parts) {
    try {
      long bytes = Arrays.stream(parts).mapToLong(Size::bytes).reduce(0, Math::addExact);
      return new Size(
          Arrays.stream(parts).map(Size::toString).collect(Collectors.joining(" + ")), bytes);
    } catch (ArithmeticException e) {
      throw contradiction(
          Arrays.stream(parts).map(Size::toString).collect(Collectors.joining(" + "))
              + " is more than a process can have. Lower them.");
    }
  }

  /** What the parts leave of this whole. */
  long minus(Size... parts) {
    Size taken = sum(parts);
    if (taken.bytes > bytes) {
      throw contradiction(
          this
              + " is too little for "
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
