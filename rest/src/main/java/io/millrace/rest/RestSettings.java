package io.millrace.rest;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.tls.RestServerTls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a {@link RestServer} listens and what it takes.
 *
 * @param address the host clients use, also in their Host header
 * @param port 0 takes a free one
 * @param uploadDir for uploaded jars and for uploads on their way; made when first needed
 * @param maxContentLength the largest request body in bytes
 * @param longestWait how long a request that waits for something is held at most; has to be shorter
 *     than a call to the Dispatcher may take
 * @param access whom it serves
 * @param connections how many of them at once
 * @param tls how connections are encrypted, if they are
 * @param refusal why programs and jobs are not taken, where they are not
 */
public record RestSettings(
    String bindAddress,
    String address,
    int port,
    Path uploadDir,
    long maxContentLength,
    Duration longestWait,
    RestAuthenticator access,
    ConnectionLimits connections,
    Optional<RestServerTls> tls,
    Optional<String> refusal) {

  private static final Duration PATIENT_ENOUGH = Duration.ofSeconds(30);

  public RestSettings {
    Objects.requireNonNull(bindAddress);
    Objects.requireNonNull(address);
    Objects.requireNonNull(uploadDir);
    Objects.requireNonNull(longestWait);
    Objects.requireNonNull(access);
    Objects.requireNonNull(connections);
    Objects.requireNonNull(tls);
    Objects.requireNonNull(refusal);
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("Port " + port + " is not between 0 and 65535");
    }
  }

  /**
   * @param workDir the process's own directory; uploads go below it where {@code web.upload.dir} is
   *     not set
   */
  public static RestSettings of(Configuration configuration, Path workDir) {
    Duration half = configuration.get(RpcOptions.ASK_TIMEOUT).dividedBy(2);
    return new RestSettings(
        configuration.get(RestOptions.BIND_ADDRESS),
        configuration.get(RestOptions.ADDRESS),
        configuration.get(RestOptions.PORT),
        configuration.find(RestOptions.UPLOAD_DIR).map(Path::of).orElse(workDir.resolve("uploads")),
        configuration.get(RestOptions.SERVER_MAX_CONTENT_LENGTH).bytes(),
        half.compareTo(PATIENT_ENOUGH) < 0 ? half : PATIENT_ENOUGH,
        RestAuthenticator.of(configuration),
        ConnectionLimits.of(configuration),
        RestServerTls.of(configuration),
        Optional.empty());
  }

  /** These, for a cluster that nobody else may bring programs and jobs to. */
  public RestSettings refusing(String why) {
    return new RestSettings(
        bindAddress,
        address,
        port,
        uploadDir,
        maxContentLength,
        longestWait,
        access,
        connections,
        tls,
        Optional.of(why));
  }

  /** How addresses of the server begin. */
  String scheme() {
    return tls.isPresent() ? "https://" : "http://";
  }
}
