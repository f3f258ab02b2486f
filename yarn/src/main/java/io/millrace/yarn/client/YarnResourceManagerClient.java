package io.millrace.yarn.client;

import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.fs.hadoop.KerberosServiceErrors;
import io.millrace.yarn.launch.ResourceTypes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.protocolrecords.GetApplicationsRequest;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.NodeLabel;
import org.apache.hadoop.yarn.api.records.QueueACL;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.conf.HAUtil;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.security.client.RMDelegationTokenIdentifier;
import org.apache.hadoop.yarn.util.ConverterUtils;

/** The client of YARN's ResourceManager. Its failures are one sentence each. */
final class YarnResourceManagerClient implements AutoCloseable {
  private static final int CONNECT_MILLIS = 10_000;

  /** A standby becomes active when the session of the active one with ZooKeeper has expired. */
  private static final int FAIL_OVER_MILLIS = 60_000;

  private final YarnConfiguration configuration;
  private final YarnClient client;

  private YarnResourceManagerClient(YarnConfiguration configuration, YarnClient client) {
    this.configuration = configuration;
    this.client = client;
  }

  /** Does not connect yet. */
  static YarnResourceManagerClient of(YarnConfiguration configuration) {
    // By default the library tries for 15 minutes, which is too long for a command.
    // Of this class, because the library would read all files again for another one.
    YarnConfiguration bounded = new YarnConfiguration(configuration);
    shorten(
        bounded,
        YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS,
        HAUtil.isHAEnabled(bounded) ? FAIL_OVER_MILLIS : CONNECT_MILLIS,
        900_000);
    shorten(bounded, YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, 1_000, 30_000);
    // Each attempt connects once: retries of both levels would multiply.
    shorten(bounded, "ipc.client.connect.max.retries", 0, 10);
    shorten(bounded, "ipc.client.connect.max.retries.on.timeouts", 0, 45);
    shorten(bounded, "ipc.client.connect.timeout", 5_000, 20_000);
    shorten(
        bounded,
        YarnConfiguration.YARN_CLIENT_APPLICATION_CLIENT_PROTOCOL_POLL_INTERVAL_MS,
        50,
        200);
    YarnClient client = YarnClient.createYarnClient();
    client.init(bounded);
    client.start();
    return new YarnResourceManagerClient(configuration, client);
  }

  private static void shorten(Configuration settings, String key, int maximum, int libraryDefault) {
    settings.setInt(key, Math.min(settings.getInt(key, libraryDefault), maximum));
  }

  YarnConfiguration configuration() {
    return configuration;
  }

  YarnClientApplication newApplication() {
    return call("create an application", client::createApplication);
  }

  /** After this call, container sizes can have all resource types of the cluster. */
  void learnResources() {
    ResourceTypes.learn(call("list its resource types", client::getResourceTypeInfo));
  }

  /**
   * @param largest the largest container
   * @param queue of the application, if it names one
   */
  YarnClusterLimits limits(Resource largest, Optional<String> queue) {
    return call(
        "report its limits",
        () -> {
          Map<String, Long> resources = new TreeMap<>();
          for (ResourceInformation resource : largest.getResources()) {
            resources.put(resource.getName(), resource.getValue());
          }
          resources.remove(ResourceInformation.MEMORY_URI);
          resources.remove(ResourceInformation.VCORES_URI);
          List<String> labels = new ArrayList<>();
          for (NodeLabel label : client.getClusterNodeLabels()) {
            labels.add(label.getName());
          }
          List<QueueInfo> infos = client.getAllQueues();
          List<YarnClusterLimits.Queue> queues = queues(infos);
          return new YarnClusterLimits(
              new ApplicationRequirements.Container(
                  largest.getMemorySize(), largest.getVirtualCores()),
              resources,
              configuration.getLong(
                  YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
                  YarnConfiguration.DEFAULT_RM_SCHEDULER_MINIMUM_ALLOCATION_MB),
              queues,
              labels,
              configuration.getInt(
                  YarnConfiguration.RM_AM_MAX_ATTEMPTS,
                  YarnConfiguration.DEFAULT_RM_AM_MAX_ATTEMPTS),
              queue
                  .filter(wanted -> YarnClusterLimits.find(queues, wanted).isEmpty())
                  .map(wanted -> creation(wanted, infos))
                  .orElse(QueueCreation.NOT_NEEDED));
        });
  }

  private QueueCreation creation(String wanted, List<QueueInfo> queues) {
    return queues.stream().anyMatch(queue -> "FairScheduler".equals(queue.getSchedulerType()))
        ? QueueCreation.FAIR_SCHEDULER
        : new SchedulerWebService(configuration).creationOf(wanted);
  }

  private List<YarnClusterLimits.Queue> queues(List<QueueInfo> infos)
      throws YarnException, IOException {
    Set<String> closed = new LinkedHashSet<>();
    for (QueueUserACLInfo rights : client.getQueueAclsInfo()) {
      if (!rights.getUserAcls().contains(QueueACL.SUBMIT_APPLICATIONS)) {
        closed.add(rights.getQueueName());
      }
    }
    List<YarnClusterLimits.Queue> queues = new ArrayList<>();
    for (QueueInfo queue : infos) {
      queues.add(queue(queue, closed));
    }
    return queues;
  }

  private static YarnClusterLimits.Queue queue(QueueInfo queue, Collection<String> closed) {
    String path = queue.getQueuePath() == null ? queue.getQueueName() : queue.getQueuePath();
    return new YarnClusterLimits.Queue(
        queue.getQueueName(),
        path,
        queue.getQueueState() == QueueState.RUNNING,
        queue.getChildQueues().isEmpty(),
        !closed.contains(queue.getQueueName()) && !closed.contains(path),
        queue.getCapacity(),
        queue.getCurrentCapacity(),
        queue.getMaximumCapacity(),
        queue.getAccessibleNodeLabels() == null
            ? List.of()
            : List.copyOf(new TreeSet<>(queue.getAccessibleNodeLabels())));
  }

  /** The current state of a queue. */
  Optional<YarnClusterLimits.Queue> queue(String name) {
    return call(
        "describe queue " + name,
        () -> Optional.ofNullable(client.getQueueInfo(name)).map(info -> queue(info, List.of())));
  }

  /** A token with which a process without a login can call the ResourceManager. */
  Token<RMDelegationTokenIdentifier> token(String renewer) {
    return call(
        "issue a delegation token",
        () ->
            ConverterUtils.convertFromYarn(
                client.getRMDelegationToken(new Text(renewer)),
                ClientRMProxy.getRMDelegationTokenService(configuration)));
  }

  void submit(ApplicationSubmissionContext context) {
    try {
      client.submitApplication(context);
    } catch (YarnException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "YARN refused application " + context.getApplicationId() + ": " + firstLine(e),
          e);
    } catch (IOException e) {
      throw unreachable("accept application " + context.getApplicationId(), e);
    }
  }

  /** The report about an application; empty if YARN does not know it. */
  Optional<ApplicationReport> report(ApplicationId id) {
    return call(
        "report on " + id,
        () -> {
          try {
            return Optional.of(client.getApplicationReport(id));
          } catch (ApplicationNotFoundException e) {
            return Optional.empty();
          }
        });
  }

  /** Applications with this tag that have not ended. */
  List<ApplicationReport> running(String tag) {
    return call(
        "list applications",
        () -> {
          GetApplicationsRequest request = GetApplicationsRequest.newInstance();
          request.setApplicationTags(new LinkedHashSet<>(List.of(tag)));
          request.setApplicationStates(
              EnumSet.of(
                  YarnApplicationState.NEW,
                  YarnApplicationState.NEW_SAVING,
                  YarnApplicationState.SUBMITTED,
                  YarnApplicationState.ACCEPTED,
                  YarnApplicationState.RUNNING));
          return client.getApplications(request);
        });
  }

  /**
   * @param why for the application's diagnostics
   */
  void kill(ApplicationId id, String why) {
    call(
        "kill " + id,
        () -> {
          client.killApplication(id, why);
          return id;
        });
  }

  private interface Call<T> {
    T make() throws YarnException, IOException;
  }

  private <T> T call(String what, Call<T> call) {
    try {
      return call.make();
    } catch (YarnException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "YARN could not " + what + ": " + firstLine(e), e);
    } catch (IOException e) {
      throw unreachable(what, e);
    }
  }

  private UnreachableException unreachable(String what, IOException cause) {
    return new UnreachableException(
        "YARN's ResourceManager at "
            + addresses(configuration)
            + " could not be asked to "
            + what
            + ": "
            + KerberosServiceErrors.describeServiceFailure(cause)
                .orElseGet(
                    () ->
                        firstLine(cause)
                            + ". Check that it runs, and that HADOOP_CONF_DIR has the"
                            + " yarn-site.xml of its cluster."),
        cause);
  }

  /** With high availability the addresses of all ResourceManagers, with their ids. */
  static String addresses(YarnConfiguration configuration) {
    if (!HAUtil.isHAEnabled(configuration)) {
      return configuration.get(YarnConfiguration.RM_ADDRESS, YarnConfiguration.DEFAULT_RM_ADDRESS);
    }
    List<String> addresses = new ArrayList<>();
    for (String id : HAUtil.getRMHAIds(configuration)) {
      String address = configuration.get(HAUtil.addSuffix(YarnConfiguration.RM_ADDRESS, id));
      String host = configuration.get(HAUtil.addSuffix(YarnConfiguration.RM_HOSTNAME, id));
      addresses.add(
          (address != null
                  ? address
                  : host == null
                      ? "an unknown address"
                      : host + ":" + YarnConfiguration.DEFAULT_RM_PORT)
              + " ("
              + id
              + ")");
    }
    return String.join(" or ", addresses);
  }

  /** The message of a remote exception contains its stack trace. */
  static String firstLine(Throwable thrown) {
    String line = Failure.sentence(thrown).lines().findFirst().orElse("").strip();
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  @Override
  public void close() {
    client.stop();
  }
}
