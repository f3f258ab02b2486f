package io.millrace.rest;

import io.vertx.core.http.HttpMethod;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The methods of each path. */
final class AllowedMethods {
  private final List<Operation> operations;

  AllowedMethods(List<Operation> operations) {
    this.operations = operations;
  }

  /**
   * Whether HEAD on the path of an operation answers with its headers: of each GET without an
   * effect, where no operation has that method itself. An event stream has no end and no length.
   */
  boolean isReadByHead(Operation operation) {
    return operation.method().equals(HttpMethod.GET)
        && !operation.effect()
        && !EventStreams.PATH.equals(operation.path())
        && operations.stream()
            .noneMatch(
                other ->
                    other.method().equals(HttpMethod.HEAD)
                        && other.path().equals(operation.path()));
  }

  /** The paths of all operations. */
  Set<String> paths() {
    Set<String> paths = new LinkedHashSet<>();
    operations.forEach(operation -> paths.add(operation.path()));
    return paths;
  }

  /** The value of the header Allow for a path; empty if there is no operation. */
  String at(String path) {
    Set<String> methods = new TreeSet<>();
    for (Operation operation : operations) {
      if (matches(operation.path(), path)) {
        methods.add(operation.method().name());
        if (isReadByHead(operation)) {
          methods.add(HttpMethod.HEAD.name());
        }
      }
    }
    if (methods.isEmpty()) {
      return "";
    }
    Set<String> all = new LinkedHashSet<>(methods);
    all.add(HttpMethod.OPTIONS.name());
    return String.join(", ", all);
  }

  /** Whether a path has the form of a pattern with parameters such as {@code :jobid}. */
  private static boolean matches(String pattern, String path) {
    String[] expected = pattern.split("/", -1);
    String[] parts = path.split("/", -1);
    for (int i = 0; i < expected.length; i++) {
      if (expected[i].equals("*")) {
        return parts.length > i;
      }
      if (i >= parts.length
          || !expected[i].equals(parts[i])
              && (!expected[i].startsWith(":") || parts[i].isEmpty())) {
        return false;
      }
    }
    return expected.length == parts.length;
  }
}
