package io.millrace.yarn;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.YarnApplicationAttemptState;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * An application on {@link MiniHadoop} whose ApplicationMaster is the test. It can hold containers,
 * so that other applications have to wait.
 */
public final class CompetingApplication implements AutoCloseable {
  private static final long BOUND_SECONDS = 120;

  private final MiniHadoop hadoop;
  private final ApplicationId id;
  private final UserGroupInformation user;
  private final List<ContainerId> held = new ArrayList<>();
  private AMRMClient<ContainerRequest> client;

  private CompetingApplication(MiniHadoop hadoop, ApplicationId id, UserGroupInformation user) {
    this.hadoop = hadoop;
    this.id = id;
    this.user = user;
  }

  public static CompetingApplication of(MiniHadoop hadoop, String queue)
      throws YarnException, IOException {
    YarnClient client = hadoop.client();
    ApplicationSubmissionContext context =
        client.createApplication().getApplicationSubmissionContext();
    context.setApplicationName("tenant");
    context.setUnmanagedAM(true);
    context.setKeepContainersAcrossApplicationAttempts(true);
    context.setMaxAppAttempts(1);
    context.setQueue(queue);
    context.setResource(Resource.newInstance(128, 1));
    context.setAMContainerSpec(
        ContainerLaunchContext.newInstance(null, null, null, null, null, null));
    ApplicationId id = client.submitApplication(context);
    await(() -> isLaunched(client, id));
    UserGroupInformation user =
        UserGroupInformation.createRemoteUser(
            UserGroupInformation.getCurrentUser().getShortUserName());
    user.addToken(client.getAMRMToken(id));
    return new CompetingApplication(hadoop, id, user);
  }

  private static boolean isLaunched(YarnClient client, ApplicationId id)
      throws YarnException, IOException {
    ApplicationReport report = client.getApplicationReport(id);
    return report.getCurrentApplicationAttemptId() != null
        && client
                .getApplicationAttemptReport(report.getCurrentApplicationAttemptId())
                .getYarnApplicationAttemptState()
            == YarnApplicationAttemptState.LAUNCHED;
  }

  public ApplicationId id() {
    return id;
  }

  /** With whose token YARN takes the test for the master. */
  public UserGroupInformation user() {
    return user;
  }

  public ApplicationReport report() {
    try {
      return hadoop.client().getApplicationReport(id);
    } catch (YarnException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public int containers() {
    return report().getApplicationResourceUsageReport().getNumUsedContainers();
  }

  /** Registers and takes containers; what runs in them is nothing. */
  public void take(int count, int megabytes) throws IOException, InterruptedException {
    user.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              if (client == null) {
                client = AMRMClient.createAMRMClient();
                client.init(hadoop.configuration());
                client.start();
                client.registerApplicationMaster("localhost", 0, "");
              }
              ask(count, megabytes);
              int wanted = held.size() + count;
              await(
                  () -> {
                    for (Container one : client.allocate(0).getAllocatedContainers()) {
                      held.add(one.getId());
                    }
                    return held.size() >= wanted;
                  });
              return null;
            });
  }

  private void ask(int count, int megabytes) {
    for (int i = 0; i < count; i++) {
      client.addContainerRequest(
          new ContainerRequest(
              Resource.newInstance(megabytes, 1), null, null, Priority.newInstance(1)));
    }
  }

  @Override
  public void close() throws YarnException, IOException {
    hadoop.client().killApplication(id);
    if (client != null) {
      client.stop();
    }
  }

  /** Something that comes true by itself. */
  public interface Condition {
    boolean holds() throws YarnException, IOException;
  }

  /** Leaves the processor to the daemons meanwhile. */
  public static void await(Condition condition) throws YarnException, IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("It did not happen within " + BOUND_SECONDS + " s");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }
}
