package io.millrace.sim.mutant;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The list of mutants, in the resource {@code mutants.txt}, which says how it is written. */
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
    Map<String, Draft> drafts = new LinkedHashMap<>();
    Draft current = null;
    for (String line : text.lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[")) {
        String name = line.substring(1, line.indexOf(']'));
        current = new Draft(name);
        if (drafts.put(name, current) != null) {
          throw new IllegalArgumentException("There are two mutants " + name + " in " + RESOURCE);
        }
      } else if (current == null) {
        throw new IllegalArgumentException("No mutant is named before '" + line + "'");
      } else {
        current.take(line);
      }
    }
    return drafts.values().stream().map(Draft::finished).toList();
  }

  private static final class Draft {
    private final String name;
    private String target = "";
    private String bug = "";
    private final List<String> fragment = new ArrayList<>();
    private final List<String> replacement = new ArrayList<>();

    Draft(String name) {
      this.name = name;
    }

    void take(String line) {
      if (line.startsWith("in ")) {
        target = line.substring(3).strip();
      } else if (line.startsWith("bug ")) {
        bug = line.substring(4).strip();
      } else if (line.startsWith("- ")) {
        fragment.add(line.substring(2));
      } else if (line.startsWith("+ ")) {
        replacement.add(line.substring(2));
      } else {
        throw new IllegalArgumentException("Mutant " + name + " has a line '" + line + "'");
      }
    }

    Mutant finished() {
      if (target.isEmpty() || bug.isEmpty() || fragment.isEmpty()) {
        throw new IllegalArgumentException(
            "Mutant " + name + " needs a line 'in', one 'bug' and some '-'");
      }
      return new Mutant(
          name, target, String.join("\n", fragment), String.join("\n", replacement), bug);
    }
  }
}
