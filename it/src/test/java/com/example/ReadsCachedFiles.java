package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;

/**
 * Reads cached files in each task. The arguments are a script, a directory with the file {@code
 * sub/greeting} and an archive with the same content.
 */
public final class ReadsCachedFiles {
  private ReadsCachedFiles() {}

  /** Emits what the files say and, for the number of copies, where the script is. */
  static final class Reading implements MapFunction<Long, String>, RichFunction {
    private static final long serialVersionUID = 1L;
    private transient String said;

    @Override
    public void open(RuntimeContext context) throws Exception {
      Path script = context.cachedFile("script");
      Process process = new ProcessBuilder(script.toString()).start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
      said =
          String.join(
              ", ",
              output,
              Files.readString(context.cachedFile("directory").resolve("sub/greeting")),
              Files.readString(context.cachedFile("archive").resolve("sub/greeting")),
              script.toString());
    }

    @Override
    public void close() {}

    @Override
    public String map(Long number) {
      return said;
    }
  }

  public static void main(String[] args) {
    StreamEnvironment env =
        StreamEnvironment.current()
            .registerCachedFile(args[0], "script", true)
            .registerCachedFile(args[1], "directory")
            .registerCachedArchive(args[2], "archive");
    TreeSet<String> said = new TreeSet<>();
    env.generate(number -> number, 40)
        .map(new Reading())
        .collect("reads cached files")
        .toList()
        .forEach(said::add);
    said.forEach(line -> System.out.println("said " + line));
  }
}
