package io.millrace.rest;

import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.tls.RestServerTls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of a {@link RestServer}.
 *
 * @param address the host that clients use, also in their Host header
 * @param ports the server binds one of them
 * @param uploadDir for uploaded jars and uploads in progress; created when first needed
 * @param maxContentLength the maximum size of a request body in bytes
 * @param uploadQuota the maximum size of all uploads and stored blobs together in bytes
 * @param longestWait how long a request may wait for a result; must be shorter than the timeout of
 *     a call to the Dispatcher
 * @param access which clients it serves
 * @param connections the limits of connections
 * @param tls how connections are encrypted, if they are
 * @param refusal why programs and jobs are rejected, if they are
 * @param web what web pages may do
 */
public record RestSettings(
    String bindAddress,
    String address,
    BindPorts ports,
    Path uploadDir,
    long maxContentLength,
    long uploadQuota,
    Duration longestWait,
    RestAuthenticator access,
    ConnectionLimits connections,
    Optional<RestServerTls> tls,
    Optional<String> refusal,
    WebSettings web) {

  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  public RestSettings {
    Objects.requireNonNull(bindAddress);
    Objects.requireNonNull(address);
    Objects.requireNonNull(ports);
    Objects.requireNonNull(uploadDir);
    Objects.requireNonNull(longestWait);
    Objects.requireNonNull(access);
    Objects.requireNonNull(connections);
    Objects.requireNonNull(tls);
    Objects.requireNonNull(refusal);
    Objects.requireNonNull(web);
  }

  /** Settings without a limit of all uploads together. */
  RestSettings(
      String bindAddress,
      String address,
      BindPorts ports,
      Path uploadDir,
      long maxContentLength,
      Duration longestWait,
      RestAuthenticator access,
      ConnectionLimits connections,
      Optional<RestServerTls> tls,
      Optional<String> refusal,
      WebSettings web) {
    this(
        bindAddress,
        address,
        ports,
        uploadDir,
        maxContentLength,
        Long.MAX_VALUE,
        longestWait,
        access,
        connections,
        tls,
        refusal,
        web);
  }

  /**
   * @param workDir the directory of the process; uploads are stored below it if {@code
   *     web.upload.dir} is not set
   */
  public static RestSettings of(Configuration configuration, Path workDir) {
    Duration half = configuration.get(RpcOptions.ASK_TIMEOUT).dividedBy(2);
    return new RestSettings(
        configuration.get(RestOptions.BIND_ADDRESS),
        configuration.get(RestOptions.ADDRESS),
        ports(configuration),
        configuration.find(RestOptions.UPLOAD_DIR).map(Path::of).orElse(workDir.resolve("uploads")),
        configuration.get(RestOptions.SERVER_MAX_CONTENT_LENGTH).bytes(),
        configuration.get(RestOptions.UPLOAD_QUOTA).bytes(),
        half.compareTo(MAX_WAIT) < 0 ? half : MAX_WAIT,
        RestAuthenticator.of(configuration),
        ConnectionLimits.of(configuration),
        RestServerTls.of(configuration),
        Optional.empty(),
        WebSettings.of(configuration));
  }

  /** Clients always use the bound port, also if {@code rest.port} is another one. */
  private static BindPorts ports(Configuration configuration) {
    return BindPorts.of(
        configuration,
        configuration.contains(RestOptions.BIND_PORT) ? RestOptions.BIND_PORT : RestOptions.PORT);
  }

  /** These settings for a cluster that rejects programs and jobs of clients. */
  public RestSettings refusing(String reason) {
    return new RestSettings(
        bindAddress,
        address,
        ports,
        uploadDir,
        maxContentLength,
        uploadQuota,
        longestWait,
        access,
        connections,
        tls,
        Optional.of(reason),
        web);
  }

  /** The start of the URLs of the server. */
  String scheme() {
    return tls.isPresent() ? "https://" : "http://";
  }
}
