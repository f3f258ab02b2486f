package io.millrace.client;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** The targets on the class path. */
public final class Targets {
  private final List<Target> targets;

  Targets(List<Target> targets) {
    this.targets = targets.stream().sorted(Comparator.comparing(Target::name)).toList();
  }

  public static Targets onClassPath() {
    List<Target> found = new ArrayList<>();
    ServiceLoader.load(Target.class, Targets.class.getClassLoader()).forEach(found::add);
    return new Targets(found);
  }

  public Target named(String name) {
    return targets.stream()
        .filter(target -> target.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "There is no target '"
                        + name
                        + "'. Choose one of: "
                        + targets.stream().map(Target::name).collect(Collectors.joining(", "))
                        + "."));
  }
}
