package io.millrace.it;

import io.millrace.ha.zookeeper.TicketCache;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;

/**
 * A KDC and a Hadoop cluster with Kerberos: NameNode, DataNode, ResourceManager and NodeManager in
 * one separate process, because Hadoop's client has one login per JVM. It ends with its standard
 * input; until then it answers requests there, see {@link SecureHadoop}.
 */
final class SecureDaemons {
  /** In milliseconds. Tokens expire within a test. */
  static final int TOKEN_LIFE = 12_000;

  private static final String SERVICE = "hadoop/localhost";
  private static final String END = "--";

  private final Path directory;
  private final MiniKdc kdc;
  private final Path keytab;
  private final MiniDFSCluster hdfs;
  private final MiniYARNCluster yarn;

  private SecureDaemons(Path directory) throws Exception {
    this.directory = directory;
    Properties settings = MiniKdc.createConf();
    settings.setProperty(MiniKdc.KDC_BIND_ADDRESS, "localhost");
    kdc = new MiniKdc(settings, Files.createDirectory(directory.resolve("kdc")).toFile());
    kdc.start();
    Files.copy(kdc.getKrb5conf().toPath(), directory.resolve("krb5.conf"));
    keytab = directory.resolve("services.keytab");
    // One principal for all daemons, since they share one login.
    kdc.createPrincipal(keytab.toFile(), SERVICE, "HTTP/localhost");
    Path user = directory.resolve("miller.keytab");
    kdc.createPrincipal(user.toFile(), "miller");
    TicketCache.write(
        kdc,
        "miller",
        user,
        directory.resolve("miller.ticket"),
        directory.resolve("expired.ticket"));
    Configuration ofHdfs = hdfsSettings();
    UserGroupInformation.setConfiguration(ofHdfs);
    hdfs =
        new MiniDFSCluster.Builder(ofHdfs, directory.resolve("hdfs").toFile())
            .numDataNodes(1)
            .build();
    hdfs.waitActive();
    YarnConfiguration ofYarn = yarnSettings();
    yarn = new MiniYARNCluster("secure", 1, 1, 1);
    yarn.init(ofYarn);
    yarn.start();
    writeForClients(yarn.getConfig());
    fill();
  }

  private Configuration security(Configuration settings) {
    String service = SERVICE + "@" + kdc.getRealm();
    settings.set("hadoop.security.authentication", "kerberos");
    for (String daemon : List.of("dfs.namenode", "dfs.datanode")) {
      settings.set(daemon + ".kerberos.principal", service);
      settings.set(daemon + ".keytab.file", keytab.toString());
    }
    for (String daemon : List.of("yarn.resourcemanager", "yarn.nodemanager")) {
      settings.set(daemon + ".principal", service);
      settings.set(daemon + ".keytab", keytab.toString());
    }
    // Short idle time, so that new connections use the current token of their process.
    settings.setInt("ipc.client.connection.maxidletime", 1_000);
    return settings;
  }

  private Configuration hdfsSettings() {
    Configuration settings = security(new Configuration());
    settings.set("dfs.web.authentication.kerberos.principal", "HTTP/localhost@" + kdc.getRealm());
    settings.set("dfs.web.authentication.kerberos.keytab", keytab.toString());
    settings.setInt("dfs.replication", 1);
    settings.setBoolean("dfs.block.access.token.enable", true);
    settings.setBoolean("ignore.secure.ports.for.testing", true);
    settings.setInt("dfs.namenode.delegation.token.renew-interval", TOKEN_LIFE);
    return settings;
  }

  private YarnConfiguration yarnSettings() {
    YarnConfiguration settings = new YarnConfiguration();
    security(settings);
    settings.set("fs.defaultFS", hdfs.getURI().toString());
    settings.set("yarn.scheduler.capacity.root.queues", "default");
    settings.set("yarn.scheduler.capacity.root.default.capacity", "100");
    settings.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.8");
    settings.setInt("yarn.scheduler.minimum-allocation-mb", 128);
    settings.setInt("yarn.minicluster.yarn.nodemanager.resource.memory-mb", 6144);
    settings.setInt("yarn.nodemanager.resource.cpu-vcores", 16);
    settings.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
    settings.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
    settings.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
    settings.setInt("yarn.nodemanager.log.retain-seconds", 3600);
    settings.set(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99");
    settings.set(
        "yarn.node-attribute.fs-store.root-dir",
        directory.resolve("attributes").toUri().toString());
    return settings;
  }

  private void writeForClients(Configuration settings) throws IOException {
    Path conf = Files.createDirectory(directory.resolve("conf"));
    Configuration core = new Configuration(false);
    Configuration site = new Configuration(false);
    for (Map.Entry<String, String> entry : settings) {
      String key = entry.getKey();
      if (key.startsWith("yarn.") && !key.equals("yarn.nodemanager.aux-services")) {
        site.set(key, entry.getValue());
      }
      if (key.equals("fs.defaultFS")
          || key.equals("hadoop.security.authentication")
          || key.equals("ipc.client.connection.maxidletime")
          || key.endsWith(".kerberos.principal")) {
        core.set(key, entry.getValue());
      }
    }
    try (OutputStream out = Files.newOutputStream(conf.resolve("core-site.xml"))) {
      core.writeXml(out);
    }
    try (OutputStream out = Files.newOutputStream(conf.resolve("yarn-site.xml"))) {
      site.writeXml(out);
    }
  }

  private void fill() throws IOException {
    FileSystem files = hdfs.getFileSystem();
    files.mkdirs(path("/user/miller"));
    files.setOwner(path("/user/miller"), "miller", "miller");
    write(files, "/input/first", "the mill the stone\n".repeat(1_000));
    write(files, "/input/second", "the weir\n");
  }

  private static void write(FileSystem files, String name, String text) throws IOException {
    try (FSDataOutputStream out = files.create(path(name))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static org.apache.hadoop.fs.Path path(String text) {
    return new org.apache.hadoop.fs.Path(text);
  }

  private List<String> answer(String question) throws IOException {
    String[] words = question.split(" ");
    return switch (words[0]) {
      case "lines" -> lines(words[1]);
      case "names" -> names(words[1]);
      case "applications" -> applications();
      default -> throw new IllegalArgumentException(question);
    };
  }

  private List<String> lines(String place) throws IOException {
    List<String> lines = new ArrayList<>();
    for (FileStatus part : hdfs.getFileSystem().listStatus(path(place))) {
      try (FSDataInputStream in = hdfs.getFileSystem().open(part.getPath())) {
        new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(lines::add);
      }
    }
    return lines;
  }

  private List<String> names(String place) throws IOException {
    List<String> names = new ArrayList<>();
    if (hdfs.getFileSystem().exists(path(place))) {
      for (FileStatus entry : hdfs.getFileSystem().listStatus(path(place))) {
        names.add(entry.getPath().getName());
      }
    }
    return names;
  }

  private List<String> applications() {
    TreeSet<String> applications = new TreeSet<>();
    for (RMApp one : yarn.getResourceManager().getRMContext().getRMApps().values()) {
      applications.add(
          one.getApplicationId()
              + " "
              + one.getUser()
              + " "
              + one.getState()
              + " "
              + one.getFinalApplicationStatus());
    }
    return new ArrayList<>(applications);
  }

  public static void main(String[] arguments) throws Exception {
    SecureDaemons daemons = new SecureDaemons(Path.of(arguments[0]));
    System.out.println("Ready " + daemons.kdc.getRealm());
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String question = in.readLine(); question != null; question = in.readLine()) {
        daemons.answer(question).forEach(System.out::println);
        System.out.println(END);
      }
    }
    // Nothing has to be kept, and a NodeManager takes long to stop.
    Runtime.getRuntime().halt(0);
  }
}
