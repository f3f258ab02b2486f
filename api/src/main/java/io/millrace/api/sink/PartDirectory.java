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
import java.util.OptionalLong;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directory of a {@link TextFileSink}, as one of its writers sees it. A writer is responsible
 * for the files of its subtask. Files of subtasks beyond the parallelism, of an earlier job or from
 * before a change of the parallelism, are shared out among the writers.
 */
final class PartDirectory {
  private static final Pattern PART = Pattern.compile("part-(\\d{1,9})-(\\d{1,18})");
  private static final Pattern IN_PROGRESS =
      Pattern.compile("\\.part-(\\d{1,9})-(\\d{1,18})-[0-9a-f-]+\\.inprogress");

  private final FilePath directory;
  private final FileSystem files;
  private final SinkContext context;

  /** Distinguishes files of this writer from those of every other attempt. */
  private final String writer = UUID.randomUUID().toString();

  /**
   * How a writer starts.
   *
   * @param next the number of its first part
   * @param replaced the files that its first commit removes
   */
  record Start(long next, List<String> replaced) {
    Start {
      replaced = List.copyOf(replaced);
    }

    Start removing(List<String> more) {
      List<String> all = new ArrayList<>(replaced);
      all.addAll(more);
      return new Start(next, all);
    }
  }

  /** A file with the subtask and the number in its name. */
  private record NumberedFile(FilePath path, int subtask, long number) {}

  PartDirectory(FilePath directory, SinkContext context) {
    this.directory = directory;
    this.files = context.files().of(directory);
    this.context = context;
  }

  FileSystem files() {
    return files;
  }

  SinkContext context() {
    return context;
  }

  FilePath inProgress(long number) {
    return directory.child("." + name(number) + "-" + writer + ".inprogress");
  }

  FilePath part(long number) {
    return directory.child(name(number));
  }

  private String name(long number) {
    return "part-" + context.subtask() + "-" + number;
  }

  /**
   * Creates the directory, refuses parts of an earlier job, and finds what killed attempts left.
   *
   * <p>This attempt may be a killed one itself that starts late, on a TaskManager that cannot hear
   * of it, and the files that it finds may be those of its successor. With checkpoints it deletes
   * them only with its first commit, which a killed attempt never gets to. Without, it deletes them
   * at once, because an attempt commits at the end of its input without being told to: the commit
   * of a killed one, or of its successor, then fails, and the job starts anew.
   *
   * @param state the numbers of all writers in the checkpoint; empty if the job starts without one
   */
  Start open(List<PartNumber> state, boolean overwrite) throws IOException {
    Optional<FileStatus> there = files.status(directory);
    if (there.isPresent() && !there.get().isDirectory()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Output '"
              + directory
              + "' is a file. Name a directory; each task writes parts into it.");
    }
    files.createDirectories(directory);
    List<String> leftovers = leftovers(state);
    if (!context.isCheckpointing()) {
      // Before parts are listed: a killed attempt that still runs cannot commit these any more.
      for (String file : leftovers) {
        files.delete(FilePath.parse(file));
      }
    }
    List<NumberedFile> parts = list(PART);
    Start start = context.isRestored() ? resume(parts, state) : begin(parts, overwrite);
    return context.isCheckpointing() ? start.removing(leftovers) : start;
  }

  private Start begin(List<NumberedFile> parts, boolean overwrite) {
    // Tasks start and finish independently of each other, so a part of another task may well be of
    // this very job. What no task of this job writes before this line is its own parts and those
    // beyond the parallelism; every task looking at these covers them all. From the second attempt
    // on, these are parts that an earlier attempt of this job committed.
    List<NumberedFile> earlier =
        parts.stream()
            .filter(part -> part.subtask() == context.subtask() || isBeyond(part))
            .toList();
    if (earlier.isEmpty()) {
      return new Start(0, List.of());
    }
    if (!overwrite && context.attempt() == 0) {
      throw existing(earlier.get(0));
    }
    // Higher than all numbers in the directory: a removal that is repeated after a failure must
    // never find a part of this job.
    return new Start(
        1 + highest(parts),
        earlier.stream().filter(this::isResponsible).map(part -> part.path().toString()).toList());
  }

  private Start resume(List<NumberedFile> parts, List<PartNumber> state) {
    // A subtask that had finished before the checkpoint has no number in it, but has parts.
    long next =
        Math.max(
            next(state),
            1
                + highest(
                    parts.stream().filter(part -> part.subtask() == context.subtask()).toList()));
    // Without periodic checkpoints an earlier attempt that began with the same savepoint has
    // committed at the end of its input, and this attempt writes the same records again.
    List<String> replaced =
        context.isCheckpointing() || context.attempt() == 0
            ? List.of()
            : parts.stream()
                .filter(this::isResponsible)
                .filter(part -> next(state, part.subtask()).orElse(Long.MAX_VALUE) <= part.number())
                .map(part -> part.path().toString())
                .toList();
    return new Start(next, replaced);
  }

  /**
   * The unfinished parts of killed attempts. Those with lower numbers than the checkpoint has may
   * belong to it.
   */
  private List<String> leftovers(List<PartNumber> state) throws IOException {
    return list(IN_PROGRESS).stream()
        .filter(this::isResponsible)
        .filter(file -> file.number() >= next(state, file.subtask()).orElse(next(state)))
        .map(file -> file.path().toString())
        .toList();
  }

  private static long next(List<PartNumber> state) {
    return state.stream().mapToLong(PartNumber::next).max().orElse(0);
  }

  private static OptionalLong next(List<PartNumber> state, int subtask) {
    return state.stream()
        .filter(number -> number.subtask() == subtask)
        .mapToLong(PartNumber::next)
        .max();
  }

  private static long highest(List<NumberedFile> parts) {
    return parts.stream().mapToLong(NumberedFile::number).max().orElse(-1);
  }

  private boolean isBeyond(NumberedFile file) {
    return file.subtask() >= context.parallelism();
  }

  private boolean isResponsible(NumberedFile file) {
    return file.subtask() % context.parallelism() == context.subtask();
  }

  private List<NumberedFile> list(Pattern pattern) throws IOException {
    List<NumberedFile> found = new ArrayList<>();
    for (FileStatus status : files.list(directory)) {
      Matcher name = pattern.matcher(status.path().name());
      if (name.matches()) {
        found.add(
            new NumberedFile(
                status.path(), Integer.parseInt(name.group(1)), Long.parseLong(name.group(2))));
      }
    }
    return found;
  }

  private MillraceException existing(NumberedFile part) {
    return new MillraceException(
        ErrorKind.USER,
        "Output '"
            + directory
            + "' already holds "
            + part.path().name()
            + " of an earlier job. Choose another directory, remove it, or use"
            + " TextFileSink.overwrite().");
  }
}
