package io.millrace.bench.load;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A flat JSON object on one line, with keys in insertion order. */
public final class JsonLine {
  private final Map<String, Object> fields = new LinkedHashMap<>();

  public JsonLine(String peer, String workload, String variant) {
    put("peer", peer).put("workload", workload).put("variant", variant);
  }

  public JsonLine put(String name, Object value) {
    fields.put(name, value);
    return this;
  }

  /** The numeric fields. */
  public Map<String, Double> numbers() {
    Map<String, Double> numbers = new LinkedHashMap<>();
    fields.forEach(
        (name, value) -> {
          if (value instanceof Number number) {
            numbers.put(name, number.doubleValue());
          }
        });
    return numbers;
  }

  public void print() {
    put("load1", load());
    StringBuilder line = new StringBuilder("{");
    fields.forEach(
        (name, value) -> {
          line.append(line.length() > 1 ? "," : "").append('"').append(name).append("\":");
          if (value instanceof Double number) {
            line.append(String.format(Locale.ROOT, "%.3f", number));
          } else if (value instanceof Number || value instanceof Boolean) {
            line.append(value);
          } else {
            line.append('"')
                .append(
                    String.valueOf(value)
                        .replace("\\", "\\\\")
                        .replace("\"", "'")
                        .replace('\n', ' '))
                .append('"');
          }
        });
    System.out.println(line.append('}'));
    System.out.flush();
  }

  private static double load() {
    try {
      return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
    } catch (Exception e) {
      return -1;
    }
  }
}
