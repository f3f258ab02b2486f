package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.client.ProcessEnvironment;
import io.millrace.core.config.Configuration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The configuration of a server process. */
final class ProcessConfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessConfiguration.class);

  private ProcessConfiguration() {}

  /** Loads the configuration file and applies {@code key=value} pairs that override it. */
  static Configuration load(List<String> overrides) {
    return ConfigurationFile.load(ProcessEnvironment.current(), overrides, LOG::warn);
  }
}
