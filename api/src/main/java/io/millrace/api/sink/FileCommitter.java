package io.millrace.api.sink;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** Renames complete parts, and removes those that they replace. */
final class FileCommitter implements Committer<FileCommit> {
  private final FileSystems fileSystems;

  FileCommitter(FileSystems fileSystems) {
    this.fileSystems = fileSystems;
  }

  @Override
  public void commit(List<FileCommit> commits) throws IOException {
    for (FileCommit commit : commits) {
      if (commit instanceof FileCommit.Rename rename) {
        rename(FilePath.parse(rename.from()), FilePath.parse(rename.to()));
      } else if (commit instanceof FileCommit.Remove remove) {
        for (String part : remove.parts()) {
          FilePath path = FilePath.parse(part);
          fileSystems.of(path).delete(path);
        }
      } else {
        throw new MillraceException(
            ErrorKind.BUG, "Unknown committable " + commit.getClass().getName());
      }
    }
  }

  private void rename(FilePath from, FilePath to) throws IOException {
    FileSystem files = fileSystems.of(from);
    try {
      // An interrupted rename of an object store leaves both files; the repetition completes it.
      files.replace(from, to);
    } catch (NoSuchFileException e) {
      if (files.status(to).isEmpty()) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "Part '"
                + to
                + "' of a completed checkpoint does not exist, and neither does the file '"
                + from
                + "' that is to be renamed to it. Its records are lost unless one of the two is"
                + " brought back; or start the job with an earlier checkpoint.",
            e);
      }
    }
  }
}
