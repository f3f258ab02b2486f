package io.millrace.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import javax.net.ssl.SSLException;

/** Requests whose every failure is one sentence that a person can act on. */
final class RestRequests {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** REST serves, but not yet the component behind it. */
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

  JsonNode get(String path) {
    return get(path, Duration.ZERO);
  }

  /**
   * @param wait how long the server was asked to hold the answer back, on top of the usual time
   */
  JsonNode get(String path, Duration wait) {
    return json(check(send("GET", path, RestHttpClient.Body.NONE, wait)));
  }

  JsonNode call(String method, String path, RestHttpClient.Body body) {
    return json(check(send(method, path, body, Duration.ZERO)));
  }

  /** Uploads a blob unless the cluster has it. */
  boolean isStored(BlobKey key) {
    return send("HEAD", "/blobs/" + key, RestHttpClient.Body.NONE, Duration.ZERO).status() / 100
        == 2;
  }

  void store(BlobKey key, RestClusterClient.BodySource content) {
    if (isStored(key)) {
      return;
    }
    try {
      check(send("PUT", "/blobs/" + key, content.open(), Duration.ZERO));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER, "What the job needs cannot be read: " + e.getMessage(), e);
    }
  }

  RestHttpClient.Response send(
      String method, String path, RestHttpClient.Body body, Duration wait) {
    try {
      return http.send(method, path, body, timeout.plus(wait));
    } catch (UnknownHostException e) {
      throw unreachable("the host '" + address.host() + "' is not known", e);
    } catch (ConnectException | NoRouteToHostException e) {
      throw unreachable("nothing listens there (" + e.getMessage() + ")", e);
    } catch (SocketTimeoutException e) {
      throw unreachable(
          e.getMessage() != null && e.getMessage().startsWith("Connect")
              ? "no connection within " + CONNECT_TIMEOUT.toSeconds() + " s"
              : "no answer within "
                  + timeout.plus(wait).toSeconds()
                  + " s; client.timeout sets how long to wait",
          e);
    } catch (SSLException e) {
      throw TlsErrors.sentence(e).map(why -> misconfigured(why, e)).orElseGet(() -> failed(e));
    } catch (RestHttpClient.NotHttpException e) {
      throw unreachable(
          "what answers there does not speak HTTP. Was the RPC port given instead of the REST"
              + " port?",
          e);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private MillraceException failed(IOException e) {
    String why = e.getMessage() == null ? e.toString() : e.getMessage();
    // Its reason may be lost where a server hangs up while a request is still on its way.
    boolean maybeAsks = cluster.tls().map(tls -> !tls.showsCertificate()).orElse(false);
    return unreachable(
        maybeAsks
            ? why + ". Does it ask for certificates (" + RestTlsOptions.AUTHENTICATION.key() + ")?"
            : why,
        e);
  }

  /** Waiting or starting another JobManager would not help. */
  private MillraceException misconfigured(String why, IOException cause) {
    return new MillraceException(
        ErrorKind.USER, "The JobManager at " + address + " cannot be talked to: " + why, cause);
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

  /** The response, if it says success; else the server's own sentence as an error. */
  RestHttpClient.Response check(RestHttpClient.Response response) {
    if (response.status() / 100 == 2) {
      return response;
    }
    String said = sentence(response);
    String message =
        said.isEmpty()
            ? "The JobManager at " + address + " answered with status " + response.status() + "."
            : said;
    if (response.status() == UNAVAILABLE) {
      throw new UnreachableException(message, null);
    }
    throw new MillraceException(
        response.status() / 100 == 4 ? ErrorKind.USER : ErrorKind.EXTERNAL, message);
  }

  private static String sentence(RestHttpClient.Response response) {
    try {
      JsonNode errors = JSON.readTree(response.body()).path("errors");
      return errors.path(0).asText("").strip();
    } catch (IOException e) {
      // Not JSON: a proxy's page, say. The status is told instead.
      return "";
    }
  }

  JsonNode json(RestHttpClient.Response response) {
    try {
      JsonNode tree = JSON.readTree(response.body());
      return tree == null ? JSON.createObjectNode() : tree;
    } catch (JsonProcessingException e) {
      throw unreachable("what answers there is not a JobManager", e);
    } catch (IOException e) {
      throw unreachable(e.toString(), e);
    }
  }
}
