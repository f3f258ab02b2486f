package io.millrace.fs.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FencedDirectoryContract;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystemContract;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses a MiniDFSCluster. */
class HadoopFileSystemTest implements FileSystemContract, FencedDirectoryContract {
  @TempDir static Path storage;
  private static MiniDFSCluster cluster;
  private static FileSystem system;

  private final FilePath root = FilePath.parse("hdfs:///" + UUID.randomUUID());

  @BeforeAll
  static void startHdfs() throws Exception {
    // The cluster writes into its configuration, which clients must not read.
    cluster =
        new MiniDFSCluster.Builder(new Configuration(), storage.toFile()).numDataNodes(1).build();
    cluster.waitActive();
    Path site = Files.createDirectory(storage.resolve("conf")).resolve("core-site.xml");
    Files.writeString(
        site,
        "<configuration><property><name>fs.defaultFS</name><value>"
            + cluster.getURI()
            + "</value></property></configuration>");
    system = new HadoopFileSystem(Map.of("HADOOP_CONF_DIR", site.getParent().toString()));
  }

  @AfterAll
  static void stopHdfs() {
    cluster.shutdown(true);
  }

  @Override
  public FileSystem system() {
    return system;
  }

  @Override
  public FilePath root() {
    try {
      system.createDirectories(root);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return root;
  }

  @Test
  @Behaviour("B2: options set keys of Hadoop's configuration in each process")
  void optionsSetKeysOfHadoop() throws Exception {
    HadoopFileSystem mounted = new HadoopFileSystem(Map.of());
    for (String name : List.of("first", "second")) {
      Path directory = Files.createDirectory(storage.resolve(name));
      Files.writeString(directory.resolve("file"), name);
      mounted.configure(
          io.millrace.core.config.Configuration.EMPTY.with(
              "flink.hadoop.fs.viewfs.mounttable." + name + ".link./data",
              directory.toUri().toString()));
      try (InputStream in = mounted.open(FilePath.parse("viewfs://" + name + "/data/file"), 0)) {
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(name);
      }
    }
  }

  @Test
  void pathWithoutAuthorityIsOnDefaultFileSystem() throws Exception {
    FilePath whole = FilePath.parse(cluster.getURI() + root().path()).child("same");
    try (OutputStream out = system.create(whole)) {
      out.write(1);
    }
    assertThat(system.status(root.child("same")).orElseThrow().length()).isEqualTo(1);
  }

  @Test
  void privateDirectoryIsAccessibleToOwnerOnly() throws Exception {
    FilePath directory = root().child("above").child("private");
    system.createPrivateDirectory(directory);
    assertThat(
            cluster
                .getFileSystem()
                .getFileStatus(new org.apache.hadoop.fs.Path(directory.path()))
                .getPermission())
        .isEqualTo(new FsPermission("700"));
  }

  @Test
  void unreadableFileThrowsAccessDeniedException() throws Exception {
    FilePath secret = root().child("secret");
    system.create(secret).close();
    cluster
        .getFileSystem()
        .setPermission(new org.apache.hadoop.fs.Path(secret.path()), new FsPermission("600"));
    UserGroupInformation other = UserGroupInformation.createRemoteUser("remote-user");
    assertThatThrownBy(
            () -> other.doAs((PrivilegedExceptionAction<InputStream>) () -> system.open(secret, 0)))
        .hasRootCauseInstanceOf(org.apache.hadoop.ipc.RemoteException.class)
        .isInstanceOfAny(AccessDeniedException.class)
        .hasMessageContaining("remote-user");
  }

  @Test
  void missingConfigurationIsUserError() {
    assertThatThrownBy(() -> settings(Map.of("HADOOP_CONF_DIR", storage + "/missing")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("HADOOP_CONF_DIR names " + storage + "/missing");
  }

  @Test
  void closesSmallFilesWithShortDelayByDefault() throws Exception {
    String delay = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";
    assertThat(settings(Map.of()).getInt(delay, 400)).isEqualTo(10);
    Path configured = Files.createDirectory(storage.resolve("configured"));
    Files.writeString(
        configured.resolve("hdfs-site.xml"),
        "<configuration><property><name>"
            + delay
            + "</name><value>500</value></property></configuration>");
    assertThat(settings(Map.of("HADOOP_CONF_DIR", configured.toString())).getInt(delay, 400))
        .isEqualTo(500);
  }

  @Test
  void readsConfigurationOfHadoopHome() throws Exception {
    Path home = storage.resolve("home");
    Path directory = Files.createDirectories(home.resolve("etc/hadoop"));
    Files.writeString(
        directory.resolve("hdfs-site.xml"),
        "<configuration><property><name>dfs.replication</name><value>7</value></property>"
            + "</configuration>");
    assertThat(settings(Map.of("HADOOP_HOME", home.toString())).getInt("dfs.replication", 0))
        .isEqualTo(7);
  }

  private static Configuration settings(Map<String, String> environment) {
    return HadoopSettings.of(environment, io.millrace.core.config.Configuration.EMPTY);
  }
}
