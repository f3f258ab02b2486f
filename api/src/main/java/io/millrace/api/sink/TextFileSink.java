package io.millrace.api.sink;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes each record as a line of a text file; task <i>i</i> writes {@code part-i} of a directory.
 * The file appears under that name when the task has all its input, complete, and never before.
 *
 * <p>A directory that already holds parts is refused, so that no output is lost or mixed by
 * mistake; {@link #overwrite()} replaces them, each when the new one is complete.
 *
 * <p>A directory with a scheme, as in {@code hdfs://host/directory}, is written through the file
 * system that offers the scheme.
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
    if (directory.isBlank()) {
      throw new MillraceException(
          ErrorKind.USER,
          "The directory of a text sink is empty. Name one; '.' is the working directory.");
    }
    // The working directory that counts is the one of the program, not that of a TaskManager.
    return new TextFileSink<>(FilePath.parse(directory).toString(), false);
  }

  /** Replaces the parts of an earlier job. */
  public TextFileSink<T> overwrite() {
    return new TextFileSink<>(directory, true);
  }

  @Override
  public SinkWriter<T> open(SinkContext context) throws IOException {
    FilePath parts = FilePath.parse(directory);
    FileSystem files = context.files().of(parts);
    Optional<FileStatus> there = files.status(parts);
    if (there.isPresent() && !there.get().isDirectory()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Output '" + parts + "' is a file. Name a directory; each task writes a part into it.");
    }
    files.createDirectories(parts);
    // Tasks open and finish independently of each other, so a part of another task may well be of
    // this very job. What no task of this job writes before this line is its own part and those
    // beyond the parallelism; every task looking at these covers them all. From the second attempt
    // on, the own part is one that an earlier attempt of this job committed.
    if (!overwrite && context.attempt() == 0) {
      List<String> earlier = list(files, parts, context, index -> index == context.subtask());
      if (!earlier.isEmpty()) {
        throw existing(parts, earlier.get(0));
      }
    }
    deleteUnfinished(files, parts, context);
    return new TextFileWriter<>(
        files,
        parts.child(inProgress(context.subtask(), context.attempt())),
        parts.child("part-" + context.subtask()),
        overwrite ? () -> deleteBeyond(files, parts, context) : () -> {});
  }

  private static MillraceException existing(FilePath parts, String part) {
    return new MillraceException(
        ErrorKind.USER,
        "Output '"
            + parts
            + "' already holds "
            + part
            + " of an earlier job. Choose another directory, remove it, or use"
            + " TextFileSink.overwrite().");
  }

  static String inProgress(int subtask, int attempt) {
    return ".part-" + subtask + "-" + attempt + ".inprogress";
  }

  /** Parts of an earlier job with a higher parallelism; each task removes its share of them. */
  private static void deleteBeyond(FileSystem files, FilePath parts, SinkContext context)
      throws IOException {
    for (String part : list(files, parts, context, index -> false)) {
      int index = Integer.parseInt(part.substring("part-".length()));
      if (index % context.parallelism() == context.subtask()) {
        files.delete(parts.child(part));
      }
    }
  }

  /** The parts beyond the parallelism, and those whose index the predicate takes. */
  private static List<String> list(
      FileSystem files, FilePath parts, SinkContext context, IntPredicate also) throws IOException {
    List<String> found = new ArrayList<>();
    for (FileStatus status : files.list(parts)) {
      Matcher name = PART.matcher(status.path().name());
      if (name.matches()) {
        int index = Integer.parseInt(name.group(1));
        if (index >= context.parallelism() || also.test(index)) {
          found.add(name.group());
        }
      }
    }
    return found;
  }

  /** What attempts before this one, or an earlier job, left when their process was killed. */
  private static void deleteUnfinished(FileSystem files, FilePath parts, SinkContext context)
      throws IOException {
    for (int attempt = 0; attempt <= context.attempt(); attempt++) {
      files.delete(parts.child(inProgress(context.subtask(), attempt)));
    }
  }
}
