package io.millrace.fs.hadoop;

import io.millrace.core.config.Configuration;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Delegates all calls to Hadoop's client, which is loaded with the first call. */
public final class HadoopFileSystem implements FileSystem {
  /** The schemes of Hadoop's own releases. Third-party connectors cannot be listed by scheme. */
  private static final List<String> SCHEMES =
      List.of("hdfs", "webhdfs", "swebhdfs", "viewfs", "s3a", "abfs", "abfss", "gs", "ofs", "o3fs");

  private final Map<String, String> environment;
  private Configuration configuration = Configuration.EMPTY;

  /**
   * Created by the first call, so that a process without paths of Hadoop loads none of its classes.
   */
  private HadoopFileSystemClient client;

  public HadoopFileSystem() {
    this(System.getenv());
  }

  /**
   * @param environment names the directory of Hadoop's configuration
   */
  HadoopFileSystem(Map<String, String> environment) {
    this.environment = environment;
  }

  private synchronized HadoopFileSystemClient client() {
    if (client == null) {
      client = new HadoopFileSystemClient(HadoopSettings.of(environment, configuration));
    }
    return client;
  }

  /** A client that exists stays if its settings do. */
  @Override
  public synchronized void configure(Configuration configuration) {
    if (!HadoopSettings.overrides(configuration)
        .equals(HadoopSettings.overrides(this.configuration))) {
      client = null;
    }
    this.configuration = configuration;
  }

  @Override
  public List<String> schemes() {
    return SCHEMES;
  }

  @Override
  public InputStream open(FilePath file, long offset) throws IOException {
    return client().open(file, offset);
  }

  @Override
  public OutputStream create(FilePath file) throws IOException {
    return client().create(file);
  }

  @Override
  public void replace(FilePath from, FilePath to) throws IOException {
    client().replace(from, to);
  }

  @Override
  public boolean replacesInOneStep(FilePath directory) throws IOException {
    return client().replacesInOneStep(directory);
  }

  @Override
  public boolean delete(FilePath path) throws IOException {
    return client().delete(path);
  }

  @Override
  public boolean deleteAll(FilePath path) throws IOException {
    return client().deleteAll(path);
  }

  @Override
  public List<FileStatus> list(FilePath directory) throws IOException {
    return client().list(directory);
  }

  @Override
  public Optional<FileStatus> status(FilePath path) throws IOException {
    return client().status(path);
  }

  @Override
  public void createDirectories(FilePath directory) throws IOException {
    client().createDirectories(directory);
  }

  @Override
  public void createPrivateDirectory(FilePath directory) throws IOException {
    client().createPrivateDirectory(directory);
  }
}
