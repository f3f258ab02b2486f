package io.millrace.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SensitiveValues;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the first lines of a server log: version, host, user, JVM and configuration, no secrets.
 */
final class StartUpLog {
  private static final Logger LOG = LoggerFactory.getLogger(StartUpLog.class);
  private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  private StartUpLog() {}

  static void write(String process, Configuration configuration) {
    RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
    LOG.info(
        "Starting {} {} on host {} as user {}, pid {}, in {}",
        process,
        EngineVersion.CURRENT,
        host(),
        System.getProperty("user.name"),
        ProcessHandle.current().pid(),
        System.getProperty("user.dir"));
    LOG.info(
        "JVM: {} {} {} at {}",
        runtime.getVmVendor(),
        runtime.getVmName(),
        runtime.getVmVersion(),
        System.getProperty("java.home"));
    LOG.info(
        "Memory: {} mb heap at most, {} mb in the machine; {} processors",
        Runtime.getRuntime().maxMemory() >> 20,
        HostResources.physicalMemory() >> 20,
        Runtime.getRuntime().availableProcessors());
    LOG.info("JVM options: {}", SensitiveValues.shown(runtime.getInputArguments()));
    LOG.info("Arguments: {}", SensitiveValues.shown(arguments()));
    LOG.info("Configuration:");
    SensitiveValues.shown(configuration).forEach((key, value) -> LOG.info("  {} = {}", key, value));
  }

  /** Read from the kernel if possible, because a name server may be slow. */
  private static String host() {
    try {
      return Files.exists(HOST_NAME)
          ? Files.readString(HOST_NAME).strip()
          : InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown (" + e.getMessage() + ")";
    } catch (IOException e) {
      return "unknown (" + e + ")";
    }
  }

  /**
   * The arguments after the main class, read from procfs. The JVM has them only as one text, in
   * which arguments with blanks, for example passwords, cannot be separated.
   */
  private static List<String> arguments() {
    String command = System.getProperty("sun.java.command", "");
    String main = command.isEmpty() ? "" : command.split(" ", 2)[0];
    try {
      List<String> arguments =
          List.of(Files.readString(COMMAND_LINE, StandardCharsets.UTF_8).split("\0"));
      int index = arguments.indexOf(main);
      return index < 0 ? List.of() : arguments.subList(index + 1, arguments.size());
    } catch (IOException e) {
      LOG.debug("The arguments of this process are not known", e);
      return List.of();
    }
  }
}
