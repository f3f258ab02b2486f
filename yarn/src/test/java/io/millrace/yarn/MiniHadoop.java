package io.millrace.yarn;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/**
 * A NameNode, a DataNode, a ResourceManager and two NodeManagers in this process, which runs
 * containers as processes. Started by the first test that asks, shared by all of them, gone with
 * the JVM. Its queues are {@code default}, {@code stopped} and {@code tiny}.
 */
public final class MiniHadoop {
  /** The largest container there is. */
  public static final int MAXIMUM_MB = 2048;

  public static final int MAXIMUM_VCORES = 8;

  private static MiniHadoop running;

  private final Path directory;
  private final MiniDFSCluster hdfs;
  private final MiniYARNCluster yarn;
  private final Path configurationDirectory;

  private MiniHadoop() throws IOException {
    directory =
        Files.createTempDirectory(
            Files.createDirectories(Path.of("target").toAbsolutePath()), "mini-hadoop-");
    Configuration ofHdfs = new Configuration();
    ofHdfs.setInt("dfs.replication", 1);
    // The cluster writes into its configuration what nobody else should read.
    hdfs =
        new MiniDFSCluster.Builder(ofHdfs, directory.resolve("hdfs").toFile())
            .numDataNodes(1)
            .build();
    hdfs.waitActive();
    yarn = new MiniYARNCluster("millrace", 2, 1, 1);
    yarn.init(settings());
    yarn.start();
    configurationDirectory = write(yarn.getConfig());
  }

  /** The one of this JVM. */
  public static synchronized MiniHadoop running() {
    if (running == null) {
      try {
        MiniHadoop started = new MiniHadoop();
        Runtime.getRuntime().addShutdownHook(new Thread(started::stop, "stop-mini-hadoop"));
        running = started;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return running;
  }

  private YarnConfiguration settings() {
    YarnConfiguration settings = new YarnConfiguration();
    settings.set("fs.defaultFS", hdfs.getURI().toString());
    settings.set("yarn.scheduler.capacity.root.queues", "default,stopped,tiny");
    settings.set("yarn.scheduler.capacity.root.default.capacity", "80");
    settings.set("yarn.scheduler.capacity.root.default.maximum-capacity", "100");
    settings.set("yarn.scheduler.capacity.root.stopped.capacity", "10");
    settings.set("yarn.scheduler.capacity.root.stopped.state", "STOPPED");
    settings.set("yarn.scheduler.capacity.root.tiny.capacity", "10");
    settings.set("yarn.scheduler.capacity.root.tiny.maximum-capacity", "10");
    settings.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.8");
    settings.setInt("yarn.scheduler.minimum-allocation-mb", 128);
    settings.setInt("yarn.scheduler.maximum-allocation-mb", MAXIMUM_MB);
    settings.setInt("yarn.scheduler.maximum-allocation-vcores", MAXIMUM_VCORES);
    settings.setInt("yarn.nodemanager.resource.memory-mb", 4096);
    settings.setInt("yarn.nodemanager.resource.cpu-vcores", 16);
    settings.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
    settings.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
    settings.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
    settings.setInt("yarn.resourcemanager.am.max-attempts", 2);
    settings.setInt("yarn.nodemanager.log.retain-seconds", 0);
    settings.set(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99");
    settings.set(
        "yarn.node-attribute.fs-store.root-dir",
        directory.resolve("attributes").toUri().toString());
    return settings;
  }

  /** What clients need to know, as files. */
  private Path write(Configuration settings) throws IOException {
    Path conf = Files.createDirectory(directory.resolve("conf"));
    Configuration site = new Configuration(false);
    for (Map.Entry<String, String> entry : settings) {
      if (entry.getKey().startsWith("yarn.") || entry.getKey().equals("fs.defaultFS")) {
        site.set(entry.getKey(), entry.getValue());
      }
    }
    // Its values are dressed up for tests, and a client would take them for classes and addresses.
    site.unset("yarn.nodemanager.aux-services");
    try (Writer out =
        Files.newBufferedWriter(conf.resolve("core-site.xml"), StandardCharsets.UTF_8)) {
      Configuration core = new Configuration(false);
      core.set("fs.defaultFS", hdfs.getURI().toString());
      core.writeXml(out);
    }
    try (Writer out =
        Files.newBufferedWriter(conf.resolve("yarn-site.xml"), StandardCharsets.UTF_8)) {
      site.writeXml(out);
    }
    return conf;
  }

  /** For {@code HADOOP_CONF_DIR}. */
  public Path configurationDirectory() {
    return configurationDirectory;
  }

  public Map<String, String> environment() {
    return Map.of("HADOOP_CONF_DIR", configurationDirectory.toString());
  }

  /** A client's configuration, read from the files. */
  public YarnConfiguration configuration() {
    YarnConfiguration configuration = new YarnConfiguration();
    configuration.addResource(
        new org.apache.hadoop.fs.Path(configurationDirectory.resolve("core-site.xml").toUri()));
    configuration.addResource(
        new org.apache.hadoop.fs.Path(configurationDirectory.resolve("yarn-site.xml").toUri()));
    return configuration;
  }

  public FileSystem files() {
    try {
      return hdfs.getFileSystem();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public MiniYARNCluster yarn() {
    return yarn;
  }

  private void stop() {
    yarn.stop();
    hdfs.shutdown(true);
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
