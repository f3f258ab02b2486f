package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.DelegationTokens;
import io.millrace.core.security.SecurityContext;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The context in which all services of a process run. It is created before the first service starts
 * and closed after the last one has stopped, in this order: plugins, file systems and delegation
 * tokens (which plugins may provide), security context.
 */
record ProcessContext(
    Plugins plugins, FileSystems files, DelegationTokens tokens, SecurityContext security)
    implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessContext.class);

  /** With the plugins of the distribution of this process. */
  static ProcessContext create(Configuration configuration) {
    return Plugins.directory(System.getenv(), ConfigurationFile.home())
        .map(directory -> create(configuration, directory))
        .orElseGet(() -> createWithoutPlugins(configuration));
  }

  static ProcessContext createWithoutPlugins(Configuration configuration) {
    LOG.info("Plugins: none, because no plugin directory is configured");
    return create(configuration, Plugins.NONE);
  }

  static ProcessContext create(Configuration configuration, Path pluginsDirectory) {
    Plugins plugins = Plugins.load(pluginsDirectory, configuration);
    LOG.info("Plugins in {}: {}", pluginsDirectory, plugins.names());
    for (Path empty : plugins.withoutJars()) {
      LOG.warn(
          "Plugin directory {} contains no jar and is ignored. Put the jars of the plugin directly"
              + " into it, or remove it.",
          empty);
    }
    return create(configuration, plugins);
  }

  /** If a part cannot be created, the plugins are closed. */
  private static ProcessContext create(Configuration configuration, Plugins plugins) {
    try {
      FileSystems files = FileSystems.of(plugins, configuration);
      LOG.info("File systems: {}", files.schemes());
      DelegationTokens tokens = DelegationTokens.of(configuration, plugins);
      if (!tokens.receivable().isEmpty()) {
        LOG.info("Delegation tokens: {}", tokens.receivable());
      }
      SecurityContext security = SecurityContext.of(configuration, plugins);
      LOG.info("Security context: {}", security.description());
      return new ProcessContext(plugins, files, tokens, security);
    } catch (RuntimeException e) {
      try {
        plugins.close();
      } catch (IOException notClosed) {
        e.addSuppressed(notClosed);
      }
      throw e;
    }
  }

  /**
   * Plugins are not closed: threads and shutdown hooks that they have started may still load
   * classes until the JVM ends.
   */
  @Override
  public void close() throws IOException {
    security.close();
  }
}
