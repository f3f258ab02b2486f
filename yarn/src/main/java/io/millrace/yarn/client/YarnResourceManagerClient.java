package io.millrace.yarn.client;

import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.fs.hadoop.KerberosErrors;
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
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.security.client.RMDelegationTokenIdentifier;
import org.apache.hadoop.yarn.util.ConverterUtils;

/** YARN's ResourceManager as a client sees it, its failures told in a sentence. */
final class YarnResourceManagerClient implements AutoCloseable {
  private final YarnConfiguration configuration;
  private final YarnClient client;

  private YarnResourceManagerClient(YarnConfiguration configuration, YarnClient client) {
    this.configuration = configuration;
    this.client = client;
  }

  /** Says hello to nobody yet. */
  static YarnResourceManagerClient of(YarnConfiguration configuration) {
    // By default a client tries for 15 minutes to reach it, which nobody waits for.
    Configuration quick = new Configuration(configuration);
    shorten(quick, YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, 10_000, 900_000);
    shorten(quick, YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, 1_000, 30_000);
    // Each of those tries once: they would multiply.
    shorten(quick, "ipc.client.connect.max.retries", 0, 10);
    shorten(quick, "ipc.client.connect.max.retries.on.timeouts", 0, 45);
    shorten(quick, "ipc.client.connect.timeout", 5_000, 20_000);
    shorten(
        quick, YarnConfiguration.YARN_CLIENT_APPLICATION_CLIENT_PROTOCOL_POLL_INTERVAL_MS, 50, 200);
    YarnClient client = YarnClient.createYarnClient();
    client.init(quick);
    client.start();
    return new YarnResourceManagerClient(configuration, client);
  }

  private static void shorten(Configuration settings, String key, int most, int usual) {
    settings.setInt(key, Math.min(settings.getInt(key, usual), most));
  }

  YarnConfiguration configuration() {
    return configuration;
  }

  YarnClientApplication newApplication() {
    return asked("make an application", client::createApplication);
  }

  /** After this, sizes of containers have everything that the cluster has. */
  void learnResources() {
    ResourceTypes.learn(asked("tell which resources it has", client::getResourceTypeInfo));
  }

  YarnClusterLimits limits(Resource largest) {
    return asked(
        "tell what it can give",
        () -> {
          Map<String, Long> resources = new TreeMap<>();
          for (ResourceInformation one : largest.getResources()) {
            resources.put(one.getName(), one.getValue());
          }
          resources.remove(ResourceInformation.MEMORY_URI);
          resources.remove(ResourceInformation.VCORES_URI);
          List<String> labels = new ArrayList<>();
          for (NodeLabel label : client.getClusterNodeLabels()) {
            labels.add(label.getName());
          }
          return new YarnClusterLimits(
              new ApplicationRequirements.Container(
                  largest.getMemorySize(), largest.getVirtualCores()),
              resources,
              configuration.getLong(
                  YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
                  YarnConfiguration.DEFAULT_RM_SCHEDULER_MINIMUM_ALLOCATION_MB),
              queues(),
              labels,
              configuration.getInt(
                  YarnConfiguration.RM_AM_MAX_ATTEMPTS,
                  YarnConfiguration.DEFAULT_RM_AM_MAX_ATTEMPTS));
        });
  }

  private List<YarnClusterLimits.Queue> queues() throws YarnException, IOException {
    Set<String> closed = new LinkedHashSet<>();
    for (QueueUserACLInfo rights : client.getQueueAclsInfo()) {
      if (!rights.getUserAcls().contains(QueueACL.SUBMIT_APPLICATIONS)) {
        closed.add(rights.getQueueName());
      }
    }
    List<YarnClusterLimits.Queue> queues = new ArrayList<>();
    for (QueueInfo queue : client.getAllQueues()) {
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

  /** A queue as it is at the moment. */
  Optional<YarnClusterLimits.Queue> queue(String name) {
    return asked(
        "tell about queue " + name,
        () -> Optional.ofNullable(client.getQueueInfo(name)).map(info -> queue(info, List.of())));
  }

  /** With which somebody without a login of his own may ask the ResourceManager. */
  Token<RMDelegationTokenIdentifier> token(String renewer) {
    return asked(
        "give a delegation token",
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
      throw unreachable("take application " + context.getApplicationId(), e);
    }
  }

  /** What YARN knows of an application; nothing where it knows none of that id. */
  Optional<ApplicationReport> report(ApplicationId id) {
    return asked(
        "tell about " + id,
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
    return asked(
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
    asked(
        "kill " + id,
        () -> {
          client.killApplication(id, why);
          return id;
        });
  }

  private interface Question<T> {
    T ask() throws YarnException, IOException;
  }

  private <T> T asked(String what, Question<T> question) {
    try {
      return question.ask();
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
            + configuration.get(YarnConfiguration.RM_ADDRESS, YarnConfiguration.DEFAULT_RM_ADDRESS)
            + " could not be asked to "
            + what
            + ": "
            + KerberosErrors.describeServiceFailure(cause)
                .orElseGet(
                    () ->
                        firstLine(cause)
                            + ". Check that it runs, and that HADOOP_CONF_DIR has the"
                            + " yarn-site.xml of its cluster."),
        cause);
  }

  /** Exceptions of the other side carry its stack in their message. */
  static String firstLine(Throwable thrown) {
    String line = Failure.sentence(thrown).lines().findFirst().orElse("").strip();
    return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
  }

  @Override
  public void close() {
    client.stop();
  }
}
