package io.millrace.connector.files;

import io.millrace.api.sink.Committer;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** Renames complete parts into their buckets, and deletes those that they replace. */
final class PartCommitter implements Committer<PartCommit> {
  private final FileSystems fileSystems;

  PartCommitter(FileSystems fileSystems) {
    this.fileSystems = fileSystems;
  }

  @Override
  public void commit(List<PartCommit> commits) throws IOException {
    for (PartCommit commit : commits) {
      if (commit instanceof PartCommit.Publish publish) {
        publish(FilePath.parse(publish.from()), FilePath.parse(publish.to()));
      } else if (commit instanceof PartCommit.Delete delete) {
        for (String file : delete.files()) {
          FilePath path = FilePath.parse(file);
          fileSystems.of(path).delete(path);
        }
      } else {
        throw new MillraceException(
            ErrorKind.BUG, "Unknown committable " + commit.getClass().getName());
      }
    }
  }

  private void publish(FilePath from, FilePath to) throws IOException {
    FileSystem files = fileSystems.of(from);
    if (files.status(from).isEmpty() && files.status(to).isPresent()) {
      return;
    }
    files.createDirectories(to.parent());
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
