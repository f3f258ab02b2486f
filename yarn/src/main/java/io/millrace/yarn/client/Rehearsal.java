package io.millrace.yarn.client;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.NMClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Uses Hadoop as a JobManager does at its start, but for the answers: whoever watches sees which
 * classes that takes.
 */
final class Rehearsal {
  /** Nobody listens there. */
  private static final String NOBODY = "127.0.0.1:1";

  private Rehearsal() {}

  public static void main(String[] arguments) {
    YarnConfiguration settings = new YarnConfiguration();
    settings.set(YarnConfiguration.RM_SCHEDULER_ADDRESS, NOBODY);
    settings.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, 1);
    settings.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, 1);
    settings.setInt("ipc.client.connect.max.retries", 0);
    settings.setInt("dfs.client.failover.max.attempts", 0);
    AMRMClient<AMRMClient.ContainerRequest> manager = AMRMClient.createAMRMClient();
    manager.init(settings);
    manager.start();
    NMClient nodes = NMClient.createNMClient();
    nodes.init(settings);
    nodes.start();
    expectNobody(() -> manager.registerApplicationMaster(NetUtils.getHostname(), 1, ""));
    expectNobody(
        () -> {
          Path file = new Path("hdfs://" + NOBODY + "/file");
          try (FileSystem files = file.getFileSystem(settings)) {
            return files.exists(file);
          }
        });
    nodes.stop();
    manager.stop();
  }

  private interface Call {
    Object make() throws IOException, YarnException;
  }

  private static void expectNobody(Call call) {
    try {
      call.make();
      throw new IllegalStateException("Somebody answers at " + NOBODY);
    } catch (IOException | YarnException expected) {
      // What it takes to find that out has been loaded.
      return;
    }
  }
}
