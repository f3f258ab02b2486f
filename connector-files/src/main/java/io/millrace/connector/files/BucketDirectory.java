package io.millrace.connector.files;

import io.millrace.api.sink.SinkContext;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The directory of a {@link FileSink}, as one of its writers sees it. Parts that are not committed
 * lie in one hidden directory of it. A writer is responsible for the files of its subtask; files of
 * subtasks beyond the parallelism, of an earlier job or from before a change of the parallelism,
 * are shared out among the writers.
 */
final class BucketDirectory {
  /** Where parts are written. */
  static final String PENDING = ".pending";

  private final FilePath directory;
  private final FileSystem files;
  private final SinkContext context;
  private final PartNames names;
  private final String token = UUID.randomUUID().toString().replace("-", "").substring(0, 12);

  /**
   * How a writer starts.
   *
   * @param next the number of its first part
   * @param replaced the files that its first commit deletes
   */
  record Start(long next, List<String> replaced) {
    Start {
      replaced = List.copyOf(replaced);
    }
  }

  private record NumberedFile(FilePath path, int subtask, long number) {}

  BucketDirectory(FilePath directory, PartNames names, SinkContext context) {
    this.directory = directory;
    this.files = context.files().of(directory);
    this.names = names;
    this.context = context;
  }

  FileSystem files() {
    return files;
  }

  SinkContext context() {
    return context;
  }

  FilePath pending() {
    return directory.child(PENDING);
  }

  FilePath pending(long number) {
    return pending().child(name(number));
  }

  FilePath part(String bucket, long number) {
    return (bucket.isEmpty() ? directory : directory.child(bucket)).child(name(number));
  }

  private String name(long number) {
    return names.name(new PartNames.Part(context.subtask(), number), token);
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
  Start open(List<WriterNumber> state, boolean overwrite) throws IOException {
    Optional<FileStatus> there = files.status(directory);
    if (there.isPresent() && !there.get().isDirectory()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Output '"
              + directory
              + "' is a file. Name a directory; each task writes parts into it.");
    }
    files.createDirectories(pending());
    List<String> replaced = new ArrayList<>();
    for (String leftover : leftovers(state)) {
      if (context.isCheckpointing()) {
        replaced.add(leftover);
      } else {
        // Before parts are listed: a killed attempt that still runs cannot commit these any more.
        files.delete(FilePath.parse(leftover));
      }
    }
    if (context.isRestored()) {
      replaced.addAll(writtenSince(state));
      return new Start(next(state), replaced);
    }
    replaced.addAll(earlier(overwrite));
    return new Start(0, replaced);
  }

  /** The parts of an earlier job or attempt, which began without state, too. */
  private List<String> earlier(boolean overwrite) throws IOException {
    // Tasks start and finish independently of each other, so a part of another task may well be of
    // this very job. What no task of this job writes before this line is its own parts and those
    // beyond the parallelism; every task looking at these covers them all. From the second attempt
    // on, these are parts that an earlier attempt of this job committed.
    List<NumberedFile> earlier =
        parts().stream()
            .filter(
                part ->
                    part.subtask() == context.subtask() || part.subtask() >= context.parallelism())
            .toList();
    if (!earlier.isEmpty() && !overwrite && context.attempt() == 0) {
      throw new MillraceException(
          ErrorKind.USER,
          "Output '"
              + directory
              + "' already holds "
              + earlier.get(0).path().name()
              + " of an earlier job. Choose another directory, remove it, use another prefix for"
              + " the names of parts, or use FileSink.overwrite().");
    }
    return earlier.stream()
        .filter(this::isResponsible)
        .map(part -> part.path().toString())
        .toList();
  }

  /**
   * Without periodic checkpoints an earlier attempt that began with the same savepoint has
   * committed at the end of its input, and this attempt writes the same records again.
   */
  private List<String> writtenSince(List<WriterNumber> state) throws IOException {
    if (context.isCheckpointing() || context.attempt() == 0) {
      return List.of();
    }
    return parts().stream()
        .filter(this::isResponsible)
        .filter(part -> next(state, part.subtask()).orElse(Long.MAX_VALUE) <= part.number())
        .map(part -> part.path().toString())
        .toList();
  }

  /**
   * The unfinished parts of killed attempts. Those with lower numbers than the checkpoint has may
   * belong to it.
   */
  private List<String> leftovers(List<WriterNumber> state) throws IOException {
    List<NumberedFile> pending = new ArrayList<>();
    for (FileStatus file : entries(pending())) {
      add(file, pending);
    }
    return pending.stream()
        .filter(this::isResponsible)
        .filter(file -> file.number() >= next(state, file.subtask()).orElse(next(state)))
        .map(file -> file.path().toString())
        .toList();
  }

  private static long next(List<WriterNumber> state) {
    return state.stream().mapToLong(WriterNumber::next).max().orElse(0);
  }

  private static OptionalLong next(List<WriterNumber> state, int subtask) {
    return state.stream()
        .filter(number -> number.subtask() == subtask)
        .mapToLong(WriterNumber::next)
        .max();
  }

  private boolean isResponsible(NumberedFile file) {
    return file.subtask() % context.parallelism() == context.subtask();
  }

  /** The committed parts in all buckets. */
  private List<NumberedFile> parts() throws IOException {
    List<NumberedFile> found = new ArrayList<>();
    list(directory, found);
    return found;
  }

  /** None if the directory is not there: others delete some. */
  private List<FileStatus> entries(FilePath in) throws IOException {
    try {
      return files.list(in);
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  private void list(FilePath bucket, List<NumberedFile> found) throws IOException {
    for (FileStatus entry : entries(bucket)) {
      if (!entry.isDirectory()) {
        add(entry, found);
      } else if (!entry.path().name().startsWith(".")) {
        list(entry.path(), found);
      }
    }
  }

  private void add(FileStatus file, List<NumberedFile> to) {
    names
        .parse(file.path().name())
        .ifPresent(part -> to.add(new NumberedFile(file.path(), part.subtask(), part.number())));
  }
}
