package io.millrace.cluster;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.DelegationTokens;
import io.millrace.core.security.SecurityContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What stands before the first service of a process starts and after the last one has stopped, laid
 * in this order: plugins, file systems and those who deal with delegation tokens (which plugins may
 * bring), and the security context inside which all the rest runs.
 */
record ProcessContext(
    Plugins plugins, FileSystems files, DelegationTokens tokens, SecurityContext security)
    implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessContext.class);

  /** With the plugins of the distribution that this process was started from. */
  static ProcessContext create(Configuration configuration) {
    return create(configuration, Plugins.directory(System.getenv(), ConfigurationFile.home()));
  }

  /** A part that cannot be laid takes those before it away again. */
  static ProcessContext create(Configuration configuration, Optional<Path> pluginsDirectory) {
    Plugins plugins = plugins(configuration, pluginsDirectory);
    try {
      FileSystems files = FileSystems.of(plugins);
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

  private static Plugins plugins(Configuration configuration, Optional<Path> directory) {
    if (directory.isEmpty()) {
      LOG.info("Plugins: none, because no directory is named for them");
      return Plugins.NONE;
    }
    Plugins plugins = Plugins.load(directory.get(), configuration);
    LOG.info("Plugins in {}: {}", directory.get(), plugins.names());
    for (Path empty : plugins.withoutJars()) {
      LOG.warn(
          "Plugin directory {} holds no jar and is passed over. Put the plugin's jars directly into"
              + " it, or remove it.",
          empty);
    }
    return plugins;
  }

  /**
   * The plugins stay: what they started may still need classes of theirs, down to the hooks that
   * run when the JVM ends.
   */
  @Override
  public void close() throws IOException {
    security.close();
  }
}
