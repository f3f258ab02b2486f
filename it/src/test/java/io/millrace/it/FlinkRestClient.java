package io.millrace.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rest.FileUpload;
import org.apache.flink.runtime.rest.RestClient;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.MessageHeaders;
import org.apache.flink.runtime.rest.messages.MessageParameters;
import org.apache.flink.runtime.rest.messages.MessagePathParameter;
import org.apache.flink.runtime.rest.messages.MessageQueryParameter;
import org.apache.flink.runtime.rest.messages.RequestBody;
import org.apache.flink.runtime.rest.messages.ResponseBody;
import org.apache.flink.runtime.rest.util.RestClientException;
import org.apache.flink.runtime.rest.util.RestMapperUtils;
import org.apache.flink.runtime.webmonitor.handlers.JarUploadHeaders;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JavaType;

/** Flink's REST client, with the classes of requests and responses of all its operations. */
final class FlinkRestClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long TIMEOUT_SECONDS = 120;

  private final String host;
  private final int port;
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final RestClient client;
  private final Map<String, MessageHeaders<?, ?, ?>> headers;

  /** An answer with another status than that of success. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    Refused(int status, RestClientException cause) {
      super(cause.getMessage(), cause);
      this.status = status;
    }

    int status() {
      return status;
    }
  }

  FlinkRestClient(String address) throws Exception {
    int colon = address.lastIndexOf(':');
    this.host = address.substring(0, colon);
    this.port = Integer.parseInt(address.substring(colon + 1));
    this.client = new RestClient(new Configuration(), executor);
    this.headers = headers();
  }

  /** The description of each operation, by method and path, from the jars of Flink. */
  private static Map<String, MessageHeaders<?, ?, ?>> headers() throws Exception {
    Map<String, MessageHeaders<?, ?, ?>> all = new TreeMap<>();
    for (Class<?> known : List.of(MessageHeaders.class, JarUploadHeaders.class)) {
      for (String name : headerClasses(known)) {
        Class<?> type = Class.forName(name, false, known.getClassLoader());
        if (MessageHeaders.class.isAssignableFrom(type)
            && !Modifier.isAbstract(type.getModifiers())) {
          MessageHeaders<?, ?, ?> instance = instance(type);
          all.put(instance.getHttpMethod() + " " + instance.getTargetRestEndpointURL(), instance);
        }
      }
    }
    return all;
  }

  private static List<String> headerClasses(Class<?> known) throws IOException, URISyntaxException {
    Path jar = Path.of(known.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (JarFile file = new JarFile(jar.toFile())) {
      return Collections.list(file.entries()).stream()
          .map(JarEntry::getName)
          .filter(
              name -> name.matches("org/apache/flink/runtime/(rest|webmonitor)/.*Headers\\.class"))
          .map(name -> name.replace('/', '.').replace(".class", ""))
          .toList();
    }
  }

  private static MessageHeaders<?, ?, ?> instance(Class<?> type) throws Exception {
    for (Method method : type.getMethods()) {
      if (method.getName().equals("getInstance") && method.getParameterCount() == 0) {
        return (MessageHeaders<?, ?, ?>) method.invoke(null);
      }
    }
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    return (MessageHeaders<?, ?, ?>) constructor.newInstance();
  }

  Collection<String> operations() {
    return headers.keySet();
  }

  int successStatus(String operation) {
    return find(operation).getResponseStatusCode().code();
  }

  /**
   * Sends a request.
   *
   * @param parameters of path and query, by name
   * @param body as JSON; empty if the operation has none
   * @return the decoded answer, as Flink encodes it
   */
  JsonNode send(String operation, Map<String, String> parameters, String body, List<Path> uploads)
      throws Exception {
    return send(typed(find(operation)), parameters, body, uploads);
  }

  JsonNode get(String operation, Map<String, String> parameters) throws Exception {
    return send(operation, parameters, "", List.of());
  }

  /** Decodes an answer, and encodes what Flink has understood. */
  JsonNode decoded(String operation, String answer) throws IOException {
    MessageHeaders<?, ?, ?> described = find(operation);
    var mapper = RestMapperUtils.getFlexibleObjectMapper();
    Class<?>[] parameters = described.getResponseTypeParameters().toArray(Class<?>[]::new);
    JavaType type =
        parameters.length == 0
            ? mapper.getTypeFactory().constructType(described.getResponseClass())
            : mapper
                .getTypeFactory()
                .constructParametricType(described.getResponseClass(), parameters);
    return encoded(mapper.readValue(answer, type));
  }

  private static JsonNode encoded(Object answer) throws IOException {
    return JSON.readTree(RestMapperUtils.getStrictObjectMapper().writeValueAsString(answer));
  }

  private MessageHeaders<?, ?, ?> find(String operation) {
    MessageHeaders<?, ?, ?> found = headers.get(operation);
    if (found == null) {
      throw new IllegalArgumentException(operation + " is none of " + headers.keySet());
    }
    return found;
  }

  @SuppressWarnings("unchecked")
  private static <R extends RequestBody, P extends ResponseBody, M extends MessageParameters>
      MessageHeaders<R, P, M> typed(MessageHeaders<?, ?, ?> untyped) {
    return (MessageHeaders<R, P, M>) untyped;
  }

  private <R extends RequestBody, P extends ResponseBody, M extends MessageParameters>
      JsonNode send(
          MessageHeaders<R, P, M> described,
          Map<String, String> values,
          String body,
          List<Path> uploads)
          throws Exception {
    M parameters = described.getUnresolvedMessageParameters();
    for (MessagePathParameter<?> parameter : parameters.getPathParameters()) {
      parameter.resolveFromString(values.get(parameter.getKey()));
    }
    for (MessageQueryParameter<?> parameter : parameters.getQueryParameters()) {
      if (values.containsKey(parameter.getKey())) {
        parameter.resolveFromString(values.get(parameter.getKey()));
      }
    }
    List<FileUpload> files = new ArrayList<>();
    uploads.forEach(file -> files.add(new FileUpload(file, "application/x-java-archive")));
    try {
      return encoded(
          client
              .sendRequest(host, port, described, parameters, request(described, body), files)
              .get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RestClientException refused) {
        throw new Refused(refused.getHttpResponseStatus().code(), refused);
      }
      throw e;
    }
  }

  private static <R extends RequestBody> R request(MessageHeaders<R, ?, ?> described, String body)
      throws IOException {
    Class<R> type = described.getRequestClass();
    return type == EmptyRequestBody.class
        ? type.cast(EmptyRequestBody.getInstance())
        : RestMapperUtils.getStrictObjectMapper().readValue(body.isEmpty() ? "{}" : body, type);
  }

  @Override
  public void close() {
    client.closeAsync().join();
    executor.shutdownNow();
  }
}
