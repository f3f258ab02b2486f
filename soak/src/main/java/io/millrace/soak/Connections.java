package io.millrace.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** The TCP connections of a process; {@code ss -K} cuts them by resetting both ends. */
final class Connections {
  private Connections() {}

  /** Ends of a connection, as {@code ss} prints them. */
  private record Connection(String local, String peer) {
    String port(String address) {
      return address.substring(address.lastIndexOf(':') + 1);
    }
  }

  /** Cuts each connection of the process, or about half of them; returns how many. */
  static int cut(long pid, Random random) throws IOException, InterruptedException {
    boolean all = random.nextBoolean();
    int cut = 0;
    for (Connection connection : of(pid)) {
      if (all || random.nextBoolean()) {
        run(
            "ss",
            "-K",
            "-t",
            "sport",
            "=",
            ":" + connection.port(connection.local()),
            "and",
            "dport",
            "=",
            ":" + connection.port(connection.peer()));
        cut++;
      }
    }
    return cut;
  }

  /** The local ports of the connections of a process. */
  static Set<Integer> localPorts(long pid) throws IOException, InterruptedException {
    return of(pid).stream()
        .map(connection -> Integer.valueOf(connection.port(connection.local())))
        .collect(Collectors.toSet());
  }

  private static List<Connection> of(long pid) throws IOException, InterruptedException {
    List<Connection> found = new ArrayList<>();
    for (String line : run("ss", "-Htnp", "state", "established")) {
      if (line.contains("pid=" + pid + ",")) {
        String[] fields = line.strip().split("\\s+");
        found.add(new Connection(fields[2], fields[3]));
      }
    }
    return found;
  }

  private static List<String> run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    List<String> lines;
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      lines = out.lines().toList();
    }
    process.waitFor();
    return lines;
  }
}
