package io.millrace.task.checkpoint;

import java.util.List;

/**
 * Stores directories and metadata of checkpoints. A simulation seam.
 *
 * <p>Methods block. Any number of threads may call them. Trouble with the storage is a {@link
 * io.millrace.core.error.MillraceException} of kind EXTERNAL; metadata that is damaged or of a
 * newer format is one of kind USER, because another checkpoint has to be chosen.
 */
public interface CheckpointStorage {
  /** The name of the metadata file in the directory of a checkpoint. */
  String METADATA = "_metadata";

  /** Creates a directory and its missing parents. */
  void createDirectory(String directory);

  /**
   * Writes the metadata into the directory of its checkpoint. A reader sees it completely or not at
   * all. Fails if the directory has metadata already.
   */
  void writeMetadata(String directory, CheckpointMetadata metadata);

  /**
   * Reads the metadata of a checkpoint or savepoint.
   *
   * @param path the directory, or the metadata file in it
   */
  StoredMetadata readMetadata(String path);

  /** Deletes a directory with everything in it; one that does not exist is deleted already. */
  void delete(String directory);

  /**
   * The names of the files in a directory, in order; none if it does not exist. For files that
   * several checkpoints refer to, see {@link SharedFileName}.
   */
  List<String> files(String directory);

  /** The names of the directories in a directory, in order; none if it does not exist. */
  List<String> directories(String directory);

  /** Deletes files of a directory; those that do not exist are deleted already. */
  void deleteFiles(String directory, List<String> names);

  /**
   * Metadata with the place where it was found.
   *
   * @param directory what {@link StateHandle.Directory#EXCLUSIVE} files are relative to
   */
  record StoredMetadata(String directory, CheckpointMetadata metadata) {}
}
