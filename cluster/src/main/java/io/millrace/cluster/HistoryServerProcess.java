package io.millrace.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.rest.HistoryServer;
import io.millrace.rest.HistorySettings;
import io.millrace.rpc.live.LiveEnv;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The process of a history server, which shows ended jobs without their clusters. */
public final class HistoryServerProcess {
  private HistoryServerProcess() {}

  /** Throws if the configuration of the history server is invalid. */
  public static void check(Configuration configuration) {
    HistorySettings.of(configuration);
  }

  /** Runs until the process ends; returns its exit code. */
  public static int run(List<String> overrides) {
    Configuration configuration = ProcessConfiguration.load(overrides);
    HistorySettings settings = HistorySettings.of(configuration);
    return ServerProcess.run(
        "History server",
        configuration,
        process -> {
          LiveEnv env = new LiveEnv("history");
          process.started("Environment", () -> JobManagerProcess.done(env::close));
          HistoryServer server = new HistoryServer(env, process.files(), settings);
          String address = server.start().get();
          process.started("History at " + address, server::stop);
          Map<String, String> addresses = new LinkedHashMap<>();
          addresses.put("rest", address);
          addresses.put("pid", String.valueOf(ProcessHandle.current().pid()));
          ServerProcess.publish(configuration, addresses);
          System.out.println("History server shows ended jobs at http://" + address);
        });
  }
}
