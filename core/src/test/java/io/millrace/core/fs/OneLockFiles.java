package io.millrace.core.fs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/**
 * Local files whose names change under one lock, as in an HDFS NameNode. The kernel looks a
 * directory up and then renames in it, although the directory may have been renamed in between.
 */
public final class OneLockFiles implements FileSystem {
  private final FileSystem local = new LocalFileSystem();

  @Override
  public List<String> schemes() {
    return local.schemes();
  }

  @Override
  public synchronized InputStream open(FilePath file, long offset) throws IOException {
    return local.open(file, offset);
  }

  @Override
  public synchronized OutputStream create(FilePath file) throws IOException {
    return local.create(file);
  }

  @Override
  public synchronized void replace(FilePath from, FilePath to) throws IOException {
    local.replace(from, to);
  }

  @Override
  public boolean replacesInOneStep(FilePath directory) {
    return true;
  }

  @Override
  public synchronized boolean delete(FilePath path) throws IOException {
    return local.delete(path);
  }

  @Override
  public synchronized List<FileStatus> list(FilePath directory) throws IOException {
    return local.list(directory);
  }

  @Override
  public synchronized Optional<FileStatus> status(FilePath path) throws IOException {
    return local.status(path);
  }

  @Override
  public synchronized void createDirectories(FilePath directory) throws IOException {
    local.createDirectories(directory);
  }

  @Override
  public synchronized void createPrivateDirectory(FilePath directory) throws IOException {
    local.createPrivateDirectory(directory);
  }
}
