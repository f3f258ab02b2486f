package io.millrace.api.resource;

import io.millrace.core.OrderedCopies;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One external resource of a TaskManager.
 *
 * <pre>{@code
 * class OnGpu implements MapFunction<Order, String>, RichFunction {
 *   private transient String gpu;
 *
 *   public void open(RuntimeContext context) {
 *     ExternalResourceInfo first = context.externalResourceInfos("gpu").get(0);
 *     gpu = first.property(ExternalResourceInfo.INDEX).orElseThrow();
 *   }
 *
 *   public String map(Order order) {
 *     return order.customer() + " on GPU " + gpu;
 *   }
 * }
 *
 * orders.map(new OnGpu()).print();
 * }</pre>
 *
 * @param properties what its driver found out about it, in the order of names
 */
public record ExternalResourceInfo(Map<String, String> properties) {
  /** The property under which the discovery script's resources have their index. */
  public static final String INDEX = "index";

  public ExternalResourceInfo {
    properties = OrderedCopies.map(new TreeMap<>(properties));
  }

  public static ExternalResourceInfo ofIndex(String index) {
    return new ExternalResourceInfo(Map.of(INDEX, index));
  }

  public Optional<String> property(String name) {
    return Optional.ofNullable(properties.get(name));
  }
}
