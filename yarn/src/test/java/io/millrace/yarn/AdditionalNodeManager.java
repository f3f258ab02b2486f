package io.millrace.yarn;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.DirectoryCollection;
import org.apache.hadoop.yarn.server.nodemanager.LocalDirsHandlerService;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;

/** One more node of {@link MiniHadoop}, which may die. */
public final class AdditionalNodeManager implements AutoCloseable {
  private final NodeManager daemon = new NodeManager();

  /**
   * @param directory of its own
   * @param different settings
   */
  AdditionalNodeManager(Configuration settings, Path directory, Map<String, String> different)
      throws IOException {
    YarnConfiguration own = new YarnConfiguration(settings);
    different.forEach(own::set);
    for (String key : new String[] {"local-dirs", "log-dirs"}) {
      own.set(
          "yarn.nodemanager." + key, Files.createDirectories(directory.resolve(key)).toString());
    }
    daemon.init(own);
    daemon.disableWebServer();
    daemon.start();
  }

  public NodeId id() {
    return daemon.getNMContext().getNodeId();
  }

  /**
   * Stops the node as if its daemon had been killed: the ResourceManager gets no more heartbeats
   * and considers it lost later. Its containers run on.
   */
  public void fallSilent() {
    Configuration settings = daemon.getNodeStatusUpdater().getConfig();
    // A node that restarts does not unregister.
    settings.setBoolean(YarnConfiguration.NM_RECOVERY_ENABLED, true);
    settings.setBoolean(YarnConfiguration.NM_RECOVERY_SUPERVISED, true);
    daemon.getNodeStatusUpdater().stop();
    settings.setBoolean(YarnConfiguration.NM_RECOVERY_ENABLED, false);
  }

  /**
   * Lets the daemon find its disks too full: the share of a disk that may be used is 0 from now on.
   * It tells the ResourceManager, which takes all containers back.
   */
  public void fillDisks() throws ReflectiveOperationException {
    LocalDirsHandlerService disks = daemon.getNodeHealthChecker().getDiskHandler();
    for (String name : new String[] {"localDirs", "logDirs"}) {
      Field field = LocalDirsHandlerService.class.getDeclaredField(name);
      field.setAccessible(true);
      ((DirectoryCollection) field.get(disks)).setDiskUtilizationPercentageCutoff(0, 0);
    }
    disks.checkDirs();
  }

  /** Ends it, and what runs on it. */
  @Override
  public void close() {
    daemon.stop();
  }
}
