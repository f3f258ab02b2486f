package io.millrace.connector.files;

import io.millrace.api.sink.Committer;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renames complete parts into their buckets, and deletes those that they replace. */
final class PartCommitter implements Committer<PartCommit> {
  private static final Logger LOG = LoggerFactory.getLogger(PartCommitter.class);

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
          delete(FilePath.parse(file));
        }
      } else {
        throw new MillraceException(
            ErrorKind.BUG, "Unknown committable " + commit.getClass().getName());
      }
    }
  }

  private void delete(FilePath path) throws IOException {
    try {
      fileSystems.of(path).delete(path);
    } catch (DirectoryNotEmptyException e) {
      // The directory of unfinished parts. A writer that commits later deletes it.
      LOG.debug("'{}' still has parts of other writers", path);
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
