package io.millrace.api;

import io.millrace.api.state.MapStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;

/** Checks the broadcast states of a program. */
final class BroadcastStateChecks {
  private BroadcastStateChecks() {}

  /** The names of the states; refuses a name that occurs twice and a time to live. */
  static List<String> names(MapStateDescriptor<?, ?>... descriptors) {
    List<String> names = new ArrayList<>();
    for (MapStateDescriptor<?, ?> descriptor : descriptors) {
      if (names.contains(descriptor.name())) {
        throw new MillraceException(
            ErrorKind.USER,
            "Two broadcast states have the name '"
                + descriptor.name()
                + "'. Give each a name of its own.");
      }
      if (descriptor.ttl().expires()) {
        throw new MillraceException(
            ErrorKind.USER,
            "Broadcast state '"
                + descriptor.name()
                + "' has a time to live. Only keyed state expires.");
      }
      names.add(descriptor.name());
    }
    return names;
  }
}
