package io.millrace.yarn.launch;

import io.millrace.yarn.YarnOptions.UserJars;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** The class path of a container's process. */
public final class ContainerClassPath {
  private ContainerClassPath() {}

  /**
   * @param engine the jars of the engine
   * @param files further files of the container, with the jars of the program
   */
  public static List<String> of(UserJars order, List<String> engine, List<StagedFile> files) {
    List<String> added = new ArrayList<>();
    List<String> program = new ArrayList<>();
    for (StagedFile file : files) {
      if (file.link().endsWith(".jar")) {
        (file.link().startsWith(ContainerLayout.USER_JARS + "/") ? program : added)
            .add(file.link());
      }
    }
    List<String> path = new ArrayList<>();
    switch (order) {
      case FIRST -> {
        path.addAll(program);
        path.addAll(engine);
        path.addAll(added);
      }
      case LAST -> {
        path.addAll(engine);
        path.addAll(added);
        path.addAll(program);
      }
      case ORDER -> {
        path.addAll(engine);
        // Jars that are not of the engine are sorted by their names, without directories.
        TreeSet<String> byName =
            new TreeSet<>(
                Comparator.comparing(ContainerClassPath::fileName)
                    .thenComparing(Comparator.naturalOrder()));
        byName.addAll(added);
        byName.addAll(program);
        path.addAll(byName);
      }
      case DISABLED -> {
        path.addAll(engine);
        path.addAll(added);
      }
    }
    return path;
  }

  private static String fileName(String link) {
    return link.substring(link.lastIndexOf('/') + 1);
  }
}
