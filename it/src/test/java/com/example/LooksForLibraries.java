package com.example;

import io.millrace.api.StreamEnvironment;
import java.util.List;

/** Prints which libraries main and functions find outside of the program's jar. */
public final class LooksForLibraries {
  private static final List<String> NAMES =
      List.of(
          "com.fasterxml.jackson.databind.ObjectMapper",
          "io.netty.buffer.ByteBuf",
          "picocli.CommandLine",
          "org.slf4j.LoggerFactory",
          "javax.sql.DataSource",
          "io.millrace.api.DataStream");

  private LooksForLibraries() {}

  public static void main(String[] args) {
    System.out.println("main: " + found());
    StreamEnvironment.current()
        .fromElements("task: ")
        .map(where -> where + found())
        .collect("libraries")
        .forEachRemaining(System.out::println);
  }

  private static List<String> found() {
    return NAMES.stream().filter(LooksForLibraries::isThere).toList();
  }

  private static boolean isThere(String name) {
    try {
      Class.forName(name);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
