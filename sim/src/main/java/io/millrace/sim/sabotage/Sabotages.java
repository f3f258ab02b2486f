package io.millrace.sim.sabotage;

import java.util.List;
import java.util.Optional;

/** All the ways in which rules are broken on purpose. */
public final class Sabotages {
  private Sabotages() {}

  public static List<Sabotage> all() {
    return List.of();
  }

  public static Optional<Sabotage> find(String name) {
    return all().stream().filter(sabotage -> sabotage.name().equals(name)).findFirst();
  }
}
