package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.ShippedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExternalResourceOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.yarn.CompetingApplication;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.LogAggregationContext;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On real daemons, with JobManagers that only register. */
@Tag("slow")
class YarnClusterDeployerTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir static java.nio.file.Path home;
  private static MiniHadoop hadoop;
  private static HadoopContext access;
  private static YarnResourceManagerClient yarn;
  private static EngineArchive engine;

  @TempDir private java.nio.file.Path directory;
  private final List<String> report = Collections.synchronizedList(new ArrayList<>());
  private final Path staging = new Path("/staging/" + UUID.randomUUID());
  private Configuration configuration;
  private java.nio.file.Path orders;
  private RestTokenStore tokens;

  @BeforeAll
  static void connect() throws IOException {
    hadoop = MiniHadoop.running();
    access = new HadoopContext(hadoop.configuration(), hadoop.environment());
    yarn = YarnResourceManagerClient.of(hadoop.configuration());
    engine = StubYarnClient.engine(home);
  }

  @AfterAll
  static void disconnect() {
    yarn.close();
  }

  @BeforeEach
  void prepare() {
    orders = directory.resolve("orders");
    tokens = RestTokenStore.in(directory.resolve("tokens"));
    configuration =
        Configuration.EMPTY
            .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1 gb")
            .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1 gb")
            .with(YarnOptions.STAGING_DIR, staging.toString())
            .with(YarnOptions.PROVIDED_LIB_DIRS, "/libraries")
            .with(StubYarnClient.VARIABLE, orders.toString());
  }

  @AfterEach
  void removeLabel() throws IOException {
    hadoop.label(hadoop.nodeId(1), false);
  }

  private YarnClusterDeployer deployer() {
    return new YarnClusterDeployer(access, yarn, engine, tokens, report::add);
  }

  @Test
  @Behaviour("A8: only the user of an application can read its files, which are removed at its end")
  @Behaviour(
      "I4: each process on YARN has its own key; a TaskManager container has neither the authority"
          + " nor the JobManager's key")
  @Behaviour("A8: a client that asks after the end of the cluster learns the outcome from YARN")
  void sessionHasTheConfiguredPropertiesAndLeavesNothing() throws Exception {
    java.nio.file.Path shipped = Files.createDirectory(directory.resolve("shipped"));
    Files.writeString(shipped.resolve("inner.txt"), "x");
    hadoop.label(hadoop.nodeId(1), true);
    YarnApplication application =
        deployer()
            .deploy(
                DeploymentSpec.ofSession(
                    configuration
                        .with(YarnOptions.APPLICATION_NAME, "my session")
                        .with(YarnOptions.TAGS, "nightly")
                        .with(YarnOptions.NODE_LABEL, MiniHadoop.LABEL)
                        .with(YarnOptions.PRIORITY, 0)
                        .with(YarnOptions.ROLLED_LOGS_INCLUDE, ".*[.]log[.][0-9]+")
                        .with(YarnOptions.ROLLED_LOGS_EXCLUDE, "gc[.]log.*")
                        .with(YarnOptions.SHIP_FILES, shipped.toString())));
    ApplicationReport report = application.report();
    assertThat(report.getName()).isEqualTo("my session");
    assertThat(report.getApplicationType()).isEqualTo("Millrace");
    assertThat(report.getQueue()).endsWith("default");
    assertThat(nodeOfMaster(report)).isEqualTo(hadoop.nodeId(1));
    assertThat(report.getApplicationTags())
        .containsExactlyInAnyOrder(
            "nightly", "millrace-yarn-session", ProvidedLibraries.tag(engine.archiveName()));
    LogAggregationContext logs =
        hadoop.submitted(report.getApplicationId()).getLogAggregationContext();
    assertThat(logs.getRolledLogsIncludePattern()).isEqualTo(".*[.]log[.][0-9]+");
    assertThat(logs.getRolledLogsExcludePattern()).isEqualTo("gc[.]log.*");
    assertThat(application.address().rest().toString()).isEqualTo("127.0.0.1:1");
    String token = application.address().token().orElseThrow();
    assertThat(Files.readString(directory.resolve("found")).split("\\|"))
        .containsExactly(
            UserGroupInformation.getCurrentUser().getShortUserName(),
            token,
            "[millrace.file.secrets/authority.jks, millrace.file.secrets/process.jks,"
                + " millrace.file.secrets/rest.token]",
            "true");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(
                    directory.resolve("tokens").resolve(application.id()).resolve("rest.token"))))
        .isEqualTo("rw-------");
    // On a machine without the token file of the client.
    try (YarnConnection elsewhere =
        YarnConnection.open(configuration, elsewhere(directory.resolve("elsewhere")))) {
      assertThat(elsewhere.find(application.id()).orElseThrow().address().token()).contains(token);
    }
    Path own =
        new Path(
            new Path(new Path(staging, HadoopContext.userName()), ".millrace"), application.id());
    assertThat(hadoop.files().getFileStatus(own).getPermission())
        .isEqualTo(new FsPermission((short) 0700));
    for (FileStatus file : hadoop.files().listStatus(own)) {
      assertThat(file.getPermission()).isEqualTo(new FsPermission((short) 0600));
      assertThat(file.getPath().getName()).doesNotStartWith("millrace-test");
    }
    // All containers get the staged files, which must not have the JobManager's keys.
    assertThat(archived(new Path(own, "application.zip")))
        .contains("config.yaml", "secret")
        .allMatch(name -> name.startsWith("hadoop/") || !name.matches(".*(jks|token).*"));
    StubYarnClient.order(orders, "SUCCEEDED");
    assertThat(application.awaitEnd(PATIENCE))
        .contains(new Outcome(ApplicationStatus.SUCCEEDED, "as ordered"));
    assertThat(result(application).status()).isEqualTo(JobStatus.FINISHED);
    assertThat(hadoop.files().exists(own)).isFalse();
    assertThat(tokens.find(application.id())).isEmpty();
  }

  private List<String> archived(Path archive) throws IOException {
    List<String> names = new ArrayList<>();
    try (ZipInputStream zip = new ZipInputStream(hadoop.files().open(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        names.add(entry.getName());
      }
    }
    return names;
  }

  @Test
  @Behaviour("A8: a queue that YARN may create by itself is left to YARN, with a warning")
  void missingQueueIsCreatedByYarnWhereItDoesSo() throws Exception {
    YarnApplication application =
        deployer()
            .deploy(
                DeploymentSpec.ofSession(configuration.with(YarnOptions.QUEUE, "root.users.new")));
    assertThat(application.report().getQueue()).isEqualTo("root.users.new");
    assertThat(report)
        .contains(
            "YARN has no queue 'root.users.new'; it may create queues below root.users. YARN"
                + " decides when the application is submitted.");
    StubYarnClient.order(orders, "SUCCEEDED");
    assertThat(application.awaitEnd(PATIENCE)).isPresent();

    for (String nowhere : List.of("nowhere", "root.small.nowhere")) {
      assertThatThrownBy(
              () ->
                  deployer()
                      .deploy(
                          DeploymentSpec.ofSession(configuration.with(YarnOptions.QUEUE, nowhere))))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("YARN has no queue '" + nowhere + "'; it creates no queues below");
    }
    assertThat(hadoop.client().getAllQueues())
        .noneMatch(queue -> queue.getQueueName().contains("nowhere"));
  }

  @Test
  @Behaviour(
      "A8: containers get the effective configuration of Hadoop, with what its files include")
  @Behaviour("A8: a cluster with a timeline service of version 2 can be used")
  void configurationWithIncludedFilesAndTimelineServiceIsUsable() throws Exception {
    java.nio.file.Path conf = Files.createDirectory(directory.resolve("conf"));
    Files.copy(
        hadoop.configurationDirectory().resolve("core-site.xml"), conf.resolve("common.xml"));
    Files.writeString(
        conf.resolve("core-site.xml"),
        "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">"
            + "<xi:include href=\"common.xml\"/></configuration>");
    Files.writeString(
        conf.resolve("yarn-site.xml"),
        Files.readString(hadoop.configurationDirectory().resolve("yarn-site.xml"))
            .replace(
                "</configuration>",
                "<property><name>yarn.timeline-service.enabled</name><value>true</value></property>"
                    + "<property><name>yarn.timeline-service.version</name><value>2.0f</value>"
                    + "</property></configuration>"));
    Map<String, String> environment =
        Map.of("HADOOP_CONF_DIR", conf.toString(), "HOME", directory.toString());
    try (YarnConnection connection = YarnConnection.open(configuration, environment)) {
      YarnApplication application =
          connection.deploy(DeploymentSpec.ofSession(configuration), engine, report::add);
      StubYarnClient.order(orders, "SUCCEEDED");
      assertThat(application.awaitEnd(PATIENCE))
          .contains(new Outcome(ApplicationStatus.SUCCEEDED, "as ordered"));
    }
  }

  @Test
  @Behaviour("A8: program arguments arrive unchanged through all shells")
  @Behaviour("A8: a client that asks after the end of the cluster learns the outcome from YARN")
  void argumentsOfAProgramArriveUnchanged() throws Exception {
    java.nio.file.Path jar = Files.writeString(directory.resolve("my program.jar"), "x");
    List<String> arguments =
        List.of("--json", "{{\"a\": \"$HOME `x` 'y'\"}}", "<LOG_DIR>", "", "Grüße; exit 1");
    YarnApplication application =
        deployer()
            .deploy(
                DeploymentSpec.ofProgram(
                    new ShippedProgram(jar.toUri(), Optional.of("some.Main"), arguments),
                    configuration));
    assertThat(Files.readString(directory.resolve("arguments")))
        .isEqualTo("--|some.Main|usrlib/my program.jar|" + String.join("|", arguments));
    StubYarnClient.order(orders, "FAILED");
    assertThat(application.awaitEnd(PATIENCE))
        .contains(new Outcome(ApplicationStatus.FAILED, "as ordered"));
    JobResult result = result(application);
    assertThat(result.status()).isEqualTo(JobStatus.FAILED);
    assertThat(result.failure().orElseThrow().message())
        .isEqualTo("as ordered. Its logs: yarn logs -applicationId " + application.id());
  }

  @Test
  @Behaviour(
      "A8: queue, sizes, labels and files are checked before the upload, and a refusal names the"
          + " option and the number")
  void invalidRequirementsAreRefusedBeforeTheUpload() throws Exception {
    refused(configuration.with(YarnOptions.QUEUE, "nowhere")).contains("no queue 'nowhere'");
    refused(configuration.with(YarnOptions.QUEUE, "stopped")).contains("'stopped' is stopped");
    refused(configuration.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "5 gb"))
        .contains("5120 MB", "4096 MB", "taskmanager.memory.process.size");
    refused(configuration.with(YarnOptions.MASTER_VCORES, MiniHadoop.MAXIMUM_VCORES + 1))
        .contains("9 vcores", "yarn.appmaster.vcores");
    refused(configuration.with(YarnOptions.NODE_LABEL, "slow"))
        .contains("label 'slow'", "yarn.application.node-label", "There are: " + MiniHadoop.LABEL);
    refused(
            configuration
                .with(YarnOptions.TASK_MANAGER_NODE_LABEL, MiniHadoop.LABEL)
                .with(YarnOptions.QUEUE, "small"))
        .contains("queue 'small'", "label 'fast'", "yarn.taskmanager.node-label");
    Configuration widgets =
        configuration
            .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "widget")
            .with(
                ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named("widget"),
                MiniHadoop.WIDGETS + 1)
            .with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("widget"), MiniHadoop.WIDGET);
    refused(widgets)
        .contains("3 " + MiniHadoop.WIDGET, "has 2.", "external-resource.widget.amount");
    refused(widgets.with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("widget"), "example.com/none"))
        .contains("no resource 'example.com/none'", "There are: " + MiniHadoop.WIDGET);
    refused(configuration.with(YarnOptions.SHIP_FILES, "/no/such/file"))
        .contains("no /no/such/file", "yarn.ship-files");
    assertThat(hadoop.files().exists(staging)).isFalse();
  }

  @Test
  @Behaviour("A8: a deployment that fails or is interrupted leaves neither application nor files")
  void failedJobManagerIsReportedAndLeavesNothing() throws Exception {
    StubYarnClient.order(orders, "exit");
    refused(configuration)
        .contains("FAILED", "ended with exit code 1")
        .containsPattern("yarn logs -applicationId application_\\d+_\\d+");
    assertThat(stagedApplications()).isEmpty();
  }

  @Test
  @Behaviour("A8: a deployment that fails or is interrupted leaves neither application nor files")
  void failedUploadLeavesNothing() throws Exception {
    hadoop.files().mkdirs(staging);
    // The archive of the engine does not fit; the files before it do.
    ((DistributedFileSystem) hadoop.files()).setQuota(staging, Long.MAX_VALUE, 1 << 20);
    refused(configuration.with(YarnOptions.PROVIDED_LIB_DIRS, ""))
        .contains("write files to", "quota");
    assertThat(stagedApplications()).isEmpty();
  }

  @Test
  @Behaviour(
      "A8: missing permissions in HDFS are named, with exit code 1, and nothing is left in HDFS or"
          + " YARN")
  void missingPermissionIsReported() throws Exception {
    hadoop.files().mkdirs(staging);
    UserGroupInformation stranger =
        UserGroupInformation.createUserForTesting("stranger", new String[] {"strangers"});
    assertThatThrownBy(
            () ->
                stranger.doAs(
                    (PrivilegedExceptionAction<YarnApplication>)
                        () -> deployer().deploy(DeploymentSpec.ofSession(configuration))))
        .hasMessageContaining("User stranger may not create")
        .hasMessageContaining("yarn.staging-directory");
    assertThat(stagedApplications()).isEmpty();
  }

  @Test
  @Behaviour(
      "A8: missing permissions in HDFS are named, with exit code 1, and nothing is left in HDFS or"
          + " YARN")
  void missingPermissionForSharedLibrariesIsReported() throws Exception {
    Path theirs = new Path("/theirs-" + UUID.randomUUID());
    hadoop.files().mkdirs(theirs, new FsPermission((short) 0755));
    hadoop.files().mkdirs(staging);
    hadoop.files().setPermission(staging, new FsPermission((short) 0777));
    UserGroupInformation stranger =
        UserGroupInformation.createUserForTesting("stranger", new String[] {"strangers"});
    assertThatThrownBy(
            () ->
                stranger.doAs(
                    (PrivilegedExceptionAction<YarnApplication>)
                        () ->
                            deployer()
                                .deploy(
                                    DeploymentSpec.ofSession(
                                        configuration.with(
                                            YarnOptions.PROVIDED_LIB_DIRS, theirs.toString())))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("shared libraries in [" + theirs)
        .hasMessageContaining("Permission denied: user=stranger")
        .hasMessageContaining("let a user with it submit once");
    assertThat(stagedApplications()).isEmpty();
    assertThat(hadoop.files().listStatus(theirs)).isEmpty();
  }

  @Test
  @Behaviour("A8: an application that waits for its queue runs when the queue has room")
  void applicationRunsWhenItsQueueHasCapacity() throws Exception {
    CompletableFuture<YarnApplication> deployed;
    try (CompetingApplication other = CompetingApplication.of(hadoop, "small")) {
      other.take(MiniHadoop.SMALL_MB / 1024, 1024);
      deployed =
          CompletableFuture.supplyAsync(
              () ->
                  deployer()
                      .deploy(
                          DeploymentSpec.ofSession(
                              configuration.with(YarnOptions.QUEUE, "small"))));
      await(() -> report.stream().anyMatch(line -> line.contains("waiting for")));
      assertThat(report)
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("is ACCEPTED for", "container of 1024 MB and 1 vcore")
                      .contains("Queue 'small' uses 100 % of its capacity")
                      .contains("25 % of the cluster and 25 % at most"));
    }
    YarnApplication application = deployed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(application.report().getYarnApplicationState())
        .isEqualTo(YarnApplicationState.RUNNING);
    StubYarnClient.order(orders, "SUCCEEDED");
    assertThat(application.awaitEnd(PATIENCE)).isPresent();
  }

  @Test
  @Behaviour("A8: a deployment that fails or is interrupted leaves neither application nor files")
  @Behaviour(
      "A8: the client shows queue, usage, limits and YARN's diagnostics while the JobManager's"
          + " container is pending")
  void interruptedWaitIsExplainedAndLeavesNothing() throws Exception {
    CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    Thread client =
        new Thread(
            () -> {
              try {
                deployer()
                    .deploy(
                        DeploymentSpec.ofSession(configuration.with(YarnOptions.QUEUE, "tiny")));
                outcome.completeExceptionally(new AssertionError("It runs"));
              } catch (MillraceException e) {
                outcome.complete(e);
              }
            });
    client.start();
    await(() -> report.stream().anyMatch(line -> line.contains("waiting for")));
    assertThat(report)
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("container of 1024 MB and 1 vcore", "Queue 'tiny' uses", "5 %"));
    client.interrupt();
    assertThat(outcome.get()).hasMessageContaining("Interrupted");
    assertThat(report).anyMatch(line -> line.endsWith("was killed"));
    assertThat(stagedApplications()).isEmpty();
    assertThat(unended()).isEmpty();
  }

  @Test
  void missingResourceManagerIsReported() {
    org.apache.hadoop.yarn.conf.YarnConfiguration nowhere = hadoop.configuration();
    nowhere.set("yarn.resourcemanager.address", "127.0.0.1:1");
    nowhere.setInt("yarn.resourcemanager.connect.max-wait.ms", 500);
    nowhere.setInt("ipc.client.connect.max.retries", 0);
    try (YarnResourceManagerClient lost = YarnResourceManagerClient.of(nowhere)) {
      assertThatThrownBy(
              () ->
                  new YarnClusterDeployer(access, lost, engine, tokens, report::add)
                      .deploy(DeploymentSpec.ofSession(configuration)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("ResourceManager at 127.0.0.1:1")
          .hasMessageContaining("HADOOP_CONF_DIR");
    }
  }

  private static Map<String, String> elsewhere(java.nio.file.Path userHome) {
    Map<String, String> environment = new LinkedHashMap<>(hadoop.environment());
    environment.put("HOME", userHome.toString());
    return environment;
  }

  private static NodeId nodeOfMaster(ApplicationReport report) throws Exception {
    ContainerId master =
        hadoop
            .client()
            .getApplicationAttemptReport(report.getCurrentApplicationAttemptId())
            .getAMContainerId();
    return hadoop.client().getContainerReport(master).getAssignedNode();
  }

  /** What a client learns that asks too late. */
  private static JobResult result(YarnApplication application) {
    return new YarnClusterClient(application, Duration.ofSeconds(5))
        .awaitResult(JobId.parse("0".repeat(32)), Duration.ZERO)
        .orElseThrow();
  }

  private org.assertj.core.api.AbstractStringAssert<?> refused(Configuration asked) {
    Throwable thrown =
        org.assertj.core.api.Assertions.catchThrowable(
            () -> deployer().deploy(DeploymentSpec.ofSession(asked)));
    assertThat(thrown).isInstanceOf(MillraceException.class);
    return assertThat(thrown.getMessage());
  }

  private List<String> stagedApplications() throws IOException {
    FileSystem files = hadoop.files();
    Path parent = new Path(new Path(staging, HadoopContext.userName()), ".millrace");
    List<String> found = new ArrayList<>();
    if (files.exists(parent)) {
      for (FileStatus one : files.listStatus(parent)) {
        found.add(one.getPath().toString());
      }
    }
    return found;
  }

  /** Applications in the small queue, which only one test uses. */
  private static List<ApplicationReport> unended() throws Exception {
    return hadoop
        .client()
        .getApplications(EnumSet.of(YarnApplicationState.ACCEPTED, YarnApplicationState.RUNNING))
        .stream()
        .filter(report -> report.getQueue().endsWith("tiny"))
        .toList();
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("bounded wait").isLessThan(deadline);
      Thread.sleep(20);
    }
  }
}
