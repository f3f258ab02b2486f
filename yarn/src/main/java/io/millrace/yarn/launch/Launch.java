package io.millrace.yarn.launch;

import io.millrace.core.Ordered;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.LocalResource;

/**
 * How a container is launched.
 *
 * @param files what it finds in its working directory
 * @param command the words of the command; a shell reads them
 */
public record Launch(
    List<StagedFile> files, Map<String, String> environment, List<String> command) {
  /** The Java of the node where it says which, else the one on its path. */
  public static final String JAVA = "${JAVA_HOME:+$JAVA_HOME/bin/}java";

  /** Where a container's logs are to be, for words of its command. */
  public static final String LOG_DIR = ApplicationConstants.LOG_DIR_EXPANSION_VAR;

  public Launch {
    files = Ordered.list(files);
    environment = Ordered.map(environment);
    command = Ordered.list(command);
  }

  /**
   * @param tokens with which the container acts for its user; empty where nobody asks for any
   */
  public ContainerLaunchContext context(ByteBuffer tokens) {
    Objects.requireNonNull(tokens);
    Map<String, LocalResource> resources = new LinkedHashMap<>();
    files.forEach(file -> resources.put(file.link(), file.resource()));
    String line =
        String.join(" ", command) + " 1>" + LOG_DIR + "/stdout.log 2>" + LOG_DIR + "/stderr.log";
    return ContainerLaunchContext.newInstance(
        resources,
        environment,
        List.of(line),
        Map.of(),
        tokens.hasRemaining() ? tokens : null,
        Map.of());
  }
}
