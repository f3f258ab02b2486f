package io.millrace.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Durations;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.function.Function;
import javax.net.ssl.SSLException;

/**
 * REST requests to one cluster. Each failure becomes an error with one sentence that names the
 * cause and the remedy.
 */
final class RestRequests {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** The status of a REST server whose components are not available yet. */
  private static final int UNAVAILABLE = 503;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ClusterAddress cluster;
  private final HostPort address;
  private final RestHttpClient http;
  private final Duration timeout;

  RestRequests(ClusterAddress cluster, Duration timeout) {
    this.cluster = cluster;
    this.address = cluster.rest();
    this.http = new RestHttpClient(cluster, CONNECT_TIMEOUT);
    this.timeout = timeout;
  }

  HostPort address() {
    return address;
  }

  /** The JobManager that answered last. */
  HostPort leader() {
    return http.leader();
  }

  /** The URL of the JobManager that answered last, for a browser. */
  String leaderUrl() {
    return new ClusterAddress(http.leader(), cluster.token(), cluster.tls()).url();
  }

  JsonNode get(String path) {
    return get(path, Duration.ZERO);
  }

  /**
   * @param wait how long the request asks the server to wait before it answers; added to the usual
   *     timeout
   */
  JsonNode get(String path, Duration wait) {
    return json(check(send("GET", path, RestHttpClient.Body.NONE, wait)));
  }

  JsonNode call(String method, String path, RestHttpClient.Body body) {
    return json(check(send(method, path, body, Duration.ZERO)));
  }

  boolean isStored(BlobKey key) {
    return send("HEAD", "/blobs/" + key, RestHttpClient.Body.NONE, Duration.ZERO).status() / 100
        == 2;
  }

  /** Uploads a blob unless the cluster has it. */
  void store(BlobKey key, RestClusterClient.BodySource content) {
    if (isStored(key)) {
      return;
    }
    try {
      check(send("PUT", "/blobs/" + key, content.open(), Duration.ZERO));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER, "A file of the job cannot be read: " + e.getMessage(), e);
    }
  }

  RestHttpClient.Response send(
      String method, String path, RestHttpClient.Body body, Duration wait) {
    try {
      return http.send(method, path, body, timeout.plus(wait));
    } catch (UnknownHostException e) {
      throw unreachable("the host name '" + address.host() + "' cannot be resolved", e);
    } catch (ConnectException | NoRouteToHostException e) {
      throw unreachable("nothing listens there (" + e.getMessage() + ")", e);
    } catch (SocketTimeoutException e) {
      throw unreachable(
          e.getMessage() != null && e.getMessage().startsWith("Connect")
              ? "no connection within " + Durations.readable(CONNECT_TIMEOUT)
              : "no answer within "
                  + Durations.readable(timeout.plus(wait))
                  + " ("
                  + ClientOptions.CLIENT_TIMEOUT.key()
                  + ")",
          e);
    } catch (SSLException e) {
      throw TlsErrors.sentence(e).map(why -> misconfigured(why, e)).orElseGet(() -> failed(e));
    } catch (RestHttpClient.NotHttpException e) {
      throw unreachable(
          "the server there does not speak HTTP. Was the RPC port given instead of the REST port?",
          e);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private MillraceException failed(IOException e) {
    String why = e.getMessage() == null ? e.toString() : e.getMessage();
    // The TLS alert with the reason is lost if the server closes the connection while the request
    // is being sent.
    boolean mayRequireCertificate = cluster.tls().map(tls -> !tls.showsCertificate()).orElse(false);
    return unreachable(
        mayRequireCertificate
            ? why
                + ". Does it require client certificates ("
                + RestTlsOptions.AUTHENTICATION.key()
                + ")?"
            : why,
        e);
  }

  /** An error that neither waiting nor another JobManager solves. */
  private MillraceException misconfigured(String why, IOException cause) {
    return new MillraceException(
        ErrorKind.USER, "The JobManager at " + address + " cannot be used: " + why, cause);
  }

  private MillraceException unreachable(String why, IOException cause) {
    String end = why.endsWith("?") ? "" : ".";
    return new UnreachableException(
        "No JobManager can be reached at "
            + address
            + ": "
            + why
            + end
            + " Start one with `millrace cluster start`, or give its REST address with -m"
            + " host:port.",
        cause);
  }

  /**
   * The response if its status is a success; otherwise throws an error with the message of the
   * server.
   */
  RestHttpClient.Response check(RestHttpClient.Response response) {
    if (response.status() / 100 == 2) {
      return response;
    }
    String serverMessage = errorMessage(response);
    String message =
        serverMessage.isEmpty()
            ? "The JobManager at " + address + " answered with status " + response.status() + "."
            : serverMessage;
    if (response.status() == UNAVAILABLE) {
      throw new UnreachableException(message, null);
    }
    throw new MillraceException(
        response.status() / 100 == 4 ? ErrorKind.USER : ErrorKind.EXTERNAL, message);
  }

  private static String errorMessage(RestHttpClient.Response response) {
    try {
      JsonNode errors = JSON.readTree(response.body()).path("errors");
      return errors.path(0).asText("").strip();
    } catch (IOException e) {
      // Not JSON, for example the page of a proxy. The caller reports the status instead.
      return "";
    }
  }

  /**
   * Reads values from JSON.
   *
   * @param path of the request, for the error
   */
  <T> T read(String path, JsonNode json, Function<JsonNode, T> reader) {
    try {
      return reader.apply(json);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The answer of "
              + address
              + " to "
              + path
              + " has an unexpected value: "
              + e.getMessage()
              + ". Check that a JobManager of the version of this client listens there.",
          e);
    }
  }

  JsonNode json(RestHttpClient.Response response) {
    try {
      JsonNode tree = JSON.readTree(response.body());
      return tree == null ? JSON.createObjectNode() : tree;
    } catch (JsonProcessingException e) {
      throw unreachable("the server there does not answer with JSON and is not a JobManager", e);
    } catch (IOException e) {
      throw unreachable(e.toString(), e);
    }
  }
}
