package io.millrace.ha.zookeeper;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.SecurityContext;
import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.rpc.live.LiveEnv;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;

/**
 * Connects as a process of a cluster does, in a JVM of its own: login contexts are global. Prints
 * as whom it is known and who may use the nodes of the cluster, or the error.
 */
final class SecureClient {
  private SecureClient() {}

  /**
   * @param arguments options, {@code key=value}
   */
  public static void main(String[] arguments) throws Exception {
    Map<String, String> options = new LinkedHashMap<>();
    Arrays.stream(arguments)
        .map(argument -> argument.split("=", 2))
        .forEach(option -> options.put(option[0], option[1]));
    Configuration configuration = new Configuration(options);
    LiveEnv env = new LiveEnv("client");
    try (SecurityContext context = SecurityContext.of(configuration, Plugins.NONE)) {
      context.call(
          () -> {
            // The last process of a cluster removes its nodes when it closes.
            try (NodeCoordinator process = ZooKeeperCoordinator.connect(configuration, env);
                CuratorFramework client = ZooKeeperConnection.open(configuration)) {
              System.out.println(
                  "Known as "
                      + client.getZookeeperClient().getZooKeeper().whoAmI().stream()
                          .map(who -> who.getAuthScheme() + ":" + who.getUser())
                          .toList());
              System.out.println(
                  "ACL "
                      + client.getACL().forPath(ZooKeeperPaths.of(configuration).store()).stream()
                          .map(acl -> acl.getId().getScheme() + ":" + acl.getId().getId())
                          .toList());
              return process.toString();
            }
          });
    } catch (Exception e) {
      System.out.println("Error: " + Failure.sentence(e));
    }
    // Threads of logins would keep the process alive.
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }
}
