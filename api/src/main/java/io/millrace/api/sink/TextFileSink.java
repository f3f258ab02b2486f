package io.millrace.api.sink;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Writes each record as a line of a text file; task <i>i</i> writes {@code part-i} of a directory.
 * The file appears under that name when the task has all its input, complete, and never before.
 *
 * <p>A directory that already holds parts is refused, so that no output is lost or mixed by
 * mistake; {@link #overwrite()} replaces them, each when the new one is complete.
 */
public final class TextFileSink<T> implements Sink<T> {
  private static final long serialVersionUID = 1L;
  private static final Pattern PART = Pattern.compile("part-(\\d{1,9})");

  private final String directory;
  private final boolean overwrite;

  private TextFileSink(String directory, boolean overwrite) {
    this.directory = directory;
    this.overwrite = overwrite;
  }

  /** Into this directory, which is created where it does not exist. */
  public static <T> TextFileSink<T> to(String directory) {
    // The working directory that counts is the one of the program, not that of a TaskManager.
    return new TextFileSink<>(Path.of(directory).toAbsolutePath().toString(), false);
  }

  /** Replaces the parts of an earlier job. */
  public TextFileSink<T> overwrite() {
    return new TextFileSink<>(directory, true);
  }

  @Override
  public SinkWriter<T> open(SinkContext context) throws IOException {
    Path parts = Path.of(directory);
    if (Files.exists(parts) && !Files.isDirectory(parts)) {
      throw new MillraceException(
          ErrorKind.USER,
          "Output '" + parts + "' is a file. Name a directory; each task writes a part into it.");
    }
    Files.createDirectories(parts);
    // Tasks open and finish independently of each other, so a part of another task may well be of
    // this very job. What no task of this job writes before this line is its own part and those
    // beyond the parallelism; every task looking at these covers them all. From the second attempt
    // on, the own part is one that an earlier attempt of this job committed.
    if (!overwrite && context.attempt() == 0) {
      List<Path> earlier = list(parts, context, index -> index == context.subtask());
      if (!earlier.isEmpty()) {
        throw existing(earlier.get(0));
      }
    }
    deleteForerunners(parts, context);
    return new TextFileWriter<>(
        parts.resolve(inProgress(context.subtask(), context.attempt())),
        parts.resolve("part-" + context.subtask()),
        overwrite ? () -> deleteBeyond(parts, context) : () -> {});
  }

  private static MillraceException existing(Path part) {
    return new MillraceException(
        ErrorKind.USER,
        "Output '"
            + part.getParent()
            + "' already holds "
            + part.getFileName()
            + " of an earlier job. Choose another directory, remove it, or use"
            + " TextFileSink.overwrite().");
  }

  static String inProgress(int subtask, int attempt) {
    return ".part-" + subtask + "-" + attempt + ".inprogress";
  }

  /** Parts of an earlier job with a higher parallelism; each task removes its share of them. */
  private static void deleteBeyond(Path parts, SinkContext context) throws IOException {
    for (Path part : list(parts, context, index -> false)) {
      int index = Integer.parseInt(part.getFileName().toString().substring("part-".length()));
      if (index % context.parallelism() == context.subtask()) {
        Files.deleteIfExists(part);
      }
    }
  }

  /** The parts beyond the parallelism, and those whose index the predicate takes. */
  private static List<Path> list(Path parts, SinkContext context, IntPredicate also)
      throws IOException {
    try (Stream<Path> entries = Files.list(parts)) {
      return entries
          .filter(
              path -> {
                Matcher name = PART.matcher(path.getFileName().toString());
                if (!name.matches()) {
                  return false;
                }
                int index = Integer.parseInt(name.group(1));
                return index >= context.parallelism() || also.test(index);
              })
          .sorted()
          .toList();
    }
  }

  /** What attempts before this one left when their process was killed. */
  private static void deleteForerunners(Path parts, SinkContext context) throws IOException {
    for (int attempt = 0; attempt < context.attempt(); attempt++) {
      Files.deleteIfExists(parts.resolve(inProgress(context.subtask(), attempt)));
    }
  }
}
