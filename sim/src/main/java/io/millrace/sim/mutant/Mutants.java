package io.millrace.sim.mutant;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The list of mutants. The resource {@code mutants.txt} describes its format. */
public final class Mutants {
  private static final String RESOURCE = "mutants.txt";

  private Mutants() {}

  public static List<Mutant> all() {
    try (InputStream in = Mutants.class.getResourceAsStream(RESOURCE)) {
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Mutant> parse(String text) {
    Map<String, Builder> builders = new LinkedHashMap<>();
    Builder current = null;
    for (String line : text.lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[")) {
        String name = line.substring(1, line.indexOf(']'));
        current = new Builder(name);
        if (builders.put(name, current) != null) {
          throw new IllegalArgumentException("There are two mutants " + name + " in " + RESOURCE);
        }
      } else if (current == null) {
        throw new IllegalArgumentException("No mutant is named before '" + line + "'");
      } else {
        current.add(line);
      }
    }
    return builders.values().stream().map(Builder::build).toList();
  }

  private static final class Builder {
    private final String name;
    private String target = "";
    private String bug = "";
    private final List<String> fragment = new ArrayList<>();
    private final List<String> replacement = new ArrayList<>();

    Builder(String name) {
      this.name = name;
    }

    void add(String line) {
      if (line.startsWith("in ")) {
        target = line.substring(3).strip();
      } else if (line.startsWith("bug ")) {
        bug = line.substring(4).strip();
      } else if (line.startsWith("- ")) {
        fragment.add(line.substring(2));
      } else if (line.startsWith("+ ")) {
        replacement.add(line.substring(2));
      } else {
        throw new IllegalArgumentException(
            "Mutant " + name + " has an invalid line '" + line + "'");
      }
    }

    Mutant build() {
      if (target.isEmpty() || bug.isEmpty() || fragment.isEmpty()) {
        throw new IllegalArgumentException(
            "Mutant " + name + " needs a line 'in', a line 'bug' and at least one line '-'");
      }
      return new Mutant(
          name, target, String.join("\n", fragment), String.join("\n", replacement), bug);
    }
  }
}
