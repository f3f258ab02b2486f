package io.millrace.yarn;

import io.millrace.core.testing.ReservedPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.resourcemanager.nodelabels.RMNodeLabelsManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeDecommissioningEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.AbstractYarnScheduler;

/**
 * A NameNode, a DataNode, a ResourceManager and three NodeManagers in this process, which runs
 * containers as processes. The first test starts it, all tests of the JVM share it. Queue {@code
 * default} may use the whole cluster, {@code small} at most {@link #SMALL_MB}, {@code tiny} too
 * little for a JobManager, and {@code stopped} nothing. YARN creates queues below {@code
 * root.users} by itself. Each node has two of the resource {@link #WIDGET}, and a test may give one
 * node the label {@link #LABEL}.
 */
public final class MiniHadoop {
  public static final int NODES = 3;

  /** What a node has, which is also the largest container there is. */
  public static final int MAXIMUM_MB = 4096;

  public static final int MAXIMUM_VCORES = 8;
  public static final int SMALL_MB = NODES * MAXIMUM_MB / 4;
  public static final String LABEL = "fast";
  public static final String WIDGET = "example.com/widget";
  public static final int WIDGETS = 2;

  private static MiniHadoop running;

  private final Path directory;
  private final MiniDFSCluster hdfs;
  private final MiniYARNCluster yarn;
  private final Path configurationDirectory;
  private final YarnClient client;

  private MiniHadoop() throws IOException {
    directory =
        Files.createTempDirectory(
            Files.createDirectories(Path.of("target").toAbsolutePath()), "mini-hadoop-");
    // Each of them takes many seconds, and YARN's daemons need no file system to start.
    CompletableFuture<MiniDFSCluster> files = CompletableFuture.supplyAsync(this::startHdfs);
    // No test uses the web pages of nodes, which take as long as the rest of a node to start.
    yarn = new MiniYARNCluster("millrace", NODES, 1, 1, false);
    yarn.init(settings());
    yarn.start();
    hdfs = files.join();
    yarn.getResourceManager()
        .getRMContext()
        .getNodeLabelManager()
        .addToCluserNodeLabelsWithDefaultExclusivity(new LinkedHashSet<>(List.of(LABEL)));
    configurationDirectory = write(yarn.getConfig());
    client = YarnClient.createYarnClient();
    client.init(configuration());
    client.start();
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

  private MiniDFSCluster startHdfs() {
    // The cluster adds settings to its configuration that others must not use.
    Configuration settings = new Configuration();
    settings.setInt("dfs.replication", 1);
    try {
      MiniDFSCluster started =
          new MiniDFSCluster.Builder(settings, directory.resolve("hdfs").toFile())
              .numDataNodes(1)
              .build();
      started.waitActive();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private YarnConfiguration settings() throws IOException {
    YarnConfiguration settings = new YarnConfiguration();
    queues(settings);
    settings.set(
        "yarn.scheduler.capacity.resource-calculator",
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    settings.setInt("yarn.scheduler.minimum-allocation-mb", 128);
    settings.setInt("yarn.scheduler.maximum-allocation-mb", MAXIMUM_MB);
    settings.setInt("yarn.scheduler.maximum-allocation-vcores", MAXIMUM_VCORES);
    settings.setInt("yarn.nodemanager.resource.memory-mb", MAXIMUM_MB);
    settings.setInt("yarn.nodemanager.resource.cpu-vcores", 16);
    settings.set("yarn.resource-types", WIDGET);
    settings.setInt("yarn.nodemanager.resource-type." + WIDGET, WIDGETS);
    settings.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
    settings.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
    settings.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
    settings.setInt("yarn.client.application-client-protocol.poll-interval-ms", 20);
    settings.setInt("yarn.resourcemanager.am.max-attempts", 2);
    settings.setInt("yarn.nodemanager.log.retain-seconds", 0);
    settings.set(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99");
    settings.set("yarn.node-attribute.fs-store.root-dir", uri("attributes"));
    settings.setBoolean("yarn.node-labels.enabled", true);
    settings.set("yarn.node-labels.fs-store.root-dir", uri("labels"));
    // All nodes are on this machine: a test can block one only by its port.
    settings.setBoolean("yarn.scheduler.include-port-in-node-name", true);
    restarts(settings);
    return settings;
  }

  private static void queues(Configuration settings) {
    String root = "yarn.scheduler.capacity.root.";
    settings.set(root + "queues", "default,small,stopped,tiny,users");
    share(settings, root + "default.", 55, 100);
    share(settings, root + "users.", 5, 100);
    settings.setBoolean(root + "users.auto-queue-creation-v2.enabled", true);
    share(settings, root + "small.", 25, 25);
    share(settings, root + "stopped.", 10, 100);
    settings.set(root + "stopped.state", "STOPPED");
    share(settings, root + "tiny.", 5, 5);
    settings.set(root + "accessible-node-labels." + LABEL + ".capacity", "100");
    settings.set(root + "default.accessible-node-labels", LABEL);
    settings.set(root + "small.accessible-node-labels", " ");
    settings.set(root + "default.accessible-node-labels." + LABEL + ".capacity", "100");
    settings.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.8");
    // Capacity of another queue is given back soon.
    settings.setBoolean("yarn.resourcemanager.scheduler.monitor.enable", true);
    String preemption = "yarn.resourcemanager.monitor.capacity.preemption.";
    settings.setInt(preemption + "monitoring_interval", 200);
    // Long enough to announce the pre-emption before.
    settings.setInt(preemption + "max_wait_before_kill", 3_000);
    settings.set(preemption + "total_preemption_per_round", "1.0");
    settings.set(preemption + "natural_termination_factor", "1.0");
  }

  private static void share(Configuration settings, String queue, int capacity, int maximum) {
    settings.setInt(queue + "capacity", capacity);
    settings.setInt(queue + "maximum-capacity", maximum);
    // All processes run as one user.
    settings.setInt(queue + "user-limit-factor", 100);
  }

  /** What a ResourceManager needs to go on where the one before it ended. */
  private void restarts(Configuration settings) throws IOException {
    settings.setBoolean("yarn.minicluster.use-rpc", true);
    settings.setBoolean("yarn.minicluster.fixed.ports", true);
    for (String service : List.of("", "scheduler.", "resource-tracker.", "admin.", "webapp.")) {
      settings.set(
          "yarn.resourcemanager." + service + "address", "localhost:" + ReservedPorts.next());
    }
    for (String service : List.of("", "localizer.", "collector-service.")) {
      settings.set("yarn.nodemanager." + service + "address", "localhost:0");
    }
    settings.setBoolean("yarn.resourcemanager.recovery.enabled", true);
    settings.set(
        "yarn.resourcemanager.store.class",
        "org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore");
    settings.set("yarn.resourcemanager.fs.state-store.uri", uri("state"));
    settings.setInt("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", 100);
    settings.setInt("yarn.resourcemanager.connect.retry-interval.ms", 200);
    // Long enough for a busy node, and short enough for a test with a stopped one.
    settings.setInt("yarn.nm.liveness-monitor.expiry-interval-ms", 5_000);
  }

  private String uri(String name) {
    return directory.resolve(name).toUri().toString();
  }

  /** What clients need to know, as files. */
  private Path write(Configuration settings) throws IOException {
    Path conf = Files.createDirectory(directory.resolve("conf"));
    Configuration site = new Configuration(false);
    for (Map.Entry<String, String> entry : settings) {
      if (entry.getKey().startsWith("yarn.")) {
        site.set(entry.getKey(), entry.getValue());
      }
    }
    // Some values are only for tests; a client would use them as classes and addresses.
    site.unset("yarn.nodemanager.aux-services");
    // A client has to ask YARN for the resource types.
    site.unset("yarn.resource-types");
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

  /** A client of YARN, for the states of applications. */
  public YarnClient client() {
    return client;
  }

  /** Starts one more node. */
  public AdditionalNodeManager addNode() throws IOException {
    return addNode(Map.of());
  }

  /** Starts one more node that kills containers which take too much memory. */
  public AdditionalNodeManager addStrictNode() throws IOException {
    return addNode(
        Map.of(
            "yarn.nodemanager.pmem-check-enabled", "true",
            "yarn.nodemanager.vmem-check-enabled", "true",
            // More than a process that takes too much physical memory reaches before it is killed.
            "yarn.nodemanager.vmem-pmem-ratio", "6",
            // Otherwise only cgroups limit the memory, which need another container executor.
            "yarn.nodemanager.resource.memory.enforced", "false",
            "yarn.nodemanager.container-monitor.interval-ms", "200"));
  }

  private AdditionalNodeManager addNode(Map<String, String> different) throws IOException {
    return new AdditionalNodeManager(
        yarn.getConfig(), Files.createTempDirectory(directory, "node-"), different);
  }

  public NodeId nodeId(int index) {
    return yarn.getNodeManager(index).getNMContext().getNodeId();
  }

  /** Gives a node the label, or takes it away. */
  public void label(NodeId node, boolean labelled) throws IOException {
    Set<String> labels = new LinkedHashSet<>();
    if (labelled) {
      labels.add(LABEL);
    }
    RMNodeLabelsManager manager = yarn.getResourceManager().getRMContext().getNodeLabelManager();
    manager.replaceLabelsOnNode(Map.of(node, labels));
  }

  /**
   * The ResourceManager considers the node lost, as after a missing heartbeat. Its containers have
   * ended then, and it registers again with its next heartbeat.
   */
  @SuppressWarnings("unchecked") // YARN's dispatcher takes events of any kind.
  public void lose(NodeId node) {
    yarn.getResourceManager()
        .getRMContext()
        .getDispatcher()
        .getEventHandler()
        .handle(new RMNodeEvent(node, RMNodeEventType.EXPIRE));
  }

  /** Ends the ResourceManager; {@link #restartResourceManager} starts another one. */
  public void stopResourceManager() {
    yarn.getResourceManager().stop();
  }

  /** The ResourceManager decommissions the node and gives its containers this time. */
  @SuppressWarnings("unchecked") // YARN's dispatcher takes events of any kind.
  public void decommission(NodeId node, int seconds) {
    yarn.getResourceManager()
        .getRMContext()
        .getDispatcher()
        .getEventHandler()
        .handle(new RMNodeDecommissioningEvent(node, seconds));
  }

  /** Ends a decommissioning. */
  @SuppressWarnings("unchecked") // YARN's dispatcher takes events of any kind.
  public void recommission(NodeId node) {
    yarn.getResourceManager()
        .getRMContext()
        .getDispatcher()
        .getEventHandler()
        .handle(new RMNodeEvent(node, RMNodeEventType.RECOMMISSION));
  }

  /** What the client has submitted. */
  public ApplicationSubmissionContext submitted(ApplicationId application) {
    return yarn.getResourceManager()
        .getRMContext()
        .getRMApps()
        .get(application)
        .getApplicationSubmissionContext();
  }

  /** The requests of an application that the scheduler works for, each with a count. */
  public List<ResourceRequest> requests(ApplicationId application) {
    AbstractYarnScheduler<?, ?> scheduler =
        (AbstractYarnScheduler<?, ?>) yarn.getResourceManager().getResourceScheduler();
    return scheduler
        .getSchedulerApplications()
        .get(application)
        .getCurrentAppAttempt()
        .getAppSchedulingInfo()
        .getAllResourceRequests();
  }

  /** Ends the ResourceManager and starts another one, which has what the first has stored. */
  public void restartResourceManager() throws InterruptedException {
    yarn.restartResourceManager(0);
  }

  private void stop() {
    client.stop();
    yarn.stop();
    hdfs.shutdown(true);
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
