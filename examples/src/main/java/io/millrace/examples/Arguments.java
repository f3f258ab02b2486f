package io.millrace.examples;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The arguments of an example: {@code --name value} and {@code --flag}. */
final class Arguments {
  private final Map<String, String> values = new LinkedHashMap<>();
  private final Set<String> flags = new LinkedHashSet<>();

  private Arguments() {}

  static Arguments parse(String[] args, List<String> names, List<String> flagNames) {
    Arguments arguments = new Arguments();
    for (int i = 0; i < args.length; i++) {
      String argument = args[i];
      if (flagNames.contains(argument)) {
        arguments.flags.add(argument);
      } else if (!names.contains(argument)) {
        throw usageError("Unknown argument '" + argument + "'.", names, flagNames);
      } else if (++i == args.length) {
        throw usageError("Argument " + argument + " needs a value.", names, flagNames);
      } else if (args[i].isBlank()) {
        throw usageError("The value of argument " + argument + " is empty.", names, flagNames);
      } else if (arguments.values.put(argument, args[i]) != null) {
        throw usageError("Argument " + argument + " is given twice.", names, flagNames);
      }
    }
    return arguments;
  }

  private static MillraceException usageError(
      String what, List<String> names, List<String> flagNames) {
    StringBuilder usage = new StringBuilder();
    names.forEach(name -> usage.append(" [").append(name).append(" VALUE]"));
    flagNames.forEach(name -> usage.append(" [").append(name).append("]"));
    return new MillraceException(ErrorKind.USER, what + " Usage:" + usage);
  }

  boolean has(String flag) {
    return flags.contains(flag);
  }

  Optional<String> find(String name) {
    return Optional.ofNullable(values.get(name));
  }

  long positive(String name, long fallback) {
    String text = values.get(name);
    if (text == null) {
      return fallback;
    }
    try {
      long number = Long.parseLong(text);
      if (number > 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new MillraceException(
          ErrorKind.USER, name + " must be a whole number > 0, but is '" + text + "'.", e);
    }
    throw new MillraceException(
        ErrorKind.USER, name + " must be a whole number > 0, but is '" + text + "'.");
  }
}
